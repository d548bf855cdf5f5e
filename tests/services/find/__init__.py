"""Finding a round by what is remembered of it."""
