"""Event files, good and bad."""
