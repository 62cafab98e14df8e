"""Experiments: benchmarks and, later, reproductions."""
