"""A log that is larger than memory: portions of arrays in a file that nobody else sees, in the order of time.

Small logs never reach the disk. A large one takes about 50 bytes an impression there, in the folder for temporary
files (TMPDIR), and in memory a table of 8 bytes a slot for the hashes of ids while it is written.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib import format as array_format

from duelist.clicks.columns import settled
from duelist.clicks.impressions import PER_IMPRESSION, Array, Done, Impressions, first_rows, united
from duelist.clicks.portions import in_time, joined, ordered, widened
from duelist.core.hashes import HashSet

PORTION = 1 << 18  # impressions
IN_MEMORY = 1 << 26  # bytes of a spool that are not worth a file
SAMPLE = 64  # dates of a portion by which a log is split that is not in the order of time
KEYS = ("ids", "bodies")  # what tells rows of the same impression
PLAIN = tuple(name for name in PER_IMPRESSION if name not in KEYS)
DONE = tuple(Done.__dataclass_fields__)


class ArrayFile:
    """Lists of arrays in a temporary file; one that holds the same value everywhere is written as that value."""

    def __init__(self) -> None:
        self.file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - it lives as long as this
        self.places: list[tuple[int, int]] = []  # where each list begins, and how many arrays it has

    def add(self, arrays: Sequence[Array]) -> int:
        """Write a list; its number."""
        self.places.append((self.file.seek(0, 2), len(arrays)))
        for array in arrays:
            same = len(array) > 1 and bool((array == array[:1]).all() or (array != array).all())
            array_format.write_array(self.file, np.array(array.shape), allow_pickle=False)
            kept = array[:1] if same else array
            array_format.write_array(self.file, np.ascontiguousarray(kept), allow_pickle=False)
        return len(self.places) - 1

    def __del__(self) -> None:
        self.file.close()

    def read(self, number: int) -> list[Array]:
        """The list of a number."""
        place, count = self.places[number]
        self.file.seek(place)
        found = []
        for _ in range(count):
            shape = array_format.read_array(self.file, allow_pickle=False)
            array = array_format.read_array(self.file, allow_pickle=False)
            found.append(np.broadcast_to(array, shape) if len(array) < shape[0] else array)
        return found


class Spool:
    """Takes portions of a log as they are read, and gives them back in the order of time, each impression once."""

    head: Impressions  # empty, with the names of all portions

    def __init__(self, once: bool = False) -> None:
        self.arrays, self.keys = ArrayFile(), ArrayFile()
        self.once, self.seen = once, HashSet()  # each impression comes once, and none need be remembered
        self.again: list[Array] = []  # ids that came before
        self.rows, self.last, self.sorted = 0, -np.inf, True

    def __len__(self) -> int:
        return self.rows

    def add(self, portion: Impressions) -> None:
        """Write a portion."""
        if not len(portion):
            return
        if not self.once:
            again = ~self.seen.new(portion.ids)
            if again.any():
                self.again.append(portion.ids[again])
            self.keys.add([getattr(portion, name) for name in KEYS])
        self._write(portion)

    def _write(self, portion: Impressions) -> None:
        times = portion.times
        self.sorted &= bool(times[0] >= self.last and (times[1:] >= times[:-1]).all())
        self.rows, self.last = self.rows + len(portion), float(times[-1])
        self.arrays.add(_arrays(portion))

    def finish(self, head: Impressions) -> Spool:
        """No more comes: rows of the same impression are united, and all are put in the order of time."""
        self.head, self.seen = head, HashSet()
        if self.again:
            self._unite()
        self.again, self.keys = [], ArrayFile()
        if not self.sorted:
            self._sort()
        return self

    def portions(self) -> Iterator[Impressions]:
        """The portions, without ids."""
        for portion in self._raw():
            yield replace(portion, attributes=settled(portion.attributes, self.head.attribute_names))

    def _raw(self) -> Iterator[Impressions]:
        return (self._read(self.arrays, number) for number in range(len(self.arrays.places)))

    def _read(self, file: ArrayFile, number: int) -> Impressions:
        found = file.read(number)
        columns: dict[str, Any] = dict(zip(PLAIN, found, strict=False))
        columns["given"] = widened(columns["given"], self.head.given.shape[1])
        done = Done(*found[len(PLAIN) : len(PLAIN) + len(DONE)])
        attributes = dict(zip(self.head.attributes, found[len(PLAIN) + len(DONE) :], strict=True))
        nothing = np.broadcast_to(np.zeros(1, np.int8), len(columns["times"]))
        columns |= dict.fromkeys(KEYS, nothing) | {"done": done, "attributes": attributes}
        return replace(self.head, **columns)

    def _with_keys(self) -> Iterator[tuple[int, Impressions]]:
        """Each portion with its ids, and the place of its first row."""
        begin = 0
        for number, portion in enumerate(self._raw()):
            ids, bodies = self.keys.read(number)
            yield begin, replace(portion, ids=ids, bodies=bodies)
            begin += len(portion)

    def _unite(self) -> None:
        """Rows whose id comes more than once are taken out, united in memory and put back where the earliest was."""
        twice = np.unique(np.concatenate(self.again))
        found, places = [], []
        for begin, portion in self._with_keys():
            hit = np.isin(portion.ids, twice)
            found.append(portion.take(hit))
            places.append(begin + np.flatnonzero(hit))
        whole, rows = joined(found), np.concatenate(places)
        first = first_rows(whole.ids, whole.times)
        one, rows = united(whole, rows), rows[first == np.arange(len(first))]
        fresh = Spool()
        fresh.head = self.head
        for begin, portion in self._with_keys():
            rest = ~np.isin(portion.ids, twice)
            mine = (rows >= begin) & (rows < begin + len(portion))
            both = joined([portion.take(rest), one.take(mine)])
            if len(both):
                order = np.argsort(np.concatenate([begin + np.flatnonzero(rest), rows[mine]]))
                fresh._write(ordered(both, order))
        self.arrays, self.rows, self.sorted = fresh.arrays, fresh.rows, fresh.sorted

    def _sort(self) -> None:
        """Every portion is split by dates, and the parts of the same dates become a portion."""
        sample = np.concatenate([np.quantile(portion.times, np.linspace(0, 1, SAMPLE)) for portion in self._raw()])
        edges = np.unique(np.quantile(sample, np.linspace(0, 1, len(self.arrays.places) + 1)[1:-1]))
        split = ArrayFile()
        parts: list[list[int]] = [[] for _ in range(len(edges) + 1)]
        for portion in self._raw():
            bucket = np.searchsorted(edges, portion.times, side="right")
            for number in np.unique(bucket).tolist():
                parts[number].append(split.add(_arrays(portion.take(bucket == number))))
        self.arrays = ArrayFile()
        for numbers in parts:
            if numbers:
                self.arrays.add(_arrays(in_time(joined([self._read(split, number) for number in numbers]))))
        self.sorted = True


def _arrays(portion: Impressions) -> list[Array]:
    columns = [getattr(portion, name) for name in PLAIN]
    return [*columns, *(getattr(portion.done, name) for name in DONE), *portion.attributes.values()]
