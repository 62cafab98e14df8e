"""A row of a text whose values were found, as kernels: what its lists say, and the hashes of its names.

A list is JSON or, in a table, items with blanks between. A row that is anything but usual (something without a
place, a click twice, names that may be blank) is left to those who read it the long way; so nothing here decides that
a row is bad.
"""

from __future__ import annotations

import numpy as np

from duelist.clicks.cell_text import clicks_in, credits_in, documents_in, moments_in
from duelist.clicks.found_rows import DOCS, IDS, KINDS, QUERIES, USERS, Acts, hash_of_all
from duelist.clicks.json_text import OPEN, ZERO, Bytes, Fields, is_solid
from duelist.clicks.list_text import actions_of, clicks_of, credits_of, documents_of, moments_of
from duelist.clicks.time_text import moment_of
from duelist.core.compile import kernel, subroutine
from duelist.core.hashes import BASIS, EMPTY, Hashes, hash_bytes, mixed
from duelist.core.memory import Floats, Ints

DOCUMENTS = 256  # of a usual row, at most

# The columns of a row; those from LOST on make it unusual.
NAMES = (
    *("id", "user", "query", "time", "shown", "rankers", "teams", "clicks", "click_times", "experiment"),
    *("clicked", "actions", "credit"),
)
UNUSUAL = ("lost", "ranker")
ID, USER, QUERY, TIME, SHOWN, RANKERS, TEAMS, CLICKS, CLICK_TIMES, EXPERIMENT, CLICKED, ACTIONS, CREDIT = range(
    len(NAMES)
)
LOST = len(NAMES)
OWN = LOST + len(UNUSUAL)  # columns from here on are asked for by whoever analyses


@kernel
def is_usual(text: Bytes, begins: Ints, ends: Ints) -> bool:
    """Whether the names of a row are no blanks, and what makes it unusual is not there."""
    for column in range(LOST, OWN):
        empty = ends[column] == begins[column]
        if not empty and not (column == LOST and ends[column] == begins[column] + 1 and text[begins[column]] == ZERO):
            return False
    for column in (ID, QUERY, EXPERIMENT, USER):
        empty = ends[column] == begins[column]
        if (empty and column == USER) or not (empty or is_solid(text, begins[column], ends[column])):
            return False
    return bool(ends[SHOWN])


@kernel
def done_in_row(
    text: Bytes, row: Fields, inner: Fields, documents: Hashes, size: int, acts: Acts, first: int, typed: bool
) -> int:
    """Write what a row says was done, from `first` on; where it ends, -1 if something is unusual."""
    begins, ends, end = row.begins, row.ends, first
    for column in (CLICKS, CLICKED):
        at, last, named = begins[column], ends[column], column == CLICKED
        if end >= 0 and last > at:
            if text[at] == OPEN:
                end = clicks_of(text, at, inner, documents, size, acts, first, end, named, typed)
            else:
                end = clicks_in(text, at, last, documents, size, acts, first, end, named)
    if end < 0:
        return -1
    known = 0
    for place in range(first, end):
        known += not np.isnan(acts.moments[place])
    at, last = begins[CLICK_TIMES], ends[CLICK_TIMES]
    if last > at:
        if text[at] == OPEN:
            good = moments_of(text, at, acts.moments, first, end)
        else:
            good = moments_in(text, at, last, acts.moments, first, end)
        if known or not good:
            return -1
    elif known < end - first:  # those of some are those of none
        acts.moments[first:end] = np.nan
    at = begins[ACTIONS]
    if ends[ACTIONS] == at:
        return end
    return actions_of(text, at, inner, documents, size, acts, end) if text[at] == OPEN else -1


@kernel
def credit_in_row(text: Bytes, begin: int, end: int, credits: Floats) -> bool:
    """Write the credit of a row if it says one; whether it is usual."""
    if end <= begin:
        return True
    number = credits_of(text, begin, credits) if text[begin] == OPEN else credits_in(text, begin, end, credits)
    return number > 0


@subroutine
def read_row(
    text: Bytes,
    row: Fields,
    inner: Fields,
    documents: Hashes,
    hashes: Hashes,
    credits: Floats,
    acts: Acts,
    first: int,
    typed: bool,
) -> tuple[int, int, float]:
    """Hashes of a row whose values were found: its documents, where its acts end and its time; -1 if it is unusual."""
    begins, ends = row.begins, row.ends
    if not is_usual(text, begins, ends):
        return -1, first, 0.0
    time = moment_of(text, begins[TIME], ends[TIME]) if ends[TIME] else 0.0
    if text[begins[SHOWN]] == OPEN:
        size, labels = documents_of(text, begins[SHOWN], documents, inner)
    else:
        size, labels = documents_in(text, begins[SHOWN], ends[SHOWN], documents), BASIS
    if size < 0 or time < 0 or not credit_in_row(text, begins[CREDIT], ends[CREDIT], credits):
        return -1, first, 0.0
    end = done_in_row(text, row, inner, documents, size, acts, first, typed)
    if end < 0:
        return -1, first, 0.0
    experiment = hash_bytes(text, begins[EXPERIMENT], ends[EXPERIMENT])
    own = hash_bytes(text, begins[ID], ends[ID])
    hashes[IDS] = mixed(experiment, own) if ends[ID] > begins[ID] else EMPTY
    hashes[USERS] = hash_bytes(text, begins[USER], ends[USER])
    hashes[QUERIES] = hash_bytes(text, begins[QUERY], ends[QUERY])
    hashes[DOCS] = hash_of_all(documents, size)
    lists = mixed(hash_bytes(text, begins[RANKERS], ends[RANKERS]), hash_bytes(text, begins[TEAMS], ends[TEAMS]))
    hashes[KINDS] = mixed(mixed(mixed(lists, labels), experiment), np.uint64(size))
    return size, end, time
