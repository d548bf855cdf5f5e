"""Settling a history again: to check what it concluded, or to see what other rules would change."""
