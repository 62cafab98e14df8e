"""Weights of linear rankers, learnt from labels or from clicks, in the forms that search engines load."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.data.linear import ranker_of


def weights_of(ranker: Any) -> Floats:
    """The weights, one a feature, of a learner, a fitted linear ranker, or a `Linear`; not of one that learnt nothing.

    >>> from duelist.online import PDGD
    >>> weights_of(PDGD(n_features=2, seed=1).start_at([0.5, -0.5]))
    array([ 0.5, -0.5])
    """
    weights = ranker_of(ranker).values
    if not weights.any():
        raise BadInput(f"{ranker!r} is untrained: its weights are all 0, and would rank nothing")
    return weights.copy()


def to_elasticsearch(ranker: Any, names: Sequence[str] = (), model: str = "duelist") -> str:
    """The body of a request to _ltr/_featureset/.../_createmodel, for the Elasticsearch and OpenSearch plugins.

    `names` are those of the features, unless the ranker knows them itself.

    >>> ranker = [0.5, -0.5]
    >>> body = json.loads(to_elasticsearch(ranker, ["title", "body"]))
    >>> body["model"]["model"]["type"], sorted(json.loads(body["model"]["model"]["definition"]))
    ('model/linear', ['body', 'title'])
    """
    definition = json.dumps(_named(ranker, names))
    return json.dumps({"model": {"name": model, "model": {"type": "model/linear", "definition": definition}}}, indent=2)


def to_solr(ranker: Any, names: Sequence[str] = (), model: str = "duelist", store: str | None = None) -> str:
    """A model for Solr's schema/model-store.

    >>> ranker = [0.5, -0.5]
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

    >>> ranker = [0.5, -0.5]
    >>> to_ranklib(ranker, [3, 5]).splitlines()[0]
    '## Coordinate Ascent'
    """
    weights = weights_of(ranker)
    features = _check_labels("numbers", range(1, len(weights) + 1) if numbers is None else numbers, len(weights))
    cells = [f"{number}:{float(weight)!r}" for number, weight in zip(features, weights, strict=True)]
    return f"## Coordinate Ascent\n{' '.join(cells)}\n"


def _named(ranker: Any, names: Sequence[str]) -> dict[str, float]:
    weights = weights_of(ranker).tolist()
    names = names or ranker_of(ranker).names
    return dict(zip(_check_labels("names", names, len(weights)), weights, strict=True))


def _check_labels(what: str, given: Sequence[Any], size: int) -> Sequence[Any]:
    if isinstance(given, str) or len(given) != size or len(set(given)) != size:
        raise BadInput(f"{what} must be {size} different ones, one a feature, not {given!r}")
    return given
