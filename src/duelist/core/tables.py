"""Tables as plain text: the same on a terminal, in a file and in a page of documentation."""

from __future__ import annotations

from collections.abc import Sequence


def format_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned by spaces, the first to the left and the others to the right.

    >>> print(format_table(["policy", "regret"], [["rucb", "565"], ["uniform", "6000"]]))
    policy   regret
    -------  ------
    rucb        565
    uniform    6000
    """
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    lines = [columns, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))]
        ).rstrip()
        for line in lines
    )
