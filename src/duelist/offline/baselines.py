"""Gradient-boosted trees of LightGBM or XGBoost behind the interface of our rankers, to compare with."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any, Literal

import numpy as np

from duelist.core.errors import BadInput, MissingExtra
from duelist.core.memory import Floats
from duelist.core.parallel import available_cores, check_whole
from duelist.offline.queries import Queries, group
from duelist.offline.ranker import Ranker, Untrained

SMALL = 100_000  # documents


class BoostedTrees(Ranker):
    """LambdaMART of another package: trees that descend the gradients of NDCG.

    package: "lightgbm" (lambdarank) or "xgboost" (rank:ndcg). Labels are whole numbers from 0.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> qid = np.repeat(np.arange(30), 20)
    >>> ranker = BoostedTrees(trees=20).fit(pages.features, pages.labels, qid=qid)
    >>> ranker.score(pages.features, pages.labels, qid) > 0.8
    True
    """

    measure = "ndcg@10"

    def __init__(
        self,
        package: Literal["lightgbm", "xgboost"] = "lightgbm",
        trees: int = 100,
        leaves: int = 31,
        rate: float = 0.1,
        relevant: float = 1,
        seed: int = 0,
    ) -> None:
        self.package, self.trees, self.leaves, self.rate = package, trees, leaves, rate
        self.relevant, self.seed = relevant, seed

    def fit(self, X: Any, y: Any, qid: Any = None) -> BoostedTrees:  # noqa: N803
        """Learn from labelled documents."""
        if self.package not in PACKAGES:
            raise BadInput(f"package must be {' or '.join(map(repr, PACKAGES))}, not {self.package!r}")
        check_whole(1, trees=self.trees)
        check_whole(2, leaves=self.leaves)
        features, labels = self.checked(X, y)
        if not np.array_equal(labels, labels.astype(np.int64)) or labels.min() < 0:
            raise BadInput(f"labels must be whole numbers from 0, not {labels[(labels < 0) | (labels % 1 != 0)][0]:g}")
        self.model_ = PACKAGES[self.package](self, group(features, labels, qid))
        self.trained_ = bool(np.ptp(self.predict(X)) > 0)
        if not self.trained_:
            message = f"{self!r} is untrained: no tree splits these {len(labels)} documents"
            warnings.warn(message, Untrained, stacklevel=2)
        return self

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """One score a document."""
        features = self.checked_again(X)
        if self.package == "xgboost":
            features = _load("xgboost").DMatrix(features)
        return np.asarray(self.model_.predict(features), np.float64)


def _fit_lightgbm(ranker: BoostedTrees, queries: Queries) -> Any:
    lightgbm = _load("lightgbm")
    parameters = {
        "objective": "lambdarank",
        "num_leaves": ranker.leaves,
        "learning_rate": ranker.rate,
        "label_gain": (2.0 ** np.arange(queries.labels.max() + 1) - 1).tolist(),
        "seed": ranker.seed,
        "deterministic": True,
        "num_threads": _threads(queries),
        "verbosity": -1,
    }
    data = lightgbm.Dataset(queries.features, queries.labels, group=np.diff(queries.offsets))
    return lightgbm.train(parameters, data, ranker.trees)


def _fit_xgboost(ranker: BoostedTrees, queries: Queries) -> Any:
    xgboost = _load("xgboost")
    parameters = {
        "objective": "rank:ndcg",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_leaves": ranker.leaves,
        "eta": ranker.rate,
        "nthread": _threads(queries),
        "seed": ranker.seed,
    }
    data = xgboost.DMatrix(queries.features, queries.labels)
    data.set_group(np.diff(queries.offsets))
    return xgboost.train(parameters, data, ranker.trees)


def _threads(queries: Queries) -> int:
    """On small data, threads wait for each other longer than they help."""
    return 1 if len(queries.labels) < SMALL else available_cores()


PACKAGES = {"lightgbm": _fit_lightgbm, "xgboost": _fit_xgboost}


def _load(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtra(f"this baseline needs {package}: pip install {package}") from None
