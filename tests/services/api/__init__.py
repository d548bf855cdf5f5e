"""A service's HTTP interface: who may ask, what is answered, and what is left behind."""
