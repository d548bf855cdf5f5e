"""How a round of each game is played: one game a module."""
