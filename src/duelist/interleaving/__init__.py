"""Show two or more rankings as one list, and credit the clicks to them."""
