"""`python -m duelist.cli` is the command line, where the command itself is not on the path."""

from duelist.cli import main

main()
