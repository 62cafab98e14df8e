"""Lines of a text on their way through compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from duelist.clicks.found_rows import FIRST, LAST, FoundRows
from duelist.clicks.json_text import NEWLINE, Bytes, Fields
from duelist.clicks.list_text import INNER
from duelist.clicks.row_text import DOCUMENTS, NAMES, OWN, UNUSUAL
from duelist.core.compile import kernel
from duelist.core.hashes import Hashes, text_hashes
from duelist.core.memory import Ints


@kernel
def keep_own(row: Fields, own: Ints) -> None:
    """Where the values of further columns begin and end."""
    for place in range(own.shape[0]):
        own[place, 0], own[place, 1] = row.begins[OWN + place], row.ends[OWN + place]


@cache
def _keys(names: tuple[str, ...]) -> Hashes:
    return text_hashes(names)


def _fields(names: Sequence[str]) -> Fields:
    return Fields(_keys(tuple(names)), np.zeros(len(names), np.int64), np.zeros(len(names), np.int64))


class LineRows(FoundRows):
    """Lines of a block of a text that ends in a newline.

    Compiled code is given the `text`, which it may change, or None where it is not UTF-8; and as `parts` the fields of
    a row and of an object in it, room for hashes of documents, and where it writes what it found.
    """

    def __init__(self, block: bytes, columns: Sequence[str]) -> None:
        size = block.count(b"\n")
        super().__init__(size, len(block))
        self.block, self.own = block, np.zeros((size, len(columns), 2), np.int64)
        room = (_fields([*NAMES, *UNUSUAL, *columns]), _fields(INNER), np.zeros(DOCUMENTS, np.uint64))
        self.parts: Any = (*room, self.hashes, self.rows, self.times, self.own, self.credits, self.acts)
        self.text: Bytes | None = None
        if b"\0" not in block and _is_utf8(block):
            self.text = np.frombuffer(bytearray(block) + bytes(8), np.uint8)
        else:
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == NEWLINE)
            self.rows[:, FIRST], self.rows[:, LAST] = np.concatenate([[0], ends[:-1] + 1]), ends

    def line(self, row: int) -> str:
        """The text of a line; bytes that are not UTF-8 become lone surrogates."""
        first, last = self.rows[row, FIRST : LAST + 1].tolist()
        return self.block[first:last].decode(errors="surrogateescape").rstrip("\r")

    def own_text(self, place: int, column: int) -> bytes | None:
        """What was written for a further column that was asked for; None where a row has it not."""
        first, last = self.own[place, column].tolist()
        return self.text[first:last].tobytes() if last and self.text is not None else None


def _is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False
