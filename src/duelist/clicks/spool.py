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
from duelist.clicks.impressions import PER_IMPRESSION, Array, Done, Impressions, first_rows, forgetful, united
from duelist.clicks.portions import in_time, joined, ordered, widened
from duelist.core.hashes import HashSet

PORTION = 1 << 18  # impressions
TOGETHER = 1 << 19  # rows that are united at once, a quarter of a kilobyte each
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
            yield forgetful(replace(portion, attributes=settled(portion.attributes, self.head.attribute_names)))

    def _raw(self) -> Iterator[Impressions]:
        return (self._portion(self.arrays.read(number)) for number in range(len(self.arrays.places)))

    def _portion(self, found: Sequence[Array], names: Sequence[str] = PLAIN) -> Impressions:
        """A portion of what `_arrays` made of it."""
        columns: dict[str, Any] = dict(zip(names, found, strict=False))
        columns["given"] = widened(columns["given"], self.head.given.shape[1])
        done = Done(*found[len(names) : len(names) + len(DONE)])
        attributes = dict(zip(self.head.attributes, found[len(names) + len(DONE) :], strict=True))
        nothing = np.broadcast_to(np.zeros(1, np.int8), len(columns["times"]))
        columns = dict.fromkeys(KEYS, nothing) | columns | {"done": done, "attributes": attributes}
        return replace(self.head, **columns)

    def _with_keys(self) -> Iterator[tuple[int, Impressions]]:
        """Each portion with its ids, and the place of its first row."""
        begin = 0
        for number, portion in enumerate(self._raw()):
            ids, bodies = self.keys.read(number)
            yield begin, replace(portion, ids=ids, bodies=bodies)
            begin += len(portion)

    def _unite(self) -> None:
        """Rows whose id comes more than once are united, some at a time, and put back where the earliest was."""
        pieces = ArrayFile()
        alone, several, begins = self._split(pieces)
        self.arrays, self.keys = ArrayFile(), ArrayFile()
        for numbers in several:
            whole, rows = self._joined(pieces, numbers)
            first = first_rows(whole.ids, whole.times)
            one, rows = united(whole, rows), rows[first == np.arange(len(first))]
            portion = np.searchsorted(begins, rows, side="right") - 1
            for number in np.unique(portion).tolist():
                mine = portion == number
                alone[number].append(_add_piece(pieces, one.take(mine), rows[mine]))
        self.rows, self.last, self.sorted = 0, -np.inf, True
        for numbers in filter(None, alone):
            both, rows = self._joined(pieces, numbers)
            self._write(ordered(both, np.argsort(rows)))

    def _split(self, pieces: ArrayFile) -> tuple[list[list[int]], list[list[int]], list[int]]:
        """Write each portion in pieces: rows whose id comes once, and those of other ids, so many at most together.

        The numbers of the first by portions and of the others by ids, and the places where portions begin.
        """
        again = np.concatenate(self.again)
        twice = np.unique(again)
        several: list[list[int]] = [[] for _ in range(1 + (len(twice) + len(again)) // TOGETHER)]
        alone, begins = list[list[int]](), list[int]()
        for begin, portion in self._with_keys():
            at = np.minimum(np.searchsorted(twice, portion.ids), len(twice) - 1)
            part = np.where(twice[at] == portion.ids, portion.ids % len(several), len(several))
            alone.append([])
            begins.append(begin)
            for number in np.unique(part).tolist():
                mine = part == number
                piece, once = portion.take(mine), number == len(several)
                numbers = alone[-1] if once else several[number]
                numbers.append(_add_piece(pieces, forgetful(piece) if once else piece, begin + np.flatnonzero(mine)))
        return alone, list(filter(None, several)), begins

    def _joined(self, pieces: ArrayFile, numbers: Sequence[int]) -> tuple[Impressions, Array]:
        """Some pieces as one, and the places of its rows in the whole log."""
        found = [pieces.read(number) for number in numbers]
        portions = [self._portion(arrays[1:], PER_IMPRESSION) for arrays in found]
        return joined(portions), np.concatenate([arrays[0] for arrays in found])

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
                self.arrays.add(_arrays(in_time(joined([self._portion(split.read(number)) for number in numbers]))))
        self.sorted = True


def _add_piece(pieces: ArrayFile, portion: Impressions, rows: Array) -> int:
    """Write some rows with their places in the whole log; the number of the piece."""
    return pieces.add([rows, *_arrays(portion, PER_IMPRESSION)])


def _arrays(portion: Impressions, names: Sequence[str] = PLAIN) -> list[Array]:
    columns = [getattr(portion, name) for name in names]
    return [*columns, *(getattr(portion.done, name) for name in DONE), *portion.attributes.values()]
