"""What runs: sources, journal, history, command line."""
