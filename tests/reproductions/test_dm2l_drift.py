from pathlib import Path

import numpy as np
import pytest
from duelist.reproductions.reproduction import Setting
from duelist.reproductions import dm2l_drift
from duelist.reproductions.dm2l_drift import DRIFT, best, compare, find_folds, measure_points, ratio


def test_a_ratio_is_claimed_for_the_whole_interval() -> None:
    luck = np.random.default_rng(0)
    low, high = luck.normal(0.8, 0.02, 20), luck.normal(1.0, 0.02, 20)
    row = ratio("a / b", low, high)
    assert row.cell == "a / b: below 1"
    assert row.measured == pytest.approx(0.8, abs=0.02)
    assert row.agrees
    assert not ratio("b / a", high, low).agrees
    assert not ratio("a / a", low, low).agrees
    assert ratio("a / a", low, low, most=1.1).agrees


def test_every_meta_learner_is_compared_with_its_base_and_the_first_with_all_rivals() -> None:
    sample = np.ones(4)
    found = dict.fromkeys(("dbgd", "best step", "dm2l", "dm2l, as printed", "window-dbgd"), sample)
    cells = [row.cell for row in compare("here", "slow", "dbgd", found)]
    assert cells == [
        "here, slow, dm2l / dbgd: below 1",
        "here, slow, dm2l, as printed / dbgd: below 1",
        "here, slow, dm2l / best step: below 1",
        "here, slow, dm2l / window-dbgd: below 1",
    ]
    assert "dm2l / dbgd: below 1.1" in compare("here", "no drift", "dbgd", found)[0].cell


def test_the_best_sample_is_that_of_the_lowest_mean() -> None:
    assert best([np.array([1.0, 9.0]), np.array([3.0, 4.0])]).tolist() == [3.0, 4.0]


def test_a_best_point_that_turns_fast_is_followed_better_and_one_that_stays_is_found_by_small_steps_only() -> None:
    fast = measure_points(dm2l_drift.POINTS["fast"], 3)
    assert fast["dm2l"].max() < fast["dbgd"].min()
    still = measure_points(dm2l_drift.POINTS["no drift"], 3)
    assert still["dm2l"].max() < still["dbgd"].min() < still["dm2l, paper's grid"].min()
    assert still["best step"].mean() <= still["dbgd"].mean()


def test_without_data_folds_are_made(tmp_path: Path) -> None:
    place, folds = find_folds(Setting(data=tmp_path))
    assert (place, len(folds)) == ("made data", 1)


def test_the_report_has_all_rows_and_a_chart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dm2l_drift, "HORIZON", 200)
    monkeypatch.setattr(dm2l_drift, "IMPRESSIONS", 100)
    monkeypatch.setattr(dm2l_drift, "TASTES", {"no drift": "fixed:seed={}", "abrupt": "abrupt:times=50,seed={}"})
    report = DRIFT.run(Setting(quick=True, data=tmp_path))
    assert len(report.rows) == 4 * 4 + 2 * 4
    report.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000
