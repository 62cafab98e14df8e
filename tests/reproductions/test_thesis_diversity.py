"""Chapter 4 of the thesis, slips and differences included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.memory import Ints
from duelist.offline.diversity import Candidates, SVMDiv, candidates, choose_knowing_subtopics, svm_div
from duelist.offline.diversity.coverage import word_coverage
from duelist.offline.diversity.synthetic import synthetic_queries
from duelist.reproductions import thesis_diversity, thesis_diversity_curves
from duelist.reproductions.reproduction import Reproduction, Setting
from duelist.reproductions.thesis_diversity import FULL, QUICK, SIZE, TABLE, baselines, figure_4_4, losses
from duelist.reproductions.thesis_diversity_curves import COSTS, SIZES, TRAINING, missed, risk_of


def learnt_once() -> Callable[[SVMDiv, Sequence[Candidates]], SVMDiv]:
    """A `fit` that learns from the same queries, with the same parameters, once."""
    fit, learnt = SVMDiv.fit, dict[Any, tuple[Sequence[Candidates], dict[str, Any]]]()

    def fit_once(self: SVMDiv, queries: Sequence[Candidates]) -> SVMDiv:
        key = repr(self.get_params()), *map(id, queries)
        if key not in learnt:
            learnt[key] = queries, vars(fit(self, queries)).copy()
        self.__dict__ |= learnt[key][1]
        return self

    return fit_once


@pytest.fixture(scope="module", autouse=True)
def _made_once() -> Iterator[None]:
    """Queries, what their documents cover and what is learnt of it depend on what is asked for alone."""
    made = cache(lambda seed: synthetic_queries(QUICK.sets * QUICK.train + FULL.test, seed=seed))
    with pytest.MonkeyPatch.context() as patch:
        for module in (thesis_diversity, thesis_diversity_curves):
            patch.setattr(module, "synthetic_queries", lambda number, seed: made(seed)[:number])
        patch.setattr(svm_div, "word_coverage", cache(word_coverage))
        patch.setattr(SVMDiv, "fit", learnt_once())
        yield


def test_figure_4_4_is_right_for_other_counts() -> None:
    assert [round(row.ours.mean, 3) for row in figure_4_4()] == [0.2, 0.4, 0.4, 0.167, 0.333, 0.5]
    assert [row.agrees for row in figure_4_4()] == [False] * 3 + [True] * 3


def test_splits_do_not_overlap() -> None:
    parts = QUICK.split()
    assert [len(part) for part in parts] == [15, 5, 25]
    assert len({id(query) for part in parts for query in part}) == 45


def test_baselines_are_losses_of_each_query() -> None:
    query = candidates([{"a": 1, "b": 1}, {"a": 2}, {"b": 1, "c": 4}], subtopics=[{1}, {1, 2}, {2}], query=["a"])
    found = baselines([query, query], 1)
    assert {name: len(values) for name, values in found.items()} == dict.fromkeys(found, 2)
    assert found["subtopics known"].tolist() == [0.0, 0.0]
    assert found["unweighted"].tolist() == [0.5, 0.5]
    assert losses([query], lambda each: choose_knowing_subtopics(each, 1)).tolist() == [0.0]


def test_the_table_agrees_but_for_what_is_explained(tmp_path: Path) -> None:
    report = TABLE.run(Setting(quick=True))
    against = [row for row in report.rows if row.cell.startswith("SVM-div (")]
    assert len(against) == 4
    assert all(row.agrees and row.ours.high < -0.03 for row in against)
    wrong = [row.cell.split(" (")[0] for row in report.rows if row.agrees is False]
    assert set(wrong) <= {"Figure 4.4, 1 of", "Figure 4.4, 2 of", "SVM-div2", "unweighted", "Essential Pages"}
    report.chart.draw(tmp_path / "table.png")
    assert (tmp_path / "table.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("figure", "wrong"),
    [(TRAINING, []), (COSTS, ["training loss at C = 1 less that at 1e-06"]), (SIZES, [])],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_claims_of_the_figures_hold_but_that_a_larger_c_fits_better(
    figure: Reproduction, wrong: list[str], tmp_path: Path
) -> None:
    steps: list[int] = []
    report = figure.run(Setting(quick=True, advance=steps.append))
    assert sum(steps) == figure.steps
    assert report.rows
    assert [row.cell for row in report.rows if row.agrees is False] == wrong
    assert all(np.isfinite(row.ours).all() for row in report.rows)
    report.chart.draw(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_a_larger_c_lowers_the_risk_and_greed_misses_what_it_asks_for() -> None:
    train = QUICK.split()[0]
    small, large = (SVMDiv(C=cost, k=SIZE).fit(train) for cost in (1e-6, 1.0))
    assert risk_of(large) < 0.5 * risk_of(small)
    assert missed(small, train) == 0.0
    assert missed(large, train) > 0.5


def turn_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let SVM-div choose by its weights with the wrong sign."""
    right = SVMDiv.predict

    def predict(self: SVMDiv, query: Candidates) -> Ints:
        self.coef_ = -self.coef_
        try:
            return right(self, query)
        finally:
            self.coef_ = -self.coef_

    monkeypatch.setattr(SVMDiv, "predict", predict)


def disagreeing(figure: Reproduction) -> list[str]:
    return [row.cell for row in figure.run(Setting(quick=True)).rows if row.agrees is False]


@pytest.mark.breaks("thesis-4.1", "thesis-4.6", "thesis-4.7")
def test_weights_of_the_wrong_sign_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    turn_round(monkeypatch)
    lost = {cell.split(" (")[0] for cell in disagreeing(TABLE) if "less" in cell}
    assert {"SVM-div", "SVM-div against Essential Pages, wins less losses a query"} <= lost
    assert "at the best C less half way from subtopics known to Essential Pages" in disagreeing(COSTS)
    assert len(disagreeing(SIZES)) == 2


@pytest.mark.breaks("thesis-4.5")
def test_training_with_the_first_query_alone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = SVMDiv.fit

    def fit(self: SVMDiv, queries: Sequence[Candidates]) -> SVMDiv:
        return right(self, queries[:1])

    monkeypatch.setattr(SVMDiv, "fit", fit)
    assert len(disagreeing(TRAINING)) == 1
