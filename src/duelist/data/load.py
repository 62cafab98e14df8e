"""The data that people name on the command line: a folder, or a synthetic set made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from duelist.core.errors import BadInput
from duelist.core.parameters import check_settings, limits, parameters_of, read_settings
from duelist.data.dataset import MOST_LABEL, join
from duelist.data.folds import PARTS, Fold, read_fold
from duelist.data.synthetic import synthetic

SYNTHETIC = "synthetic"


def load_fold(data: str | Path, fold: int = 1) -> Fold:
    """One fold of a folder, as `read_fold` finds it, or of "synthetic" data with its parameters.

    >>> fold = load_fold("synthetic:queries=50,documents=10", fold=2)
    >>> fold.train.n_queries, fold.vali.n_queries, fold.test.n_documents
    (30, 10, 100)
    """
    name, colon, rest = str(data).partition(":")
    if name != SYNTHETIC or isinstance(data, Path):
        return read_fold(data, fold)
    if colon and not rest:
        raise BadInput(f"parameters of synthetic data are written synthetic:NAME=VALUE,..., not {data!r}")
    given = {n: values[0] if len(values) == 1 else values for n, values in read_settings(rest).items()} if rest else {}
    return synthetic_fold(fold, **check_settings(SYNTHETIC, parameters_of(synthetic_fold), given))


def describe_data(data: str | Path) -> str:
    """A short name for titles."""
    return str(data) if str(data).partition(":")[0] == SYNTHETIC else Path(data).resolve().name


def synthetic_fold(
    fold: int,
    queries: Annotated[int, limits("how many, of which three fifths are to train on", low=PARTS)] = 200,
    documents: Annotated[int, limits("of a query", low=1)] = 20,
    features: Annotated[int, limits("how many", low=1)] = 10,
    grades: Annotated[int, limits("labels are from 0 to one less", low=2, high=MOST_LABEL + 1)] = 3,
    noise: Annotated[float, limits("how much labels depend on luck", low=0)] = 0.5,
    seed: Annotated[int, limits("the same seed gives the same data", low=0)] = 0,
) -> Fold:
    """A synthetic data set in five parts, which are put together as those of LETOR are."""
    if not 1 <= fold <= PARTS:
        raise BadInput(f"synthetic data has the folds 1 to {PARTS}, not {fold!r}")
    pages = synthetic(queries, documents, features, grades, noise, seed).normalised()
    ring = [pages.select(range((fold - 1 + step) % PARTS, queries, PARTS)) for step in range(PARTS)]
    return Fold(join(ring[:3]), ring[3], ring[4])
