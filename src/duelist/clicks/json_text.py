"""The text of JSON as bytes: where values end and what plain numbers are, as kernels.

A place of -1 says that what is there is not plain: an escape, an exponent, something nested, or no JSON at all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from duelist.clicks.records import LATEST, MILLISECONDS
from duelist.core.compile import kernel

Bytes = npt.NDArray[np.uint8]

NEWLINE, TAB, RETURN, BLANK = 10, 9, 13, 32
QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT, ZERO = 34, 92, 44, 58, 45, 46, 48
OPEN, CLOSE, BEGIN, END = 91, 93, 123, 125  # of a list and of an object
NULL = 110  # its first letter
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
    if text[begin] == MINUS or dot - begin > 18:
        return -1.0
    whole = whole_number(text, begin, dot)
    if dot - begin + places <= EXACT:
        return float((whole * TENS[places] + whole_number(text, dot + 1, end)) / POWERS[places])
    if places == 0:
        return float(whole)
    if places > 12 or whole < 1 << 20 or whole >= 1 << 53:
        return -1.0
    # Exactly: as many binary places as there is room for, and the rest decides how to round.
    binary = 0
    while whole >> (53 - binary) == 0:
        binary += 1
    binary -= 1
    rest = whole_number(text, dot + 1, end)
    if rest >> (62 - binary):
        return -1.0
    scaled = rest << binary
    part, over = scaled // TENS[places], scaled % TENS[places]
    found = (whole << binary) + part
    if 2 * over > TENS[places] or (2 * over == TENS[places] and found & 1):
        found += 1
    return float(found / 2.0**binary)


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
def end_of_value(text: Bytes, at: int) -> int:
    """Where a scalar, or a list of such, ends; -1 if it is neither."""
    if text[at] != OPEN:
        return end_of_scalar(text, at)
    at = skip(text, at + 1)
    if text[at] == CLOSE:
        return at + 1
    while True:
        at = end_of_scalar(text, at)
        if at < 0:
            return -1
        at = skip(text, at)
        if text[at] == CLOSE:
            return at + 1
        if text[at] != COMMA:
            return -1
        at = skip(text, at + 1)


@kernel
def moment_of(text: Bytes, begin: int, end: int) -> float:
    """A time in seconds, from seconds or milliseconds; -1 if it is no plain number or no time."""
    if not ZERO <= text[begin] <= ZERO + 9:
        return -1.0
    found = number_of(text, begin, end)
    found = found / 1000 if found >= MILLISECONDS else found
    return found if found < LATEST else -1.0
