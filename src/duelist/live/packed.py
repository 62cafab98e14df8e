"""Bodies of events as bytes: where values of msgpack end and what numbers are, as kernels.

A place of -1 says that what is there is not what was looked for, or breaks off.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from duelist.core.compile import compiled, kernel, routine
from duelist.core.hashes import Hashes, hash_bytes, mixed
from duelist.core.memory import Ints

Bytes = npt.NDArray[np.uint8]

LISTED, CLICKED = 0x98, 0x96  # how the body of a list begins, and that of a click
SHOWN = (7, 8)  # how many parts the list in a body has: one less before lists had tops
FLOAT, NIL = 0xCB, 0xC0
PADDING = 16  # bytes behind the last body that may be looked at
OF, POSITION, VALUE, NAME, NAME_END = range(5)  # of a click: the list, the place, and where the others are


@kernel
def big_endian(text: Bytes, at: int, size: int) -> int:
    found = 0
    for place in range(at, at + size):
        found = (found << 8) | int(text[place])
    return found


@kernel
def whole_in(text: Bytes, at: int) -> int:
    """A whole number from 0 that is here; -1 if there is none."""
    tag = int(text[at])
    if tag < 0x80:
        return tag
    return big_endian(text, at + 1, 1 << (tag - 0xCC)) if 0xCC <= tag <= 0xCF else -1


@kernel
def width_of(tag: int) -> int:
    """How many bytes behind its first one a number has, or the length of something longer; 0 for what has neither."""
    if tag in (0xC4, 0xCC, 0xD0, 0xD9):
        return 1
    if tag in (0xC5, 0xCD, 0xD1, 0xDA, 0xDC, 0xDE):
        return 2
    if tag in (0xC6, 0xCA, 0xCE, 0xD2, 0xDB, 0xDD, 0xDF):
        return 4
    return 8 if tag in (FLOAT, 0xCF, 0xD3) else 0


@kernel
def items_in(text: Bytes, at: int) -> int:
    """How many items the list has that begins here; -1 if none does."""
    tag = int(text[at])
    if 0x90 <= tag <= 0x9F:
        return tag - 0x90
    return big_endian(text, at + 1, width_of(tag)) if tag in (0xDC, 0xDD) else -1


@routine
def end_of_packed(text: Bytes, at: int, end: int) -> int:
    """Where a value ends, lists and all; -1 if it does not end here."""
    left = 1
    while left > 0:
        if at < 0 or at >= end:
            return -1
        tag = int(text[at])
        width = width_of(tag)
        size = big_endian(text, at + 1, width) if width else 0
        left -= 1
        at += 1 + width
        if 0x80 <= tag <= 0x8F:
            left += 2 * (tag - 0x80)
        elif 0x90 <= tag <= 0x9F:
            left += tag - 0x90
        elif 0xA0 <= tag <= 0xBF:
            at += tag - 0xA0
        elif tag in (0xC4, 0xC5, 0xC6, 0xD9, 0xDA, 0xDB):
            at += size
        elif tag in (0xDC, 0xDD):
            left += size
        elif tag in (0xDE, 0xDF):
            left += 2 * size
        elif tag == 0xC1 or 0xC7 <= tag <= 0xC9 or 0xD4 <= tag <= 0xD8:
            return -1
    return at if at <= end else -1


@kernel
def begin_of_text(text: Bytes, at: int) -> int:
    """Where the bytes of a text begin; -1 if there is none."""
    tag = int(text[at])
    if 0xA0 <= tag <= 0xBF:
        return at + 1
    return at + 1 + width_of(tag) if tag in (0xD9, 0xDA, 0xDB) else -1


@routine
def read_list(text: Bytes, at: int, end: int, found: Hashes) -> tuple[int, int]:
    """The page of a list and its documents; hashes of how it was made and of its query are found. -1: unusual."""
    if text[at] != LISTED:
        return -1, -1
    at = end_of_packed(text, at + 1, end)
    page = whole_in(text, at) if at >= 0 else -1
    arms = end_of_packed(text, end_of_packed(text, at, end), end)
    shown = end_of_packed(text, arms, end)
    parts = int(text[shown]) - 0x90 if shown >= 0 else -1
    if parts not in SHOWN:
        return -1, -1
    size = items_in(text, shown + 1)
    begin = end_of_packed(text, shown + 1, end)
    last = end_of_packed(text, end_of_packed(text, end_of_packed(text, begin, end), end), end)  # behind its teams
    at = last
    for _ in range(parts - 3):  # ranks, weights, choices and tops of the list; the duel
        at = end_of_packed(text, at, end)
    query = begin_of_text(text, at) if at >= 0 else -1
    at = end_of_packed(text, at, end)
    if size < 0 or query < 0 or end_of_packed(text, at, end) != end:
        return -1, -1
    found[0] = mixed(hash_bytes(text, arms, shown), hash_bytes(text, begin, last))
    found[1] = hash_bytes(text, query, at)
    return page, size


@compiled
def read_lists(text: Bytes, ends: Ints, pages: Ints, sizes: Ints, hashes: Hashes) -> None:
    """Read bodies of lists that follow each other."""
    begin = 0
    for row in range(ends.size):
        pages[row], sizes[row] = read_list(text, begin, ends[row], hashes[row])
        begin = ends[row]


@routine
def read_click(text: Bytes, at: int, end: int, found: Ints) -> bool:
    """Numbers of a click, and where its value and its name are; whether it is usual."""
    if text[at] != CLICKED:
        return False
    found[OF] = whole_in(text, at + 1)
    at = end_of_packed(text, at + 1, end)
    found[POSITION] = whole_in(text, at) if at >= 0 else -1
    at = end_of_packed(text, end_of_packed(text, at, end), end)
    found[NAME] = begin_of_text(text, at) if at >= 0 else -1
    found[NAME_END] = end_of_packed(text, at, end)
    found[VALUE] = found[NAME_END] + 1
    at = end_of_packed(text, found[NAME_END], end)
    if at < 0 or min(found[OF], found[POSITION], found[NAME]) < 0 or text[found[VALUE] - 1] != FLOAT:
        return False
    return bool(end_of_packed(text, at, end) == end)


@compiled
def read_clicks(text: Bytes, ends: Ints, found: Ints, names: Hashes, usual: npt.NDArray[np.bool_]) -> None:
    """Read bodies of clicks that follow each other."""
    begin = 0
    for row in range(ends.size):
        usual[row] = read_click(text, begin, ends[row], found[row])
        if usual[row]:
            names[row] = hash_bytes(text, found[row, NAME], found[row, NAME_END])
        begin = ends[row]
