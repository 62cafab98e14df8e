"""Lists in cells of a table as bytes, items with blanks between, as kernels; and what lists of any form have in common.

-1 says that one is not plain, or has something without a place or twice.
"""

from __future__ import annotations

import numpy as np

from duelist.clicks.found_rows import Acts, place_among
from duelist.clicks.json_text import (
    BLANK,
    MINUS,
    OPEN,
    TAB,
    ZERO,
    Bytes,
    end_of_digits,
    end_of_number,
    number_of,
    skip,
    whole_number,
)
from duelist.clicks.time_text import moment_of
from duelist.core.compile import kernel
from duelist.core.hashes import EMPTY, Hashes, hash_bytes
from duelist.core.memory import Floats


@kernel
def position_of(text: Bytes, begin: int, end: int) -> int:
    """A position as it is written; -1 if it is no plain one."""
    return whole_number(text, begin, end) if begin < end < begin + 9 and end_of_digits(text, begin) == end else -1


@kernel
def amount_at(text: Bytes, begin: int, end: int) -> float:
    """A plain number; NaN for anything else."""
    below = text[begin] == MINUS
    found = number_of(text, begin + below, end) if end_of_number(text, begin) == end else -1.0
    if found < 0 or (below and found == 0):  # which 0 it is depends on how it is written
        return np.nan
    return -found if below else found


@kernel
def is_word(text: Bytes, begin: int, end: int) -> bool:
    """Whether a text surely is no whole number."""
    for at in range(begin, end):
        if BLANK < text[at] < 127 and not ZERO <= text[at] <= ZERO + 9 and not (text[at] == MINUS and at == begin):
            return True
    return False


@kernel
def click_at(acts: Acts, first: int, end: int, slot: int, size: int) -> bool:
    """Write a click; whether it has a place, and is the only one there."""
    if not 0 <= slot < size or place_among(acts.slots, first, end, slot) >= 0:
        return False
    acts.slots[end], acts.names[end], acts.values[end] = slot, EMPTY, 1.0
    return True


@kernel
def end_of_item(text: Bytes, at: int, end: int) -> int:
    """Where an item of a cell ends; -1 if it may hold a blank of another script."""
    while at < end and text[at] != BLANK and text[at] != TAB:
        if text[at] > 127:
            return -1
        at += 1
    return at


@kernel
def blanks(text: Bytes, at: int, end: int) -> int:
    """The next byte of a cell that is no blank, or its end."""
    return min(end, skip(text, at))


@kernel
def documents_in(text: Bytes, at: int, end: int, found: Hashes) -> int:
    """Write the hashes of a cell's documents; how many there are, -1 if it is not plain or one comes twice."""
    size = 0
    at = blanks(text, at, end)
    if at < end and text[at] == OPEN:
        return -1
    while at < end:
        last = end_of_item(text, at, end)
        if last < 0 or size == found.size:
            return -1
        found[size] = hash_bytes(text, at, last)
        if place_among(found, 0, size, found[size]) >= 0:
            return -1
        size += 1
        at = blanks(text, last, end)
    return size


@kernel
def clicks_in(
    text: Bytes, at: int, cell_end: int, documents: Hashes, size: int, acts: Acts, first: int, end: int, named: bool
) -> int:
    """Write the clicks of a cell behind those of their row; where they end, -1 if one is unusual."""
    at = blanks(text, at, cell_end)
    if at < cell_end and text[at] == OPEN:
        return -1
    while at < cell_end:
        last = end_of_item(text, at, cell_end)
        if last < 0:
            return -1
        if named or is_word(text, at, last):
            slot = place_among(documents, 0, size, hash_bytes(text, at, last))
        else:
            slot = position_of(text, at, last)
        acts.moments[end] = np.nan
        if not click_at(acts, first, end, slot, size):
            return -1
        end += 1
        at = blanks(text, last, cell_end)
    return end


@kernel
def moments_in(text: Bytes, at: int, cell_end: int, moments: Floats, begin: int, end: int) -> bool:
    """Write the times of a cell from `begin` to `end`; whether there is one for each, or none at all."""
    at = blanks(text, at, cell_end)
    if at == cell_end:
        return True
    for place in range(begin, end):
        last = end_of_item(text, at, cell_end)
        moments[place] = moment_of(text, at, last) if last > at else -1.0
        if moments[place] < 0:
            return False
        at = blanks(text, last, cell_end)
    return bool(at == cell_end)


@kernel
def credits_in(text: Bytes, at: int, end: int, found: Floats) -> int:
    """Write the numbers of a cell; how many there are, -1 if one is unusual."""
    size = 0
    at = blanks(text, at, end)
    while at < end:
        last = end_of_item(text, at, end)
        if last < 0 or size == found.size:
            return -1
        found[size] = amount_at(text, at, last)
        if np.isnan(found[size]):
            return -1
        size += 1
        at = blanks(text, last, end)
    return size
