"""Weights of linear rankers in the forms that search engines load."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats


def weights_of(ranker: Any) -> Floats:
    """The weights of a fitted linear ranker, one a feature: what an online learner can start from.

    >>> from duelist.offline.pairwise import SVMPairwise
    >>> weights_of(SVMPairwise(C=10).fit([[1.0, 0.0], [0.0, 1.0]], [1, 0])).round(2)
    array([ 0.5, -0.5])
    """
    weights = getattr(ranker, "coef_", None)
    if weights is None or len(weights) != getattr(ranker, "n_features_in_", len(weights)):
        raise BadInput(f"{ranker!r} has no weights of its features: only fitted linear rankers do")
    if not np.isfinite(weights).all():
        raise BadInput(f"the weights of {ranker!r} are not finite")
    if not np.any(weights):
        raise BadInput(f"{ranker!r} is untrained: its weights are all 0, and would rank nothing")
    return np.array(weights, np.float64)


def to_elasticsearch(ranker: Any, names: Sequence[str], model: str = "duelist") -> str:
    """The body of a request to _ltr/_featureset/.../_createmodel, for the Elasticsearch and OpenSearch plugins.

    >>> from duelist.offline.pairwise import SVMPairwise
    >>> ranker = SVMPairwise(C=10).fit([[1.0, 0.0], [0.0, 1.0]], [1, 0])
    >>> body = json.loads(to_elasticsearch(ranker, ["title", "body"]))
    >>> body["model"]["model"]["type"], sorted(json.loads(body["model"]["model"]["definition"]))
    ('model/linear', ['body', 'title'])
    """
    definition = json.dumps(_named(ranker, names))
    return json.dumps({"model": {"name": model, "model": {"type": "model/linear", "definition": definition}}}, indent=2)


def to_solr(ranker: Any, names: Sequence[str], model: str = "duelist", store: str | None = None) -> str:
    """A model for Solr's schema/model-store.

    >>> from duelist.offline.pairwise import SVMPairwise
    >>> ranker = SVMPairwise(C=10).fit([[1.0, 0.0], [0.0, 1.0]], [1, 0])
    >>> json.loads(to_solr(ranker, ["title", "body"]))["features"]
    [{'name': 'title'}, {'name': 'body'}]
    """
    weights = _named(ranker, names)
    body: dict[str, Any] = {"class": "org.apache.solr.ltr.model.LinearModel", "name": model}
    if store is not None:
        body["store"] = store
    body |= {"features": [{"name": name} for name in weights], "params": {"weights": weights}}
    return json.dumps(body, indent=2)


def to_ranklib(ranker: Any, numbers: Sequence[int] | None = None) -> str:
    """A model file of RankLib's linear ranker, coordinate ascent; `numbers` of the features, else from 1.

    >>> from duelist.offline.pairwise import SVMPairwise
    >>> ranker = SVMPairwise(C=10).fit([[1.0, 0.0], [0.0, 1.0]], [1, 0])
    >>> to_ranklib(ranker, [3, 5]).splitlines()[0]
    '## Coordinate Ascent'
    """
    weights = weights_of(ranker)
    features = _check_labels("numbers", range(1, len(weights) + 1) if numbers is None else numbers, len(weights))
    cells = [f"{number}:{float(weight)!r}" for number, weight in zip(features, weights, strict=True)]
    return f"## Coordinate Ascent\n{' '.join(cells)}\n"


def _named(ranker: Any, names: Sequence[str]) -> dict[str, float]:
    weights = weights_of(ranker).tolist()
    return dict(zip(_check_labels("names", names, len(weights)), weights, strict=True))


def _check_labels(what: str, given: Sequence[Any], size: int) -> Sequence[Any]:
    if isinstance(given, str) or len(given) != size or len(set(given)) != size:
        raise BadInput(f"{what} must be {size} different ones, one a feature, not {given!r}")
    return given
