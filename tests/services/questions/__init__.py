"""Canned questions: their files, and what they answer."""
