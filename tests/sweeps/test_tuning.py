"""Searches: the same trials whoever runs them, nothing twice, and the right direction."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import DuelistError, MissingExtra
from duelist.sweeps import Cell, Folder, Memory, Plan, tune
from duelist.sweeps.policies import PolicyRuns


def plan(search: dict[str, Any], **changes: Any) -> Plan:
    record = {"policies": "rucb", "environments": ["arxiv"], "horizon": 2000, "runs": 10, "points": 1, "seeds": [1]}
    return Plan.from_dict({**record, "search": search, **changes})


ALPHA = {"alpha": {"low": 0.51, "high": 8.0, "log": True}}
SMALL = {"trials": 9, "batch": 4, "seed": 3, "parameters": ALPHA}


def test_less_exploration_is_found_to_be_better_here() -> None:
    found = tune(plan(SMALL), Memory)
    means = [float(trial.value.mean) for trial in found.trials]
    assert (len(means), means) == (9, sorted(means))
    best, worst = found.trials[0].spec.parameters["alpha"], found.trials[-1].spec.parameters["alpha"]
    assert best < 1.5 < 3 < worst
    again = PolicyRuns(found.best, "arxiv", 2000, 10, 1, points=1).run(0, 10)
    assert means[0] == float(again.regret().mean)
    assert found.table.rows[0][0] == str(found.best)
    best_so_far = found.chart.panels[0].lines[1].y
    assert np.array_equal(best_so_far, np.minimum.accumulate(best_so_far))
    assert found.summary()["best"] == str(found.best)


def test_a_search_that_is_resumed_asks_the_same_and_runs_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept(cells: Sequence[Cell]) -> Folder:
        return Folder(tmp_path, cells)

    wanted = {"trials": 6, "batch": 3, "parameters": ALPHA}
    short = {"runs": 2, "horizon": 100}
    first = tune(plan(wanted, **short), kept, trials=3)
    whole = tune(plan(wanted, **short), kept)
    asked = {str(trial.spec) for trial in whole.trials}
    assert {str(trial.spec) for trial in first.trials} < asked
    monkeypatch.setattr(PolicyRuns, "run", None)
    again = tune(plan(wanted, **short), kept)
    assert [(str(t.spec), t.sample.tolist()) for t in again.trials] == [
        (str(t.spec), t.sample.tolist()) for t in whole.trials
    ]


def test_of_ndcg_the_most_is_wanted_and_of_several_worlds_the_mean() -> None:
    found = tune(
        Plan.from_dict(
            {
                "learners": "pdgd",
                "data": "synthetic:queries=40,documents=10",
                "folds": [1, 2],
                "clicks": "perfect",
                "impressions": 60,
                "runs": 2,
                "search": {"goal": "final_ndcg", "trials": 4, "parameters": {"rate": [0.0001, 0.5]}},
            }
        ),
        Memory,
    )
    means = [float(trial.value.mean) for trial in found.trials]
    assert means == sorted(means, reverse=True)
    assert all(len(trial.sample) == 4 for trial in found.trials)


@pytest.mark.parametrize(
    ("search", "changes", "message"),
    [
        ({}, {}, r"a search needs \[search.parameters\]"),
        ({"goal": "weak"}, {}, r"a search needs \[search.parameters\]"),
        ({"trails": 3, "parameters": ALPHA}, {}, r"has no parameter 'trails' \(did you mean 'trials'\?\)"),
        ({"trials": 0, "parameters": ALPHA}, {}, "trials must be a whole number of at least 1, not 0"),
        ({"parameters": {"alhpa": [1, 2]}}, {}, r"rucb has no parameter 'alhpa' \(did you mean 'alpha'\?\)"),
        ({"parameters": {"alpha": [0.1, 2]}}, {}, "rucb: alpha must be a number above 0.5, not 0.1"),
        ({"parameters": {"alpha": 2}}, {}, "alpha is searched in {low = ..., high = ...} or in a list of values"),
        ({"parameters": {"alpha": {"low": 2, "high": 1}}}, {}, "alpha has no range from 2.0 to 1.0"),
        ({"parameters": {"alpha": {"low": 1, "high": 2, "lgo": 1}}}, {}, "a range has low, high and log, not 'lgo'"),
        ({"goal": "storng", "parameters": ALPHA}, {"horizon": 10}, "there is no goal 'storng' here"),
        ({"parameters": ALPHA}, {"policies": ["rucb", "rex3"]}, "a search is for one policy or learner, not for rucb"),
    ],
)
def test_what_cannot_be_searched_is_named(search: dict[str, Any], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DuelistError, match=message):
        tune(plan(search, **changes), Memory)


def test_without_optuna_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtra, match=r"pip install 'duelist\[search\]'"):
        tune(plan(SMALL), Memory)


def test_whole_numbers_stay_whole() -> None:
    found = tune(
        plan({"trials": 3, "parameters": {"size": {"low": 10, "high": 20}}}, policies="window", horizon=50, runs=1),
        Memory,
    )
    assert all(isinstance(trial.spec.parameters["size"], int) for trial in found.trials)
