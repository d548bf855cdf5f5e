"""What can be asked of a history: each question once, for commands, service and console alike."""
