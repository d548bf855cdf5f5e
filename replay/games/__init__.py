"""The three games, one a file, each in the order of its rule clauses."""
