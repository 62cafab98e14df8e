"""Lists of JSON in a row as bytes, as kernels: documents, clicks and actions, each a name, a number or an object.

-1 says that one is unusual: it may be blank, has no place, comes twice, or says something twice.
"""

from __future__ import annotations

import numpy as np

from duelist.clicks.cell_text import amount_at, click_at, is_word, position_of
from duelist.clicks.found_rows import Acts, place_among
from duelist.clicks.json_text import (
    BEGIN,
    CLOSE,
    COMMA,
    QUOTE,
    Bytes,
    Fields,
    end_of_digits,
    end_of_scalar,
    find_fields,
    has_value,
    is_solid,
    skip,
)
from duelist.clicks.records import CLICK
from duelist.clicks.rows import DOCUMENT, RANKER
from duelist.clicks.time_text import moment_in
from duelist.core.compile import kernel, subroutine
from duelist.core.hashes import BASIS, EMPTY, Hashes, hash_bytes, mixed
from duelist.core.memory import Floats

LONGEST_NUMBER = 18  # digits of a name that is a number

# The fields of a document, a click or an action that is an object; the last is the name of an action that is none.
INNER = (*DOCUMENT, *RANKER, "name", "position", "value", "time", CLICK)
LABELS, NAME = len(DOCUMENT), len(DOCUMENT) + len(RANKER)
POSITION, VALUE, MOMENT, OF_CLICK = range(NAME + 1, len(INNER))
DONE_WITH, OR_WITH = DOCUMENT.index("document"), DOCUMENT.index("object_id")


@kernel
def name_hash(text: Bytes, begin: int, end: int) -> np.uint64:
    """The hash of a text of JSON that surely is not blank, or of a whole number as it is written; EMPTY for others."""
    if text[begin] == QUOTE:
        return hash_bytes(text, begin + 1, end - 1) if is_solid(text, begin + 1, end - 1) else EMPTY
    whole = begin < end <= begin + LONGEST_NUMBER and end_of_digits(text, begin) == end
    return hash_bytes(text, begin, end) if whole else EMPTY


@kernel
def only_one(text: Bytes, fields: Fields, first: int, last: int) -> int:
    """Which of some fields has a value; -1 if none has, -2 if several have."""
    found = -1
    for place in range(first, last):
        if has_value(text, fields, place):
            found = place if found == -1 else -2
    return found


@kernel
def behind_item(text: Bytes, end: int) -> int:
    """Where the next item of a list begins, or the list ends."""
    at = skip(text, end)
    return skip(text, at + 1) if text[at] == COMMA else at


@kernel
def documents_of(text: Bytes, at: int, found: Hashes, inner: Fields) -> tuple[int, np.uint64]:
    """Write the hashes of a list of documents; how many there are and a hash of their labels, -1 if one is unusual."""
    size, labels = 0, BASIS
    at = skip(text, at + 1)
    while text[at] != CLOSE:
        label, begin, end = EMPTY, at, 0
        if text[at] == BEGIN:
            last = find_fields(text, at, inner)
            document, ranker = only_one(text, inner, 0, LABELS), only_one(text, inner, LABELS, NAME)
            if last < 0 or document < 0 or ranker == -2:
                return -1, labels
            begin, end = inner.begins[document], inner.ends[document]
            if ranker >= 0:
                label = hash_bytes(text, inner.begins[ranker], inner.ends[ranker])
        else:
            last = end = end_of_scalar(text, at)
        name = name_hash(text, begin, end)
        if name == EMPTY or size == found.size or place_among(found, 0, size, name) >= 0:
            return -1, labels
        found[size], size, labels = name, size + 1, mixed(labels, label)
        at = behind_item(text, last)
    return size, labels


@kernel
def slot_of(text: Bytes, inner: Fields, documents: Hashes, size: int) -> int:
    """The slot of the document or at the position that an object says; -1 if it says none, or both."""
    one, other = has_value(text, inner, DONE_WITH), has_value(text, inner, OR_WITH)
    if one and other:
        return -1
    if one or other:
        field = DONE_WITH if one else OR_WITH
        return place_among(documents, 0, size, name_hash(text, inner.begins[field], inner.ends[field]))
    return position_of(text, inner.begins[POSITION], inner.ends[POSITION])


@kernel
def slot_at(text: Bytes, at: int, end: int, documents: Hashes, size: int, named: bool, typed: bool) -> int:
    """The slot that an item of a list says: a position, or the name of a document; -1 if there is none."""
    if text[at] != QUOTE and not named:
        return position_of(text, at, end)
    if not named and not typed and not is_word(text, at + 1, end - 1):
        return -1
    return place_among(documents, 0, size, name_hash(text, at, end))


@subroutine
def clicks_of(
    text: Bytes,
    at: int,
    inner: Fields,
    documents: Hashes,
    size: int,
    acts: Acts,
    first: int,
    end: int,
    named: bool,
    typed: bool,
) -> int:
    """Write the clicks of a list behind those of their row; where they end, -1 if one is unusual."""
    at = skip(text, at + 1)
    while text[at] != CLOSE:
        acts.moments[end] = np.nan
        if text[at] == BEGIN:
            last = find_fields(text, at, inner)
            slot = slot_of(text, inner, documents, size) if last >= 0 and not inner.ends[NAME] else -1
            if inner.ends[MOMENT]:
                acts.moments[end] = moment_in(text, inner.begins[MOMENT], inner.ends[MOMENT])
        else:
            last = end_of_scalar(text, at)
            slot = slot_at(text, at, last, documents, size, named, typed)
        if acts.moments[end] < 0 or not click_at(acts, first, end, slot, size):
            return -1
        end += 1
        at = behind_item(text, last)
    return end


@kernel
def amount_of(text: Bytes, begin: int, end: int) -> float:
    """A plain number, also as text; NaN for anything else."""
    quoted = text[begin] == QUOTE
    return amount_at(text, begin + quoted, end - quoted)


@kernel
def credits_of(text: Bytes, at: int, found: Floats) -> int:
    """Write a list of numbers; how many there are, -1 if one is unusual."""
    size = 0
    at = skip(text, at + 1)
    while text[at] != CLOSE:
        last = end_of_scalar(text, at)
        if last < 0 or size == found.size:
            return -1
        found[size] = amount_of(text, at, last)
        if np.isnan(found[size]):
            return -1
        size += 1
        at = behind_item(text, last)
    return size


@kernel
def actions_of(text: Bytes, at: int, inner: Fields, documents: Hashes, size: int, acts: Acts, end: int) -> int:
    """Write the actions of a list from `end` on; where they end, -1 if one is unusual, or a click."""
    at = skip(text, at + 1)
    while text[at] != CLOSE:
        last = find_fields(text, at, inner) if text[at] == BEGIN else -1
        if last < 0 or not inner.ends[NAME]:
            return -1
        name, slot = name_hash(text, inner.begins[NAME], inner.ends[NAME]), slot_of(text, inner, documents, size)
        if name == EMPTY or name == inner.keys[OF_CLICK] or not 0 <= slot < size:
            return -1
        value, moment = np.nan, np.nan
        if has_value(text, inner, VALUE):
            value = amount_of(text, inner.begins[VALUE], inner.ends[VALUE])
            if np.isnan(value):
                return -1
        if has_value(text, inner, MOMENT):
            moment = moment_in(text, inner.begins[MOMENT], inner.ends[MOMENT])
        if moment < 0:
            return -1
        acts.slots[end], acts.names[end], acts.values[end], acts.moments[end] = slot, name, value, moment
        end += 1
        at = behind_item(text, last)
    return end


@kernel
def moments_of(text: Bytes, at: int, moments: Floats, begin: int, end: int) -> bool:
    """Write the times of a list from `begin` to `end`; whether there is one for each, or none at all."""
    at = skip(text, at + 1)
    if text[at] == CLOSE:
        return True
    for place in range(begin, end):
        last = end_of_scalar(text, at)
        moments[place] = moment_in(text, at, last) if last >= 0 else -1.0
        if moments[place] < 0:
            return False
        at = behind_item(text, last)
    return bool(text[at] == CLOSE)
