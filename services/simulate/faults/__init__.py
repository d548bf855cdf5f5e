"""What can go wrong at a table, by name: how it is planted and what must be found."""
