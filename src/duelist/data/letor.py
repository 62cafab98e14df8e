"""Read LETOR (SVMlight) text: MQ2007 and MQ2008, MSLR, Yahoo, Istella."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.core.progress import progress_bar
from duelist.data.cache import load_cached, store_cached
from duelist.data.dataset import Dataset
from duelist.data.parse import MOST_FEATURES, explain, fill, first_documents, parse

CHUNK = 1 << 22  # bytes parsed at a time
BIG = 1 << 26  # bytes from which a progress bar is worth its flicker


def read_letor(path: str | Path, *, features: int | None = None, cache: bool = False) -> Dataset:
    """The data set in a text file, plain or gzip-compressed.

    A line is `label qid:id number:value ... # comment`; a feature that a line leaves out is 0, and
    there are as many features as the largest number seen, or `features` of them. With `cache`, the
    arrays are kept in $XDG_CACHE_HOME/duelist (~/.cache/duelist) and used until the file changes.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "two.txt").write_text("1 qid:a 1:0.5 3:2\\n0 qid:a 2:1 # a comment")
    ...     read_letor(Path(folder, "two.txt")).features
    array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]])
    """
    path = Path(path)
    if not path.is_file():
        raise BadInput(f"no file {str(path)!r}")
    if features is not None and not 1 <= features <= MOST_FEATURES:
        raise BadInput(f"features must be from 1 to {MOST_FEATURES}, not {features}")
    dataset = load_cached(path) if cache else None
    if dataset is None or dataset.n_features > (features or MOST_FEATURES):
        dataset = _Reading(path, features or MOST_FEATURES).dataset()
        if cache:
            store_cached(path, dataset)
    return widen(dataset, features) if features else dataset


def widen(dataset: Dataset, features: int) -> Dataset:
    """The same data set with features that are 0 everywhere behind the last, `features` in all."""
    missing = features - dataset.n_features
    if missing == 0:
        return dataset
    wide = np.pad(dataset.features, ((0, 0), (0, missing)))
    return replace(dataset, features=wide, feature_numbers=np.arange(1, features + 1))


class _Reading:
    """One file being read, chunk by chunk."""

    def __init__(self, path: Path, most: int) -> None:
        self.path, self.most = path, most
        self.line = 0  # lines before the chunk
        self.features = np.zeros((0, 0))
        self.labels: list[Ints] = []
        self.starts: dict[str, int] = {}  # the first document of each query
        self.last = ""  # the query that may go on

    def dataset(self) -> Dataset:
        """Everything in the file."""
        try:
            for text in self.texts():
                self.parse(text)
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"cannot read {self.path}: {error}") from None
        if not self.starts:
            raise BadInput(f"{self.path} holds no documents")
        documents, width = self.features.shape
        offsets = np.array([*self.starts.values(), documents])
        return Dataset(self.features, np.concatenate(self.labels), offsets, tuple(self.starts), np.arange(1, width + 1))

    def texts(self) -> Iterator[bytes]:
        """The text in pieces that end with a newline."""
        size = self.path.stat().st_size
        with self.path.open("rb") as raw, progress_bar(f"reading {self.path.name}", size, _show(size)) as advance:
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file: Any = gzip.GzipFile(fileobj=raw) if zipped else raw
            rest, seen = b"", 0
            while piece := file.read(CHUNK):
                text, newline, rest = (rest + piece).rpartition(b"\n")
                if len(rest) > CHUNK:
                    raise self.error(text.count(b"\n") + len(newline) + 1, f"more than {CHUNK} bytes in one line")
                advance(raw.tell() - seen)
                seen = raw.tell()
                if newline:
                    yield text + newline
            if rest:
                yield rest + b"\n"

    def parse(self, text: bytes) -> None:
        array: Any = np.frombuffer(text, np.uint8)
        lines, most_cells = text.count(b"\n"), len(text) // 4 + 1  # "1:0 " is the shortest cell
        labels, places = np.empty(lines, np.int64), np.empty((lines, 4), np.int64)
        numbers, values, ends = np.empty(most_cells, np.int64), np.empty(most_cells), np.empty(most_cells, np.int64)
        documents, cells, bad = parse(array, self.most, labels, places, numbers, values, ends)
        if bad:
            raise self.error(bad, explain(text.split(b"\n", bad)[bad - 1], self.most))
        places, numbers, values = places[:documents], numbers[:cells], values[:cells]
        self.round_exactly(text, values, ends)
        self.add_queries(text, array, places)
        self.labels.append(labels[:documents])
        fill(places, numbers, values, self.add_rows(documents, int(numbers.max(initial=0))))
        self.line += lines

    def round_exactly(self, text: bytes, values: Floats, ends: Ints) -> None:
        """Let Python read the numbers that the parser left as NaN."""
        for cell in np.flatnonzero(np.isnan(values)):
            end = int(ends[cell])
            values[cell] = float(text[text.rindex(b":", 0, end) + 1 : end])
            if np.isinf(values[cell]):
                line = text.count(b"\n", 0, end) + 1
                raise self.error(line, explain(text.split(b"\n", line)[line - 1], self.most))

    def add_queries(self, text: bytes, array: Any, places: Ints) -> None:
        """Note where queries start; one may go on from the chunk before, and none may come back."""
        firsts = np.empty(len(places), np.int64)
        firsts = firsts[: first_documents(array, places, firsts)]
        for first, (start, stop, line, _) in zip(firsts.tolist(), places[firsts].tolist(), strict=True):
            query = text[start:stop].decode(errors="backslashreplace")
            if query in self.starts and (query != self.last or first > 0):
                raise self.error(line, f"query {query!r} comes back; its documents must stand together")
            self.starts.setdefault(query, len(self.features) + first)
            self.last = query

    def add_rows(self, documents: int, width: int) -> Floats:
        """Room for more documents, all 0."""
        before, now = self.features.shape
        if width > now:
            self.features = np.pad(self.features, ((0, 0), (0, width - now)))
        # In place, so that the system can move pages instead of copying numbers.
        self.features.resize((before + documents, max(width, now)), refcheck=False)
        return self.features[before:]

    def error(self, line: int, reason: str) -> BadInput:
        """An error in a line of the chunk, counted from 1."""
        return BadInput(f"{self.path}, line {self.line + line}: {reason}")


def _show(size: int) -> bool | None:
    return None if size >= BIG else False
