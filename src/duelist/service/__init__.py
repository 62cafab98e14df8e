"""Live experiments over HTTP."""
