"""How people click, and logs of what they clicked."""
