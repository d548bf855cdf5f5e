"""The floor simulator: believable tables of all three games from a seed, clean or with faults."""
