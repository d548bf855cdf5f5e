"""SQL for people: one SELECT over the views, in a process of its own that can do nothing else."""
