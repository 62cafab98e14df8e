"""A search site whose visitors are simulated, with the real service behind it: `duelist demo`."""
