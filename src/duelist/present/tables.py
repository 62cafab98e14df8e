"""Tables as values: plain text in a file or a pipe, fitted to the window on a terminal, HTML in a notebook.

The plain text is made here, in ten lines, and not by rich: rich wraps and draws for a window, and takes a tenth of a
second to load; text that goes into a file must not depend on a window. On a terminal rich does it all.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

GAP = 2  # spaces between columns
LEAST = 12  # characters of a column whose cells are wrapped, if they are longer


@dataclass(frozen=True)
class Table:
    """Rows of text under their columns, with a title above and notes below where there are some.

    >>> print(Table(["policy", "regret"], [["rucb", "565"], ["uniform", "6000"]], notes=["100,000 duels"]))
    policy   regret
    -------  ------
    rucb        565
    uniform    6000
    <BLANKLINE>
    100,000 duels
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    title: str = ""

    def __str__(self) -> str:
        """Columns aligned by spaces, the first to the left and the others to the right."""
        widths = [max(map(len, column)) for column in self._cells()]
        lines = [self.columns, ["-" * width for width in widths], *self.rows]
        body = "\n".join(_aligned(line, widths) for line in lines)
        return "\n\n".join(part for part in (self.title, body, "\n".join(self.notes)) if part)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """For a terminal: what does not fit its width is wrapped between words."""
        from rich.table import Table as Drawn
        from rich.text import Text

        cells = self._cells()
        whole = _kept_whole([max(map(len, column)) for column in cells], options.max_width)
        drawn = Drawn(box=None, padding=(0, GAP, 0, 0), pad_edge=False)
        for place, column in enumerate(cells):
            side: Any = "right" if place else "left"
            drawn.add_column(Text(column[0]), justify=side, no_wrap=place in whole, overflow="fold")
        for row in self.rows:
            drawn.add_row(*map(Text, row))
        yield from ([Text(f"{self.title}\n")] if self.title else [])
        yield drawn
        yield from map(Text, ["", *self.notes] if self.notes else [])

    def _repr_html_(self) -> str:
        """For a notebook."""
        title = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        head, body = _html_row("th", self.columns), "".join(_html_row("td", row) for row in self.rows)
        notes = f"<p>{'<br>'.join(map(escape, self.notes))}</p>" if self.notes else ""
        return f"<table>{title}<thead>{head}</thead><tbody>{body}</tbody></table>{notes}"

    def _cells(self) -> list[list[str]]:
        """The cells of each column, its name first."""
        return [[line[place] for line in (self.columns, *self.rows)] for place in range(len(self.columns))]


def show(*parts: Any) -> None:
    """Print tables and text with an empty line between them; by rich where somebody looks at a terminal.

    >>> show("arxiv, 6 arms", Table(["policy"], [["rucb"]]))
    arxiv, 6 arms
    <BLANKLINE>
    policy
    ------
    rucb
    """
    if not sys.stdout.isatty():
        print("\n\n".join(map(str, parts)))
        return
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for place, part in enumerate(parts):
        if place:
            console.print()
        if isinstance(part, str):
            print(wrapped(part, console.width))
        else:
            console.print(part)


def wrapped(text: str, width: int) -> str:
    """Text whose lines fit: what stands beside a label, or further in, goes on below where it began.

    >>> print(wrapped("How sure  from 0.05 to 0.20, at 95 %", 24))
    How sure  from 0.05 to
              0.20, at 95 %
    """
    return "\n".join(line if len(line) <= width else _broken(line, width) for line in text.split("\n"))


def _broken(line: str, width: int) -> str:
    found = re.match(r"\s*(?:\S+(?: \S+)* {2,})?", line)
    start = found.end() if found and found.end() <= width / 2 else 0
    whole = textwrap.TextWrapper(width, line[:start], " " * start, break_long_words=False, break_on_hyphens=False)
    return whole.fill(line[start:])


def _kept_whole(widths: Sequence[int], room: int) -> set[int]:
    """The columns that are not wrapped: the first and then narrow ones, while the others have some room left."""
    kept: set[int] = set()
    room -= GAP * (len(widths) - 1)
    for place in sorted(range(len(widths)), key=lambda place: (place > 0, widths[place])):
        others = sum(min(LEAST, width) for other, width in enumerate(widths) if other != place and other not in kept)
        if widths[place] + others <= room:
            kept.add(place)
            room -= widths[place]
    return kept


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    others = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
    return (" " * GAP).join([line[0].ljust(widths[0]), *others]).rstrip()


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
