"""The text of JSON as bytes: where values end and what plain numbers are, as kernels.

A place of -1 says that what is there is not plain: an escape, an exponent, or no JSON at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from duelist.core.compile import kernel, subroutine
from duelist.core.hashes import Hashes, hash_bytes
from duelist.core.memory import Ints

Bytes = npt.NDArray[np.uint8]

NEWLINE, TAB, RETURN, BLANK = 10, 9, 13, 32
QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT, ZERO = 34, 92, 44, 58, 45, 46, 48
OPEN, CLOSE, BEGIN, END = 91, 93, 123, 125  # of a list and of an object
NULL = 110  # its first letter
DEEPEST = 60  # levels of lists and objects inside each other
EXACT = 15  # digits of a number that is one division away
POWERS = 10.0 ** np.arange(23)
TENS = 10 ** np.arange(19, dtype=np.int64)


@kernel
def skip(text: Bytes, at: int) -> int:
    """The next byte that is no blank."""
    while text[at] == BLANK or text[at] == TAB or text[at] == RETURN:
        at += 1
    return at


@kernel
def end_of_text(text: Bytes, at: int) -> int:
    """Where a text without escapes ends that begins behind its quote; -1 if there is no such text."""
    while text[at] != QUOTE:
        if text[at] == BACKSLASH or text[at] < BLANK:
            return -1
        at += 1
    return at


@kernel
def is_solid(text: Bytes, begin: int, end: int) -> bool:
    """Whether a text surely is not blank: it has a sign of ASCII, or of a script without blanks of its own."""
    for at in range(begin, end):
        if BLANK < text[at] < 127 or 0xC3 <= text[at] <= 0xDF or text[at] >= 0xE4:
            return True
    return False


@kernel
def end_of_digits(text: Bytes, at: int) -> int:
    while ZERO <= text[at] <= ZERO + 9:
        at += 1
    return at


@kernel
def end_of_number(text: Bytes, at: int) -> int:
    """Where a plain number ends, or -1; one with an exponent is not plain."""
    if text[at] == MINUS:
        at += 1
    end = end_of_digits(text, at)
    if end == at or (text[at] == ZERO and end > at + 1):
        return -1
    if text[end] == DOT:
        begin = end + 1
        end = end_of_digits(text, begin)
        if end == begin:
            return -1
    return -1 if text[end] == 101 or text[end] == 69 else end


@kernel
def whole_number(text: Bytes, begin: int, end: int) -> int:
    found = 0
    for at in range(begin, end):
        found = 10 * found + (int(text[at]) - ZERO)
    return found


@kernel
def number_of(text: Bytes, begin: int, end: int) -> float:
    """A plain number of at least 0, rounded as it should be; -1 if that cannot be told."""
    dot = begin
    while dot < end and text[dot] != DOT:
        dot += 1
    places = max(0, end - dot - 1)
    if text[begin] == MINUS or dot - begin > 18 or places > 18:
        return -1.0
    whole, rest = whole_number(text, begin, dot), whole_number(text, dot + 1, end)
    if dot - begin + places <= EXACT:
        return float((whole * TENS[places] + rest) / POWERS[places])
    if places == 0:
        return float(whole)
    if whole >= 1 << 53 or whole + rest == 0:
        return -1.0
    # Exactly: binary places by long division until there are 53, and the rest decides how to round.
    binary = 0
    while whole < 1 << 52:
        over = 2 * rest >= TENS[places]
        whole, rest, binary = 2 * whole + over, 2 * rest - over * TENS[places], binary + 1
    if 2 * rest > TENS[places] or (2 * rest == TENS[places] and whole & 1):
        whole += 1
    return float(whole / 2.0**binary)


@kernel
def end_of_word(text: Bytes, at: int) -> int:
    """Where null, true or false end; -1 for anything else."""
    if text[at] == 110 and text[at + 1] == 117 and text[at + 2] == 108 and text[at + 3] == 108:
        return at + 4
    if text[at] == 116 and text[at + 1] == 114 and text[at + 2] == 117 and text[at + 3] == 101:
        return at + 4
    if text[at] == 102 and text[at + 1] == 97 and text[at + 2] == 108 and text[at + 3] == 115 and text[at + 4] == 101:
        return at + 5
    return -1


@kernel
def end_of_scalar(text: Bytes, at: int) -> int:
    """Where a text, number or word ends; -1 if it is none."""
    if text[at] == QUOTE:
        end = end_of_text(text, at + 1)
        return end + 1 if end >= 0 else -1
    if text[at] == MINUS or ZERO <= text[at] <= ZERO + 9:
        return end_of_number(text, at)
    return end_of_word(text, at)


@kernel
def behind_name(text: Bytes, end: int) -> int:
    """Where the value of a field begins whose name ends here; -1 if there is none."""
    at = skip(text, end + 1)
    return skip(text, at + 1) if text[at] == COLON else -1


@subroutine
def end_of_value(text: Bytes, at: int) -> int:
    """Where a value ends, however nested; -1 if it is not plain."""
    depth = objects = 0  # a bit a level: whether it is an object
    while True:
        if text[at] == OPEN or text[at] == BEGIN:
            if depth == DEEPEST:
                return -1
            depth, objects = depth + 1, 2 * objects + (text[at] == BEGIN)
            at = skip(text, at + 1)
            begins = text[at] != (END if objects & 1 else CLOSE)
        else:
            at = end_of_scalar(text, at)
            if at < 0 or depth == 0:
                return at
            begins = False
        while not begins:
            at = skip(text, at)
            if text[at] == (END if objects & 1 else CLOSE):
                at, depth, objects = at + 1, depth - 1, objects >> 1
                if depth == 0:
                    return at
            elif text[at] == COMMA:
                at, begins = skip(text, at + 1), True
            else:
                return -1
        if objects & 1:
            end = end_of_text(text, at + 1) if text[at] == QUOTE else -1
            at = behind_name(text, end) if end >= 0 else -1
            if at < 0:
                return -1


class Fields(NamedTuple):
    """Names to look for in an object, and where their values begin and end; 0 and 0: it has none."""

    keys: Hashes
    begins: Ints
    ends: Ints


@kernel
def place_of_key(keys: Hashes, name: np.uint64) -> int:
    """The number of a name; -1 for one that nobody asks for."""
    for place in range(keys.size):
        if keys[place] == name:
            return place
    return -1


@subroutine
def find_fields(text: Bytes, at: int, fields: Fields) -> int:
    """Find the values of an object that begins here; where it ends, -1 if it is not plain or says one of them twice."""
    fields.begins[:] = 0
    fields.ends[:] = 0
    at = skip(text, at + 1)
    while text[at] == QUOTE:
        end = end_of_text(text, at + 1)
        if end < 0:
            return -1
        place = place_of_key(fields.keys, hash_bytes(text, at + 1, end))
        at = behind_name(text, end)
        end = end_of_value(text, at) if at >= 0 else -1
        if end < 0 or (place >= 0 and fields.ends[place]):
            return -1
        if place >= 0:
            fields.begins[place], fields.ends[place] = at, end
        at = skip(text, end)
        if text[at] == END:
            return at + 1
        if text[at] != COMMA:
            return -1
        at = skip(text, at + 1)
    return -1


@kernel
def has_value(text: Bytes, fields: Fields, place: int) -> bool:
    """Whether a field is there and not null."""
    return bool(fields.ends[place] and text[fields.begins[place]] != NULL)
