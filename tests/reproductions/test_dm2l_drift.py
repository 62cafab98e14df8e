from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.online.continuous import descend
from duelist.reproductions import dm2l_drift
from duelist.reproductions.dm2l_drift import DRIFT, POINTS, best, compare, find_folds, measure_points
from duelist.reproductions.reproduction import Setting
from duelist.sweeps import descents


def test_a_claim_is_of_the_meta_learner_and_its_base_and_rivals_are_observed() -> None:
    luck = np.random.default_rng(0)
    low, high = luck.normal(0.8, 0.02, 20), luck.normal(1.0, 0.02, 20)
    found = {"dbgd": high, "best step": low, "dm2l": low, "dm2l, as printed": high, "window-dbgd": high}
    rows = compare("here", "slow", "dbgd", found)
    assert [(row.cell, row.reference.text, row.agrees) for row in rows] == [
        ("here, slow, dm2l / dbgd", "below 1", True),
        ("here, slow, dm2l, as printed / dbgd", "below 1", False),
        ("here, slow, dm2l / best step", "", None),
        ("here, slow, dm2l / window-dbgd", "", None),
    ]
    assert rows[0].ours.mean == pytest.approx(0.8, abs=0.02)


def test_without_drift_the_meta_learner_may_lose_a_tenth() -> None:
    found = {"dbgd": np.ones(9), "dm2l": np.full(9, 1.05), "dm2l, as printed": np.full(9, 1.2)}
    assert [row.agrees for row in compare("here", "no drift", "dbgd", found)] == [True, False]
    assert [row.agrees for row in compare("here", "slow", "dbgd", found)] == [False, False]


def test_the_best_sample_is_that_of_the_lowest_mean() -> None:
    assert best([np.array([1.0, 9.0]), np.array([3.0, 4.0])]).tolist() == [3.0, 4.0]


def test_a_best_point_that_turns_fast_is_followed_better_and_one_that_stays_is_found_by_small_steps_only() -> None:
    fast = measure_points(dm2l_drift.POINTS["fast"], 3, Setting())
    assert fast["dm2l"].max() < fast["dbgd"].min()
    still = measure_points(dm2l_drift.POINTS["no drift"], 3, Setting())
    assert still["dm2l"].max() < still["dbgd"].min() < still["dm2l, paper's grid"].min()
    assert still["best step"].mean() <= still["dbgd"].mean()


@pytest.mark.breaks("dm2l-drift")
def test_experts_that_hardly_move_do_not_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    untyped: Any = descend

    def slow(algorithm: str, *given: Any, **named: Any) -> Any:
        *others, settings = given
        return untyped(algorithm, *others, settings | ({"rate": 1e-7} if algorithm == "dm2l" else {}), **named)

    monkeypatch.setattr(dm2l_drift, "FACTORS", (1.0,))
    moving = POINTS["fast"]
    verdicts = [row.agrees for row in compare("value", "fast", "dbgd", measure_points(moving, 3, Setting()))]
    monkeypatch.setattr(descents, "descend", slow)
    broken = [row.agrees for row in compare("value", "fast", "dbgd", measure_points(moving, 3, Setting()))]
    assert (verdicts[:3], broken[:3]) == ([True] * 3, [False] * 3)


def test_without_data_folds_are_made(tmp_path: Path) -> None:
    folds = find_folds(Setting(data=tmp_path))
    assert (folds.name, len(folds.numbers)) == ("made data", 1)


def test_the_report_has_all_rows_and_a_chart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dm2l_drift, "HORIZON", 200)
    monkeypatch.setattr(dm2l_drift, "IMPRESSIONS", 100)
    monkeypatch.setattr(dm2l_drift, "TASTES", {"no drift": "fixed:seed={}", "abrupt": "abrupt:times=50,seed={}"})
    report = DRIFT.run(Setting(quick=True, data=tmp_path))
    assert len(report.rows) == 4 * 5 + 2 * 5
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000
