"""Folds: what to train, to validate and to test on."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.data.dataset import Dataset, join
from duelist.data.letor import read_letor, widen

PARTS = 5  # S1 to S5
SUFFIXES = (".txt", ".txt.gz")
NAMES = (("train",), ("vali", "valid"), ("test",))


class Fold(NamedTuple):
    """Three data sets with the same features."""

    train: Dataset
    vali: Dataset
    test: Dataset


def read_fold(
    directory: str | Path,
    fold: int = 1,
    *,
    normalise: bool = True,
    drop_constant: bool = True,
    cache: bool = True,
) -> Fold:
    """One fold of a directory, its files .txt or .txt.gz:

    - S1 to S5 (LETOR): fold k trains on S_k, S_k+1 and S_k+2, validates on the next and tests on the
      one after, going round;
    - Fold1/train, Fold1/vali, Fold1/test, Fold2/... (MSLR), or set1.train, set1.valid, ... (Yahoo);
    - train, vali (or valid) and test: one fold, number 1.

    `normalise` brings every feature to 0 to 1 within each query. `drop_constant` then removes, from
    all three, the features that are constant on train. `cache` keeps the parsed files (read_letor).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for part in range(1, 6):
    ...         _ = Path(folder, f"S{part}.txt").write_text(f"1 qid:{part} 1:{part} 2:7\\n0 qid:{part} 1:0 2:7")
    ...     fold = read_fold(folder, 4, cache=False)
    >>> fold.train.queries, fold.vali.queries, fold.test.queries, fold.train.feature_numbers
    (('4', '5', '1'), ('2',), ('3',), array([1]))
    """
    paths = find_parts(Path(directory), fold)
    files = {path: read_letor(path, cache=cache) for part in paths for path in part}
    width = max(dataset.n_features for dataset in files.values())
    train, vali, test = (join([widen(files[path], width) for path in part]) for part in paths)
    if normalise:
        train, vali, test = train.normalised(), vali.normalised(), test.normalised()
    if drop_constant:
        kept = np.flatnonzero(train.varying_features())
        train, vali, test = (part.with_features(kept) for part in (train, vali, test))
    return Fold(train, vali, test)


def find_parts(directory: Path, fold: int) -> list[list[Path]]:
    """The files of train, vali and test."""
    if not directory.is_dir():
        raise BadInput(f"no directory {str(directory)!r}")
    if any((directory / f"S{part}{suffix}").is_file() for part in range(1, PARTS + 1) for suffix in SUFFIXES):
        if not 1 <= fold <= PARTS:
            raise BadInput(f"{directory} has the folds 1 to {PARTS}, not {fold!r}")
        ring = [_find(directory, [f"S{(fold - 1 + step) % PARTS + 1}"]) for step in range(PARTS)]
        return [ring[:3], ring[3:4], ring[4:]]
    prefixes = [f"Fold{fold}/", f"set{fold}.", *([""] if fold == 1 else [])]
    return [[_find(directory, [prefix + name for prefix in prefixes for name in names])] for names in NAMES]


def _find(directory: Path, names: list[str]) -> Path:
    for name in names:
        for suffix in SUFFIXES:
            if (directory / (name + suffix)).is_file():
                return directory / (name + suffix)
    looked_for = ", ".join(name + suffix for name in names for suffix in SUFFIXES)
    raise BadInput(f"{directory} has none of {looked_for}")
