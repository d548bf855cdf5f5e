"""From bytes to columns: every carrier of the event contract through one set of checks."""
