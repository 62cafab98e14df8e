"""Public contract suites: run them on your own classes."""
