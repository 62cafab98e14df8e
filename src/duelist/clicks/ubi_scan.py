"""UBI files of any size into arrays: a bucket of queries at a time, each with all its events.

Usual queries are read by compiled code, as lines of a log; the others as records, by the rules of ubi.py and
ubi_events.py. Two things depend on all events together: where ordinals begin, and the names of rankers that label
clicks. Where somebody needs one of them, all buckets are read for it first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from duelist.clicks.collector import Collector
from duelist.clicks.columns import BLOCK
from duelist.clicks.gather import Gatherer
from duelist.clicks.json_rows import JsonRows
from duelist.clicks.row_text import NAMES, UNUSUAL
from duelist.clicks.rows import Read
from duelist.clicks.ubi import check_ordinals, responses_of, row_of_line
from duelist.clicks.ubi_buckets import Buckets, Lines
from duelist.clicks.ubi_events import (
    UbiRow,
    Votes,
    attach,
    document_of,
    first_ordinal,
    labels_of,
    ordinal_votes,
    settle,
)
from duelist.clicks.ubi_rows import UsualQueries


class UbiScan:
    """Queries and events on their way into `found`."""

    def __init__(
        self, paths: Sequence[str | Path], ordinals: int | None, found: Gatherer, number: int | None = None
    ) -> None:
        check_ordinals(ordinals)
        begun = Collector()
        self.ordinals, self.found, self.taken = ordinals, found, 0
        self.buckets = Buckets(paths, begun, number)
        self.remembered: dict[bytes, bytes | None] = {}
        self._count(begun)

    def steps(self) -> Iterator[None]:
        """Take all that there is, and stop now and then."""
        compiled = not any(name in (*NAMES, *UNUSUAL) for name in self.found.names)
        for lines in self.buckets:
            if compiled:
                left = yield from self._take_usual(lines)
            else:
                left = list(range(len(lines.texts)))
            self._take_records(lines, left)
            self.taken += len(lines.texts)
            yield

    def _take_usual(self, lines: Lines) -> Generator[None, None, list[int]]:
        """Take the usual queries of a bucket; the places of the other lines."""
        usual = UsualQueries(lines, self.found.names, self.remembered)
        keys, block = list[bytes](), bytearray()
        for key in usual.queries:
            keys.append(key)
            block += usual.line(key)
            if len(block) >= BLOCK:
                self._take_block(usual, keys, bytes(block))
                keys, block = [], bytearray()
                yield
        self._take_block(usual, keys, bytes(block))
        return [place for place, key in enumerate(usual.keys) if key in usual.unusual]

    def _take_block(self, usual: UsualQueries, keys: Sequence[bytes], block: bytes) -> None:
        rows, before = JsonRows(block, self.found.names), self.found.rows
        places = np.array([self.taken + usual.queries[key][0] for key in keys], np.int64)
        left = set(self.found.take_rows(rows, places))
        usual.unusual.update(keys[place] for place in left)
        taken = (place for place, key in enumerate(keys) if key not in usual.unusual)
        self.found.take_actions(
            rows,
            [
                (row, place, slot, action.name, action.value, action.time)
                for row, place in enumerate(taken, before)
                for slot, action in usual.slots(keys[place])
            ],
        )

    def _take_records(self, lines: Lines, places: Sequence[int]) -> None:
        """Take what is unusual."""
        found = Collector()
        responses, events = responses_of(_rows(lines, places, found), found)
        needed = any(document_of(row.fields) is None for row in events)
        joined = attach(responses, events, self.begin if needed else None)
        settle(found, joined, self.rankers if labels_of(joined) else ())
        for key, record in found.records.items():
            self.found.add(Read(record), self.taken + responses.places[key])
        self._count(found)

    def _count(self, found: Collector) -> None:
        """What could not be used, or came twice."""
        losses = self.found.losses
        losses.labelled |= found.labelled
        for bad in found.rejected:
            losses.reject(bad)
        losses.count(found.repeated, found.told_again(), found.homeless)

    @cached_property
    def begin(self) -> int | None:
        """Where ordinals begin, as all events say together."""
        if self.ordinals is not None:
            return self.ordinals
        votes = Votes(Counter(), Counter(), 0)
        for lines in self.buckets:
            found = Collector()
            votes = votes.and_of(ordinal_votes(*responses_of(_rows(lines, range(len(lines.texts)), found), found)))
        begin, why = first_ordinal(votes)
        self.found.losses.notes += [why] if why else []
        return begin

    @cached_property
    def rankers(self) -> tuple[str, ...]:
        """All that clicks name."""
        names: set[str] = set()
        for lines in self.buckets:
            found = Collector()
            names.update(
                labels_of(attach(*responses_of(_rows(lines, range(len(lines.texts)), found), found), self.begin))
            )
        return tuple(sorted(names))


def _rows(lines: Lines, places: Sequence[int], found: Collector) -> list[UbiRow]:
    rows = []
    for place in places:
        path, number = lines.where(place)
        written = lines.texts[place].decode(errors="surrogateescape").rstrip("\r")
        if row := row_of_line(written, number, path, found, place):
            rows.append(row)
    return rows
