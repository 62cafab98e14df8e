from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.data.export import to_elasticsearch, to_ranklib, to_solr, weights_of
from duelist.data.linear import Linear
from duelist.offline.classification import SVMAcc
from duelist.offline.pairwise import SVMPairwise
from duelist.offline.ranker import Untrained
from duelist.online import PDGD

NAMES = ["title", "body", "age"]


@pytest.fixture(scope="module")
def ranker() -> SVMPairwise:
    return SVMPairwise(C=10).fit([[1.0, 0.0, 2.0], [0.0, 1.0, 1.5]], [1, 0])


def test_elasticsearch_gets_a_weight_for_each_name(ranker: SVMPairwise) -> None:
    model = json.loads(to_elasticsearch(ranker, NAMES, "mine"))["model"]
    assert model["name"] == "mine"
    assert model["model"]["type"] == "model/linear"
    assert json.loads(model["model"]["definition"]) == dict(zip(NAMES, ranker.coef_, strict=True))


def test_solr_gets_features_and_weights(ranker: SVMPairwise) -> None:
    model = json.loads(to_solr(ranker, NAMES, "mine", store="pages"))
    assert model["class"] == "org.apache.solr.ltr.model.LinearModel"
    assert (model["name"], model["store"]) == ("mine", "pages")
    assert [feature["name"] for feature in model["features"]] == NAMES
    assert model["params"]["weights"] == dict(zip(NAMES, ranker.coef_, strict=True))
    assert "store" not in json.loads(to_solr(ranker, NAMES))


def test_ranklib_text_reads_back_exactly(ranker: SVMPairwise) -> None:
    head, line = to_ranklib(ranker, [2, 3, 46]).splitlines()
    assert head == "## Coordinate Ascent"
    cells = [cell.split(":") for cell in line.split(" ")]
    assert [int(number) for number, _ in cells] == [2, 3, 46]
    assert [float(weight) for _, weight in cells] == ranker.coef_.tolist()


def test_weights_are_a_copy(ranker: SVMPairwise) -> None:
    weights = weights_of(ranker)
    weights[:] = 0
    assert ranker.coef_.any()


@pytest.mark.parametrize("names", [["a", "b"], ["a", "b", "b"], "abc"])
def test_names_must_be_one_a_feature(ranker: SVMPairwise, names: Any) -> None:
    with pytest.raises(BadInput, match="names must be 3 different ones"):
        to_solr(ranker, names)


def test_untrained_rankers_are_refused() -> None:
    with pytest.raises(BadInput, match="is untrained"):
        to_ranklib(PDGD(3, seed=1))
    with pytest.warns(Untrained):
        ranker = SVMPairwise().fit([[0.0], [1.0], [2.0]], [1, 0, 1])
    for export in (weights_of, to_ranklib, lambda ranker: to_solr(ranker, ["a"])):
        with pytest.raises(BadInput, match=r"SVMPairwise\(\) is untrained: its weights are all 0"):
            export(ranker)


def test_rankers_without_weights_of_features_are_refused() -> None:
    stepped = SVMAcc(convert="ranges", bins=3).fit(np.eye(3), [1, 0, 0])
    for ranker in (SVMPairwise(), stepped, object()):
        with pytest.raises(BadInput, match="has no weights"):
            weights_of(ranker)


def test_what_learnt_from_clicks_is_exported_too() -> None:
    learner = PDGD(3, seed=1).start_at([0.25, 0.0, -2.0])
    assert json.loads(to_solr(learner, NAMES))["params"]["weights"] == dict(zip(NAMES, [0.25, 0.0, -2.0], strict=True))
    named = Linear(learner.ranker.values, tuple(NAMES))
    assert to_elasticsearch(named) == to_elasticsearch(learner, NAMES)
