"""The command `pitproof`."""
