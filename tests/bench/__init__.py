"""Benchmarks: scripts that print what they measured beside what others reach."""
