"""A client of the service."""
