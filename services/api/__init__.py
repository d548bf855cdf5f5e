"""HTTP for people and programs on this machine, while a service owns the history."""
