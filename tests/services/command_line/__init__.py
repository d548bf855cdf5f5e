"""Tests of the command, as people and scripts call it."""
