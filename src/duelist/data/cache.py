"""Arrays of text files that were read before, kept in the user's cache directory.

An entry is named by the path of the text and says inside which size, time and format it was made
from, so a changed file replaces its entry and nothing piles up. Whatever goes wrong here only
costs time: the text is read again.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path
from tempfile import NamedTemporaryFile
from zipfile import BadZipFile

import numpy as np

from duelist.data.dataset import Dataset

FORMAT = 1  # raise when what is stored changes
LOST = (OSError, RuntimeError)  # a full or read-only disk; a user without a home


def cache_file(path: Path) -> Path:
    """Where the arrays of the text at `path` are kept."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    name = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]
    return Path(home) / "duelist" / f"{path.name}-{name}.npz"


def load_cached(path: Path) -> Dataset | None:
    """The data set of the text at `path`, if it is kept, whole and still up to date."""
    try:
        with cache_file(path).open("rb") as file:
            stored = np.load(file, allow_pickle=False)
            if not np.array_equal(stored["key"], _key(path)):
                return None
            queries = stored["queries"].tobytes().decode().split("\n")
            arrays = (stored["features"], stored["labels"], stored["offsets"])
            return Dataset(*arrays, tuple(queries), stored["feature_numbers"])
    except (*LOST, EOFError, ValueError, KeyError, TypeError, AttributeError, BadZipFile, zlib.error):
        return None


def store_cached(path: Path, dataset: Dataset) -> None:
    """Keep `dataset`; a reader sees the old entry or the new one, never half of it."""
    try:
        target = cache_file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as file:
            try:
                _write(file.name, path, dataset)
                os.replace(file.name, target)
            finally:
                Path(file.name).unlink(missing_ok=True)
    except LOST:
        pass


def _write(name: str, path: Path, dataset: Dataset) -> None:
    with open(name, "wb") as file:
        np.savez(
            file,
            key=_key(path),
            features=dataset.features,
            labels=dataset.labels,
            offsets=dataset.offsets,
            queries=np.frombuffer("\n".join(dataset.queries).encode(), np.uint8),
            feature_numbers=dataset.feature_numbers,
        )


def _key(path: Path) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    facts = path.stat()
    return np.array([FORMAT, facts.st_size, facts.st_mtime_ns], np.int64)
