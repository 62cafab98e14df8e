"""Tables as values. Printed they are plain text: the same on a terminal, in a file and in a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
        widths = [max(len(row[i]) for row in (self.columns, *self.rows)) for i in range(len(self.columns))]
        lines = [self.columns, ["-" * width for width in widths], *self.rows]
        body = "\n".join(_aligned(line, widths) for line in lines)
        return "\n\n".join(part for part in (self.title, body, "\n".join(self.notes)) if part)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    others = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
    return "  ".join([line[0].ljust(widths[0]), *others]).rstrip()
