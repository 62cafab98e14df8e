"""Queries, documents, features, labels, and how good a ranking of them is."""
