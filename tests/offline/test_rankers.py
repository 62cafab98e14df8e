from __future__ import annotations

import numpy as np
import pytest

from duelist.core.errors import BadInput, UnknownName, Unsolved
from duelist.data import Fold, evaluate, mean, synthetic
from duelist.offline import SVMAcc, SVMNdcg
from duelist.offline.rankers import RANKERS, Fitted, fit_best, make_ranker, query_numbers, scores_of

PAGES = synthetic(queries=90, documents=12, features=5, grades=3, noise=0.3, seed=1)
FOLD = Fold(*(PAGES.select(range(start, start + 30)) for start in (0, 30, 60)))
NAMES = [name for name in RANKERS if name != "xgboost"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_fits_and_is_measured(name: str) -> None:
    found = fit_best(name, FOLD, {"C": [10.0]} if name.startswith("svm") else {"trees": [20]})
    summary = found.summary()
    told = ["ranker", "parameters", "metrics", "trained", "primal", "dual", "gap", "seconds", "left_out"]
    assert list(summary) == told
    assert summary["ranker"] == name
    assert summary["trained"]
    assert {"map", "ndcg@10"} <= summary["metrics"].keys()
    assert summary["metrics"]["map"] > 0.75
    assert summary["seconds"] > 0
    assert (summary["gap"] is None) == (name == "lightgbm")
    assert found.parameters.items() >= RANKERS.entry(name).fixed.items()


def test_the_best_on_validation_is_kept_and_measured_on_test() -> None:
    costs = [1e-4, 0.1, 10.0, 1000.0]
    found = fit_best("svm-roc", FOLD, {"C": costs})
    values = []
    for cost in costs:
        ranker = make_ranker("svm-roc", C=cost).fit(FOLD.train.features, FOLD.train.labels, query_numbers(FOLD.train))
        values.append(mean(evaluate(FOLD.vali, scores_of(ranker, FOLD.vali), ["map"]), FOLD.vali)["map"])
    assert found.parameters["C"] == costs[int(np.argmax(values))]
    again = evaluate(FOLD.test, found.ranker.predict(FOLD.test.features), ["map"])
    assert found.metrics["map"] == mean(again, FOLD.test)["map"]
    assert isinstance(found, Fitted)


def test_a_choice_whose_training_comes_to_no_end_is_left_out_and_named() -> None:
    found = fit_best("svm-map:max_planes=8", FOLD, {"C": [0.001, 1e6]})
    assert found.parameters["C"] == 0.001
    assert len(found.left_out) == 1
    assert "C=1000000" in found.left_out[0]
    assert "no solution within 8 planes" in found.left_out[0]
    with pytest.raises(Unsolved, match=r"C=1000000\.0.*no solution within 8 planes.*; svm-map:C=10000000\.0"):
        fit_best("svm-map:max_planes=8", FOLD, {"C": [1e6, 1e7]})
    with pytest.raises(BadInput, match="no query has both"):  # what no C can mend stops at once
        fit_best("svm-map:relevant=9", FOLD, {"C": [1.0, 2.0]})


def test_another_measure_chooses() -> None:
    assert "ndcg@3" in fit_best("svm-ndcg", FOLD, {"C": [1.0], "k": [3]}, measure="ndcg@3").metrics


def test_unknown_things_are_named() -> None:
    with pytest.raises(
        UnknownName, match=r"unknown ranker 'svm-mpa' \(did you mean 'svm-map'\?\)\. Known: lightgbm, svm-acc"
    ):
        fit_best("svm-mpa", FOLD)
    with pytest.raises(BadInput, match="svm-map has no parameter 'k'; its parameters: C, tolerance, max_planes"):
        fit_best("svm-map", FOLD, {"k": [3]})
    with pytest.raises(BadInput, match="svm-acc2 has no parameter 'balanced'"):
        make_ranker("svm-acc2", balanced=False)
    with pytest.raises(BadInput, match="the grid has no values"):
        fit_best("svm-map", FOLD, {"C": []})


def test_a_bad_value_is_named_before_anything_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SVMNdcg, "fit", lambda *given: pytest.fail("a fit began"))
    with pytest.raises(BadInput, match="svm-ndcg: k must be a whole number, not 'ten'"):
        fit_best("svm-ndcg", FOLD, {"k": [3, "ten"]})
    with pytest.raises(BadInput, match=r"truth must be one of best, mean, not 'bets' .did you mean 'best'"):
        make_ranker("svm-ndcg", truth="bets")


def test_what_is_written_with_a_name_is_not_searched_for() -> None:
    found = fit_best("svm-ndcg:C=10,k=3", FOLD)
    assert (found.name, found.parameters["C"], found.parameters["k"]) == ("svm-ndcg:C=10,k=3", 10.0, 3)
    with pytest.raises(BadInput, match="svm-ndcg:C=10 says what C is, so that the grid cannot choose it"):
        fit_best("svm-ndcg:C=10", FOLD, {"C": [1, 2]})


def test_a_ranker_knows_the_name_that_says_most() -> None:
    assert (SVMAcc(balanced=True).spec.name, SVMAcc(convert="ranges", C=3).spec.name) == ("svm-acc2", "svm-acc4")
    assert "balanced" not in SVMAcc(balanced=True).spec.parameters
    found = fit_best("svm-acc2", FOLD, {"C": [10.0]}).ranker
    assert (found.spec.name, found.spec.parameters["C"]) == ("svm-acc2", 10.0)

    class Mine(SVMAcc):
        pass

    with pytest.raises(BadInput, match="Mine has no name among rankers; known: lightgbm, "):
        Mine().spec  # noqa: B018
