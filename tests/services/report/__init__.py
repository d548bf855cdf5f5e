"""Tests of the report and its three forms."""
