"""Canned questions: a file of SQL each, with what it answers and its parameters at its top."""
