"""Look at data that was downloaded: which folds there are, what is in them, what is missing or odd."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.data.catalogue import recognise
from duelist.data.dataset import Dataset
from duelist.data.folds import NAMES, PARTS, SUFFIXES, find_parts
from duelist.data.letor import read_letor
from duelist.present.tables import Table

PACKED = (".rar", ".zip", ".7z", ".tar", ".tgz", ".bz2")
FEW = 0.5  # of the queries have a relevant document: fewer are odd


@dataclass(frozen=True)
class File:
    """What is in one file."""

    name: str
    queries: int
    documents: int
    features: int
    labels: tuple[int, ...]  # how many documents have each label, from 0
    relevant: int  # queries that have a relevant document
    varying: int  # features that take more than one value


@dataclass(frozen=True)
class Checked:
    """What was found in a folder; nothing odd and at least one fold: it can be used."""

    folder: str
    folds: tuple[int, ...]  # which are complete
    files: tuple[File, ...]
    sizes: str  # which public data set has such, in words
    odd: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.parts()))

    def parts(self) -> list[Any]:
        """What is shown: the folder, a table of its files if there are any, and what to know of them."""
        rows = [
            [
                file.name,
                *(f"{number:,}" for number in (file.queries, file.documents, file.features)),
                " ".join(f"{label}: {number:,}" for label, number in enumerate(file.labels)),
                f"{file.relevant:,}",
            ]
            for file in self.files
        ]
        columns = ["file", "queries", "documents", "features", "documents by label", "queries with relevant"]
        folds = f"folds: {', '.join(map(str, self.folds)) or 'none is complete'}"
        odd = [f"odd: {text}" for text in self.odd] or ["nothing is missing or odd"]
        known = "\n".join([folds, *([f"sizes: {self.sizes}"] if rows else []), *odd])
        return [self.folder, *([Table(columns, rows)] if rows else []), known]


def check_folder(folder: str | Path) -> Checked:
    """Read every part of every fold.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     for name in ("train", "vali"):
    ...         _ = Path(place, f"{name}.txt").write_text("1 qid:1 1:5\\n0 qid:1 1:7")
    ...     print(check_folder(place).odd[-1])
    query '1' is in train.txt and in vali.txt
    """
    path = Path(folder)
    if not path.is_dir():
        raise BadInput(f"no directory {str(path)!r}")
    folds, odd = _find_folds(path)
    contents: dict[Path, Dataset | None] = {}
    for file in _files(path, folds):
        try:
            contents[file] = read_letor(file, cache=True)
        except BadInput as error:
            contents[file] = None
            odd.append(str(error))
    read = {file: data for file, data in contents.items() if data is not None}
    complete = [number for number, parts in folds.items() if parts and all(f in read for part in parts for f in part)]
    odd += _oddities(path, read, folds)
    first = [file for part in next(iter(folds.values()), []) for file in part]
    whole = [data for file, data in read.items() if file in first or not first]
    sizes = recognise(*_sizes(whole)) if whole else ""
    return Checked(str(path), tuple(complete), tuple(_look(path, f, d) for f, d in read.items()), sizes, tuple(odd))


def _find_folds(path: Path) -> tuple[dict[int, list[list[Path]]], list[str]]:
    """The files of each fold that the folder seems to have, and what is missing of them."""
    folds: dict[int, list[list[Path]]] = {}
    odd = [f"{file.name} is still packed" for file in sorted(path.iterdir()) if file.suffix.lower() in PACKED]
    for fold in _begun(path):
        try:
            folds[fold] = find_parts(path, fold)
        except BadInput as error:
            folds[fold] = []
            odd.append(f"fold {fold}: there is {str(error).partition(' has ')[2]}")
    if not folds:
        inner = [folder.name for folder in sorted(path.iterdir()) if folder.is_dir() and _begun(folder)]
        there = f"; but there is in {', '.join(inner)}" if inner else ""
        odd.append(f"no S1 to S5, no Fold1/train, no set1.train and no train (.txt or .txt.gz) in {path}{there}")
    return folds, odd


def _begun(path: Path) -> list[int]:
    """The folds of which there is something."""
    if any((path / f"S{part}{suffix}").is_file() for part in range(1, PARTS + 1) for suffix in SUFFIXES):
        return [*range(1, PARTS + 1)]
    found = [n for n in range(1, PARTS + 1) if (path / f"Fold{n}").is_dir() or any(path.glob(f"set{n}.t*.txt*"))]
    plain = any((path / f"{name}{suffix}").is_file() for name in ("train", "vali", "test") for suffix in SUFFIXES)
    return found or ([1] if plain else [])


def _files(path: Path, folds: dict[int, list[list[Path]]]) -> list[Path]:
    """Every file of a fold once; of a fold that is not complete, those that are there."""
    named = [file for parts in folds.values() for part in parts for file in part]
    stems = ("S?", *(prefix + name for prefix in ("Fold?/", "set?.", "") for names in NAMES for name in names))
    found = [file for stem in stems for suffix in SUFFIXES for file in sorted(path.glob(stem + suffix))]
    return list(dict.fromkeys(named or found))


def _sizes(parts: Sequence[Dataset]) -> tuple[int, int, int]:
    queries, documents = sum(p.n_queries for p in parts), sum(p.n_documents for p in parts)
    return queries, documents, max(p.n_features for p in parts)


def _look(path: Path, file: Path, data: Dataset) -> File:
    return File(
        str(file.relative_to(path)),
        *_sizes([data]),
        tuple(np.bincount(data.labels).tolist()),
        int(data.relevant_queries().sum()),
        int(data.varying_features().sum()),
    )


def _oddities(path: Path, read: dict[Path, Dataset], folds: dict[int, list[list[Path]]]) -> Iterator[str]:
    for file, data in read.items():
        name = file.relative_to(path)
        if data.max_label == 0:
            yield f"{name}: every label is 0"
        elif data.relevant_queries().mean() < FEW:
            yield f"{name}: only {data.relevant_queries().mean():.0%} of the queries have a relevant document"
        if not data.varying_features().any():
            yield f"{name}: every feature is constant"
    together = [[file for part in parts for file in part if file in read] for parts in folds.values()]
    pairs = {pair for files in (together if any(together) else [list(read)]) for pair in combinations(sorted(files), 2)}
    for one, other in sorted(pairs):
        if shared := sorted(set(read[one].queries) & set(read[other].queries)):
            more = f" and {len(shared) - 1:,} more are" if len(shared) > 1 else " is"
            yield f"query {shared[0]!r}{more} in {one.relative_to(path)} and in {other.relative_to(path)}"
