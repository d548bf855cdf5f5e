"""The event contract on the wire: every record, every carrier, everything that must be refused."""
