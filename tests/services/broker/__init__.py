"""Tests of the broker's parts that need no broker."""
