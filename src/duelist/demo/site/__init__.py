"""The search site of the demo."""
