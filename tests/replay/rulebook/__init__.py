"""The rule data: every figure, every edge of a date, every way to write them wrong."""
