"""Rankers by the name people type, and the parameter that suits them best."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from duelist.core.errors import BadInput, Unsolved
from duelist.core.memory import Floats
from duelist.core.progress import progress_bar
from duelist.core.registry import Registry
from duelist.core.spec import Spec
from duelist.data import Dataset, Fold, evaluate, mean
from duelist.offline.average_precision import SVMMap
from duelist.offline.baselines import BoostedTrees
from duelist.offline.classification import SVMAcc
from duelist.offline.ndcg import SVMNdcg
from duelist.offline.ordinal import SVMDecomposition, SVMOrdinal
from duelist.offline.pairwise import SVMPairwise
from duelist.offline.precision_at import SVMPrecision
from duelist.offline.ranker import Ranker, Untrained
from duelist.offline.reciprocal_rank import SVMMrr
from duelist.offline.roc_area import SVMRoc

RANKERS: Registry[type[Ranker]] = Registry("ranker")
RANKERS.add("svm-map", SVMMap)
RANKERS.add("svm-roc", SVMRoc)
RANKERS.add("svm-ndcg", SVMNdcg)
RANKERS.add("svm-mrr", SVMMrr)
RANKERS.add("svm-precision", SVMPrecision)
RANKERS.add("svm-pairwise", SVMPairwise)
RANKERS.add("svm-ordinal", SVMOrdinal)
RANKERS.add("svm-decomposition", SVMDecomposition)
RANKERS.add("svm-acc", SVMAcc)
RANKERS.add("svm-acc2", SVMAcc, balanced=True)
RANKERS.add("svm-acc3", SVMAcc, convert="percentiles")
RANKERS.add("svm-acc4", SVMAcc, convert="ranges")
RANKERS.add("lightgbm", BoostedTrees, package="lightgbm")
RANKERS.add("xgboost", BoostedTrees, package="xgboost")
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)  # tried where nothing is given
MEASURES = ("map", "ndcg@10", "ndcg", "mrr", "precision@10", "roc-area", "err@10")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A ranker, the parameters chosen for it, and what each measure is for each query of the test set."""

    name: str
    ranker: Ranker
    parameters: dict[str, Any]
    values: dict[str, Floats]
    metrics: dict[str, float]
    seconds: float  # of the fit that was chosen
    left_out: tuple[str, ...] = ()  # choices whose training came to no end, each with what was said

    def summary(self) -> dict[str, Any]:
        """What `duelist fit` prints; trees have no primal and dual."""
        return {
            "ranker": self.name,
            "parameters": self.parameters,
            "metrics": self.metrics,
            "trained": self.ranker.trained_,
            **{name: getattr(self.ranker, f"{name}_", None) for name in ("primal", "dual", "gap")},
            "seconds": self.seconds,
            "left_out": list(self.left_out),
        }


def make_ranker(given: str | Spec, **parameters: Any) -> Ranker:
    """A ranker by its name, with parameters that may also be written with it.

    >>> make_ranker("svm-acc2", C=10), make_ranker("svm-ndcg:k=5").spec.name
    (SVMAcc(C=10.0, balanced=True), 'svm-ndcg')
    """
    spec = Spec.read("ranker", given)
    ranker: Ranker = Spec("ranker", spec.name, {**spec.parameters, **parameters}).make()
    return ranker


def fit_best(
    given: str | Spec, fold: Fold, grid: Mapping[str, Sequence[Any]] | None = None, measure: str = "map"
) -> Fitted:
    """Train with every combination of the grid and keep what has the largest mean of `measure` on vali.

    Where neither the grid nor the ranker says what C is, SVMs try 0.01, 0.1, ..., 1000. A choice whose training
    comes to no end is left out and named in left_out; if all do, that is an error. Nothing warns of choices that end
    untrained; whether the best one did is in its trained_.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=60, documents=10, features=5, seed=1)
    >>> fold = Fold(*(pages.select(range(start, start + 20)) for start in (0, 20, 40)))
    >>> best = fit_best("svm-map", fold)
    >>> best.parameters["C"], round(best.metrics["map"], 2)
    (1000.0, 0.85)
    """
    spec = Spec.read("ranker", given)
    for name in spec.parameters.keys() & (grid or {}).keys():
        raise BadInput(f"{spec} says what {name} is, so that the grid cannot choose it")
    usual = {"C": COSTS} if "C" in RANKERS.parameters(spec.name) and "C" not in spec.parameters else {}
    wanted = usual | dict(grid or {})
    choices = [make_ranker(spec, **dict(zip(wanted, v, strict=True))) for v in product(*wanted.values())]
    best: tuple[float, Ranker, float] | None = None
    left_out: list[str] = []
    with progress_bar(f"fitting {spec}", len(choices)) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", Untrained)
        for ranker in choices:
            start = time.perf_counter()
            try:
                ranker.fit(fold.train.features, fold.train.labels, qid=query_numbers(fold.train))
            except Unsolved as error:
                left_out.append(f"{ranker.spec}: {error}")
            else:
                seconds = time.perf_counter() - start
                value = mean(evaluate(fold.vali, scores_of(ranker, fold.vali), [measure]), fold.vali)[measure]
                if best is None or value > best[0]:
                    best = value, ranker, seconds
            advance(1)
    if best is None:
        raise Unsolved("; ".join(left_out)) if left_out else BadInput(f"the grid has no values: {wanted}")
    _, ranker, seconds = best
    values = evaluate(fold.test, scores_of(ranker, fold.test), list(dict.fromkeys([*MEASURES, measure])))
    return Fitted(str(spec), ranker, ranker.get_params(), values, mean(values, fold.test), seconds, tuple(left_out))


def query_numbers(data: Dataset) -> Any:
    """The query of each document, from 0."""
    return np.repeat(np.arange(data.n_queries), np.diff(data.offsets))


def scores_of(ranker: Ranker, data: Dataset) -> Floats:
    """One score a document of the data set."""
    return ranker.scores(data.features, query_numbers(data))
