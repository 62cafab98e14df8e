"""Lists of names with a text each, as several commands print them."""

from __future__ import annotations

import shutil
import sys
import textwrap


def print_entry(name: str, text: str, width: int = 22) -> None:
    """A name and its text beside it, wrapped on a terminal and one line elsewhere."""
    line = f"{name:<{width}} {text}"
    if sys.stdout.isatty():
        columns, indent = shutil.get_terminal_size().columns, " " * (width + 1 or 4)
        line = textwrap.fill(line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    print(line)
