"""Rounds that a person types."""
