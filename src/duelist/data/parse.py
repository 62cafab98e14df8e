"""LETOR text to arrays: a compiled parser, and a slow one that explains what is wrong with a line.

A line is `label qid:id number:value number:value ... # comment`. The compiled parser only says
which line is bad; `explain` reads that line again and gives the reason.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from duelist.core.compile import compiled, kernel
from duelist.core.memory import Floats, Ints
from duelist.data.dataset import MOST_LABEL

MOST_FEATURES = 100_000  # a larger feature number is taken for damage: the features are stored densely
NEWLINE, HASH, PLUS, MINUS, POINT, COLON = (ord(sign) for sign in "\n#+-.:")
ZERO, NINE = ord("0"), ord("9")
POWERS = np.array([float(f"1e{power}") for power in range(23)])  # the powers of ten that are exact
EXACT = 2**53  # whole numbers up to here are exact
ROOM = 10**17  # a number below can take one more digit
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

Bytes = Any  # an array of uint8 that ends with a newline, so that no loop needs to look for the end


@kernel
def digit(byte: int) -> int:
    return int(byte) - ZERO


@kernel
def is_blank(byte: int) -> bool:
    return byte == 32 or (9 <= byte <= 13 and byte != NEWLINE)


@kernel
def is_end(byte: int) -> bool:
    """Whether a word ends before this byte."""
    return is_blank(byte) or byte in (NEWLINE, HASH)


@kernel
def skip_blanks(text: Bytes, at: int) -> int:
    while is_blank(text[at]):
        at += 1
    return at


@kernel
def parse_whole(text: Bytes, at: int, most: int) -> tuple[int, int]:
    """A whole number from 0 to `most` and where it ends; -1 if it is none."""
    value, start = 0, at
    while ZERO <= text[at] <= NINE:
        value = min(value * 10 + digit(text[at]), most + 1)
        at += 1
    return (value if at > start and value <= most else -1), at


@kernel
def parse_exponent(text: Bytes, at: int) -> tuple[int, int]:
    """The exponent that starts at e or E and where it ends, 0 without one; the end is -1 if it is damaged."""
    if text[at] != ord("e") and text[at] != ord("E"):
        return 0, at
    at += 1
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    start, value = at, 0
    while ZERO <= text[at] <= NINE:
        value = min(value * 10 + digit(text[at]), 9999)
        at += 1
    return (-value if negative else value), (at if at > start else -1)


@kernel
def parse_number(text: Bytes, at: int) -> tuple[float, int]:
    """A decimal number and where it ends, -1 if it is none.

    NaN stands for a number that takes more than one rounding here; Python has to read it.
    """
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    mantissa, digits, decimals, point, fits = 0, 0, 0, 0, True
    while True:
        byte = text[at]
        if ZERO <= byte <= NINE:
            fits = fits and mantissa < ROOM
            if fits:
                mantissa = mantissa * 10 + digit(byte)
            digits += 1
            decimals += point
        elif byte == POINT and point == 0:
            point = 1
        else:
            break
        at += 1
    exponent, at = parse_exponent(text, at)
    power = exponent - decimals
    if digits == 0:
        return 0.0, -1
    if not fits or mantissa > EXACT or abs(power) > 22:
        return math.nan, at
    value = mantissa * POWERS[power] if power >= 0 else mantissa / POWERS[-power]
    return (-value if negative else value), at


@kernel
def parse_query(text: Bytes, at: int) -> tuple[int, int]:
    """Where the id behind `qid:` starts and stops; stop = start if there is none."""
    at = skip_blanks(text, at)
    for i in range(4):
        if text[at + i] != b"qid:"[i]:
            return at, at
    start = stop = at + 4
    while not is_end(text[stop]):
        stop += 1
    return start, stop


@kernel
def parse_features(
    text: Bytes, at: int, cell: int, most: int, numbers: Ints, values: Floats, ends: Ints
) -> tuple[int, int]:
    """Write the features of a line to cells from `cell`; the next cell and the end of the line, -1 if it is bad."""
    last = 0
    while True:
        at = skip_blanks(text, at)
        if text[at] == NEWLINE or text[at] == HASH:
            return cell, at
        number, at = parse_whole(text, at, most)
        if number <= last or text[at] != COLON:
            return cell, -1
        value, stop = parse_number(text, at + 1)
        if stop < 0 or not is_end(text[stop]):
            return cell, -1
        numbers[cell], values[cell], ends[cell] = number, value, stop
        last, at = number, stop
        cell += 1


@compiled
def parse(
    text: Bytes, most: int, labels: Ints, places: Ints, numbers: Ints, values: Floats, ends: Ints
) -> tuple[int, int, int]:
    """Parse the lines of `text`: the number of documents, of cells, and the bad line from 1 (0 if all are good).

    A document has in `places` the start and stop of its query's id, its line and its first cell.
    A cell is a feature's number, its value and where the value ends in the text.
    """
    at = document = cell = line = 0
    while at < text.size:
        line += 1
        at = skip_blanks(text, at)
        if text[at] != NEWLINE and text[at] != HASH:
            label, at = parse_whole(text, at, MOST_LABEL)
            if label < 0 or not is_blank(text[at]):
                return document, cell, line
            start, stop = parse_query(text, at)
            if stop == start:
                return document, cell, line
            labels[document] = label
            places[document, 0], places[document, 1] = start, stop
            places[document, 2], places[document, 3] = line, cell
            cell, at = parse_features(text, stop, cell, most, numbers, values, ends)
            if at < 0:
                return document, cell, line
            document += 1
        while text[at] != NEWLINE:
            at += 1
        at += 1
    return document, cell, 0


@compiled
def fill(places: Ints, numbers: Ints, values: Floats, features: Floats) -> None:
    """Put the cells of every document in its row of `features`."""
    for document in range(places.shape[0]):
        stop = places[document + 1, 3] if document + 1 < places.shape[0] else numbers.size
        for cell in range(places[document, 3], stop):
            features[document, numbers[cell] - 1] = values[cell]


@compiled
def first_documents(text: Bytes, places: Ints, firsts: Ints) -> int:
    """Write to `firsts` the documents whose query differs from the document before; how many there are."""
    count = 0
    for document in range(places.shape[0]):
        start, stop = places[document, 0], places[document, 1]
        same = document > 0 and places[document - 1, 1] - places[document - 1, 0] == stop - start
        for i in range(stop - start if same else 0):
            same = same and text[start + i] == text[places[document - 1, 0] + i]
        if not same:
            firsts[count] = document
            count += 1
    return count


def explain(line: bytes, most: int = MOST_FEATURES) -> str:
    """Why a line is bad, or "" if it is good.

    >>> explain(b"2 qid:7 1:0.5 1:0.25")
    'feature numbers must grow, but 1 comes after 1'
    """
    words = line.split(b"#")[0].split()
    if not words:
        return ""
    if not words[0].isdigit() or int(words[0]) > MOST_LABEL:
        return f"the label must be a whole number from 0 to {MOST_LABEL}, not {_text(words[0])!r}"
    if len(words) < 2 or not words[1].startswith(b"qid:") or words[1] == b"qid:":
        return f"qid:<id> must follow the label, not {_text(b''.join(words[1:2]))!r}"
    last = 0
    for word in words[2:]:
        number, colon, value = word.partition(b":")
        if not colon or not number.isdigit():
            return f"a feature must be number:value, not {_text(word)!r}"
        if not 1 <= int(number) <= most:
            return f"a feature number must be from 1 to {most}, not {int(number)}"
        if int(number) <= last:
            return f"feature numbers must grow, but {int(number)} comes after {last}"
        if not NUMBER.fullmatch(value) or not math.isfinite(float(value)):
            return f"the value of feature {int(number)} must be a finite number, not {_text(value)!r}"
        last = int(number)
    return ""


def _text(word: bytes) -> str:
    return word[:40].decode(errors="backslashreplace") + "..." * (len(word) > 40)
