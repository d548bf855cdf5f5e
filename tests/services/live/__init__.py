"""Live operation, as far as it goes without a broker."""
