"""Section 3.3 of the thesis: its design, and what is claimed of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.data import Dataset, Fold, synthetic
from duelist.offline import SVMMap
from duelist.offline.rankers import make_ranker, query_numbers, scores_of
from duelist.reproductions import thesis_map
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.thesis_map import (
    LEARNING,
    ORDERS,
    Experiment,
    against,
    average_precisions,
    best_functions,
    cranfield,
    fit_and_judge,
    in_steps,
    measure,
    sample_queries,
    trials,
)


def test_every_query_is_in_each_part_equally_often() -> None:
    made = list(trials(ORDERS))
    assert len(made) == 50
    for trial in made:
        assert [len(part) for part in trial] == [10, 5, 35]
        assert sorted(np.concatenate(trial)) == list(range(50))  # so the parts share no query
    for part, times in (("train", 10), ("vali", 5), ("test", 35)):
        counts = np.bincount(np.concatenate([getattr(trial, part) for trial in made]), minlength=50)
        assert counts.tolist() == [times] * 50
    assert len({frozenset(trial.train.tolist()) for trial in made}) == 50


def test_sets_of_queries_are_disjoint_useful_and_keep_their_documents() -> None:
    pages = synthetic(queries=160, documents=6, features=3, seed=1)
    labels = pages.labels.copy()
    labels[: 6 * 20], labels[6 * 20 : 6 * 40] = 0, 2  # nothing relevant, and nothing else
    sets = sample_queries(Dataset(pages.features, labels, pages.offsets, pages.queries, pages.feature_numbers), 2)
    assert len({query for part in sets for query in part.queries}) == 100
    known = {tuple(row): int(label > 0) for row, label in zip(pages.features, labels, strict=True)}
    for part in sets:
        assert {known[tuple(row)] for row in part.features} == {0, 1}
        assert [known[tuple(row)] for row in part.features] == part.labels.tolist()
        found = part.labels.reshape(50, 6).sum(1)
        assert ((found > 0) & (found < 6)).all()


def test_cuts_do_not_look_at_labels() -> None:
    pages = synthetic(queries=50, documents=20, features=2, seed=1)
    other = Dataset(
        pages.features, 1 - np.minimum(pages.labels, 1), pages.offsets, pages.queries, pages.feature_numbers
    )
    assert in_steps(pages).n_features == 100
    np.testing.assert_array_equal(in_steps(pages).features, in_steps(other).features)


def test_the_cost_is_chosen_on_the_validation_queries() -> None:
    pages = synthetic(queries=50, documents=20, features=5, seed=3)
    train, vali, test = (pages.select(part) for part in next(trials(1)))
    costs = (1.0, 10.0, 1000.0)
    rankers = [make_ranker("svm-map", C=cost).fit(train.features, train.labels, query_numbers(train)) for cost in costs]
    on_vali, on_test = (
        [average_precisions(part, scores_of(ranker, part)) for ranker in rankers] for part in (vali, test)
    )
    means = [values.mean() for values in on_vali]
    assert np.argmax(means) != np.argmax([values.mean() for values in on_test])
    found = fit_and_judge("svm-map", Fold(train, vali, test), costs)
    np.testing.assert_array_equal(found, on_test[int(np.argmax(means))])


def test_a_query_counts_only_where_it_is_tested() -> None:
    pages = synthetic(queries=50, documents=8, features=3, seed=2)
    steps: list[int] = []
    found = measure(pages, 1, (1.0,), lambda: steps.append(1))
    assert len(steps) == 10
    sums = np.zeros(50)
    for trial in trials(1):
        sums[trial.test] += fit_and_judge("svm-acc4", Fold(*map(pages.select, trial)), (1.0,))
    np.testing.assert_allclose(found["svm-acc4"], sums / 7)


def test_the_best_functions_are_judged_on_all_queries() -> None:
    pages = synthetic(queries=50, documents=10, features=4, seed=1)
    best = best_functions(Experiment("pages", pages, ("a", "b", "c", "d")))
    means = {"abcd"[n]: average_precisions(pages, pages.features[:, n]).mean() for n in range(4)}
    names = sorted(means, key=lambda name: -means[name])[:3]
    assert list(best) == [
        f"{place} ({name})"
        for place, name in zip(("best function", "2nd function", "3rd function"), names, strict=True)
    ]


@pytest.mark.parametrize(
    ("rival", "lead", "agrees", "stars"),
    [
        ("svm-acc", 0.1, True, True),
        ("svm-acc", 0.001, False, False),
        ("svm-acc", -0.1, False, True),
        ("svm-roc", 0.1, False, True),  # it was not significantly worse
        ("svm-roc", -0.001, True, False),
        ("svm-roc", -0.1, False, True),
    ],
)
def test_a_claim_needs_a_difference_that_the_test_sees(rival: str, lead: float, agrees: bool, stars: bool) -> None:
    noise = np.random.default_rng(1).normal(0.0, 0.02, 50)
    row = against("data", rival, 0.5 + lead + noise - noise.mean(), np.full(50, 0.5))
    assert row.agrees is agrees
    assert ("**" in row.cell) is stars
    assert f"{rival} 0.500" in row.cell
    assert row.ours.mean == pytest.approx(lead)


def test_cranfield_gives_two_sets_of_fifty(data: Callable[[str], Path]) -> None:
    both = cranfield(data("cranfield/cranqrel").parent)
    assert len({query for experiment in both for query in experiment.data.queries}) == 100
    for experiment in both:
        assert experiment.data.n_features == len(experiment.functions) == 15
        assert np.diff(experiment.data.offsets).max() < 200  # of 1,400 documents


def test_a_small_version_runs(data: Callable[[str], Path], tmp_path: Path) -> None:
    steps: list[int] = []
    report = LEARNING.run(Setting(quick=True, data=data("mq2008/S1.txt.gz").parents[1], advance=steps.append))
    assert sum(steps) == LEARNING.steps
    assert [row.cell.split(" less ")[1].split(",")[0].rsplit(" ", 1)[0] for row in report.rows] == [
        *("best function (feature 39)", "2nd function (feature 38)", "3rd function (feature 23)"),
        *("svm-roc", "svm-acc", "svm-acc2", "svm-acc3", "svm-acc4"),
    ]
    assert report.rows[4].agrees  # svm-acc: few trials suffice to see it
    report.chart.draw(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000


@pytest.mark.breaks("thesis-3.6")
def test_an_svm_map_of_the_wrong_sign_is_noticed(data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(ranker: Any, part: Dataset) -> Floats:
        return -scores_of(ranker, part) if isinstance(ranker, SVMMap) else scores_of(ranker, part)

    monkeypatch.setattr(thesis_map, "scores_of", turned)
    monkeypatch.setattr(thesis_map, "ON_STEPS", ("svm-map", "svm-roc", "svm-acc"))
    monkeypatch.setattr(thesis_map, "ON_SCORES", ())
    report = LEARNING.run(Setting(quick=True, data=data("mq2008/S1.txt.gz").parents[1]))
    assert [row.agrees for row in report.rows] == [False] * 5


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cranfield"):
        LEARNING.run(Setting(data=tmp_path))
