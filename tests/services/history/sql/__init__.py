"""SQL for people: what it answers, and what it never does."""
