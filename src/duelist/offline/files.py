"""The data that `duelist fit` and `duelist compare` are given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from duelist.core.errors import BadInput
from duelist.data import Fold, load_fold, read_letor
from duelist.data.letor import widen


def load_folds(
    train: Path | None, vali: Path | None, test: Path | None, data: str | Path | None, numbers: Sequence[int]
) -> list[Fold]:
    """One fold of three files, or folds of a directory or of synthetic data; prepared as `read_fold` does."""
    files = [path for path in (train, vali, test) if path is not None]
    if data is not None:
        if files:
            raise BadInput("give either --data or --train, --vali and --test")
        return [load_fold(data, number) for number in dict.fromkeys(numbers or [1])]
    if len(files) < 3 or numbers:
        raise BadInput(
            "data is missing: --train, --vali and --test files, or --data (a directory, or synthetic) and its --fold"
        )
    return [read_files(*files)]


def read_files(train: Path, vali: Path, test: Path) -> Fold:
    """Three files as one fold: features from 0 to 1 within each query, without those constant on train.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pages.txt")
    ...     _ = path.write_text("1 qid:1 1:5 2:7\\n0 qid:1 1:3 2:7")
    ...     read_files(path, path, path).test.features
    array([[1.],
           [0.]])
    """
    parts = [read_letor(path, cache=True) for path in (train, vali, test)]
    width = max(part.n_features for part in parts)
    parts = [widen(part, width).normalised() for part in parts]
    kept = np.flatnonzero(parts[0].varying_features())
    return Fold(*(part.with_features(kept) for part in parts))
