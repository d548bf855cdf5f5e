"""Where is that round? Found by whatever a person remembers of it, the likeliest first."""
