"""Tests of settling histories again."""
