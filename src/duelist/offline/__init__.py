"""Rankers trained on labelled data."""
