"""Rows that compiled code has read: numbers and hashes of those that are usual, and places of the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.clicks.impressions import Array
from duelist.core.compile import kernel
from duelist.core.hashes import BASIS, Hashes, mixed
from duelist.core.memory import Floats, Ints

# What is written of a row: hashes, and numbers.
(IDS, USERS, QUERIES, DOCS, KINDS) = range(5)
(FIRST, LAST, SIZE, DONE, USUAL) = range(5)  # bytes of a line, documents, where its clicks end, and what it is
LONG, PLAIN, EMPTY_LINE = range(3)


NEWLINE = 10


def is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def line_ends(block: bytes) -> tuple[Ints, Ints]:
    """Where the lines begin of a text that ends in a newline, and where they end."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == NEWLINE)
    return np.concatenate([[0], ends[:-1] + 1]), ends


@kernel
def place_among(values: Array, begin: int, end: int, value: Any) -> int:
    """The last place of a value between two others; -1 if it is not there."""
    found = -1
    for place in range(begin, end):
        if values[place] == value:
            found = place
    return found


@kernel
def hash_of_all(documents: Hashes, size: int) -> np.uint64:
    """One hash of so many."""
    whole = BASIS
    for place in range(size):
        whole = mixed(whole, documents[place])
    return whole


class FoundRows:
    """Some rows of a file that follow each other."""

    def __init__(self, size: int, clicks: int) -> None:
        self.hashes: Hashes = np.zeros((size, 5), np.uint64)
        self.rows, self.times = np.zeros((size, 5), np.int64), np.zeros(size)
        self.slots: Ints = np.empty(clicks, np.int64)
        self.moments: Floats = np.full(clicks, np.nan)

    def clicks(self, rows: Ints) -> tuple[Ints, Ints]:
        """How many clicks each of some rows has, and their places in `slots` and `moments`."""
        begins = np.concatenate([[0], self.rows[:-1, DONE]])[rows]
        number = self.rows[rows, DONE] - begins
        before = np.cumsum(number) - number
        return number, np.arange(number.sum()) + np.repeat(begins - before, number)

    def row(self, place: int) -> dict[str, Any]:
        """A row as a mapping; BadRow if there is none."""
        raise NotImplementedError

    def value(self, place: int, column: int) -> Any:
        """The value of a further column that was asked for."""
        raise NotImplementedError


class LineRows(FoundRows):
    """Lines of a block of a text that ends in a newline."""

    def __init__(self, block: bytes, columns: int) -> None:
        size = block.count(b"\n")
        super().__init__(size, len(block))
        self.block, self.own = block, np.zeros((size, columns, 2), np.int64)

    def line(self, row: int) -> str:
        """The text of a line; bytes that are not UTF-8 become lone surrogates."""
        first, last = self.rows[row, FIRST : LAST + 1].tolist()
        return self.block[first:last].decode(errors="surrogateescape").rstrip("\r")

    def own_text(self, place: int, column: int) -> bytes | None:
        """What was written for a further column that was asked for; None where a row has it not."""
        first, last = self.own[place, column].tolist()
        return self.block[first:last] if last else None
