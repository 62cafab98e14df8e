"""How sure we may be of who wins."""
