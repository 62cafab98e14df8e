from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from duelist.data import Dataset, synthetic
from duelist.online.continuous import RankingDescent
from duelist.reproductions import dbgd_web
from duelist.reproductions.dbgd_web import (
    DISTANCES,
    GRID,
    PUBLISHED,
    RATES,
    SAMPLED,
    against_svm,
    best_steps,
    by_query,
    search,
    shape_rows,
)
from duelist.reproductions.reproduction import Reproduction, Setting


def test_the_published_table_has_its_own_shape_and_one_turned_round_has_not() -> None:
    runs = np.array(PUBLISHED["final"])[..., None] + np.random.default_rng(1).normal(0, 1e-4, (4, 5, 4))
    rows = shape_rows("final", runs)
    assert [row.agrees for row in rows] == [None, True, True, True, True]
    assert "delta 1, gamma 0.01" in rows[0].cell
    assert [round(row.ours.mean, 3) for row in rows[1:4]] == [0.027, 0.019, 0.936]
    rising = (
        np.broadcast_to(np.linspace(0.1, 0.5, 5)[:, None], (4, 5, 4)) + np.random.default_rng(1).random((4, 5, 4)) / 99
    )
    assert [row.agrees for row in shape_rows("final", rising)] == [None, True, False, False, False]


def test_the_ranking_svm_is_compared_query_by_query() -> None:
    data = synthetic(queries=40, documents=20, features=3, seed=1)
    labelled = by_query(data, data.labels.astype(float))
    lead, wins, losses = against_svm("training", data, labelled, [np.eye(3)[0], np.eye(3)[1]])
    values = [by_query(data, data.features[:, column]) for column in (0, 1)]
    assert lead.ours.mean == pytest.approx(1 - np.mean(values))
    assert lead.agrees is False
    assert wins.ours.mean == pytest.approx(np.mean([(own < 1).mean() for own in values]))
    assert losses.ours.mean == 0.0
    assert wins.agrees is losses.agrees is None  # of other data than the paper's


def test_the_best_steps_are_those_that_learn_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dbgd_web, "DISTANCES", (0.5,))
    monkeypatch.setattr(dbgd_web, "RATES", (1e-7, 0.03))
    data = synthetic(queries=30, documents=20, features=4, seed=1)
    assert best_steps(data, 3, 10_000) == (0.5, 0.03)


def test_small_steps_are_given_the_time_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a tenth a large step is ahead, after a half the third of the four best; the fifth is tried no longer."""
    early = {0.1: 0.9, 0.05: 0.8, 0.01: 0.7, 0.005: 0.6, 0.001: 0.5}

    def made_up(data: Dataset, queries: int, distance: float, rate: float, comparisons: int, runs: int) -> Any:
        assert comparisons % queries == 0
        late = 1.0 if rate in (0.01, 0.001) else 0.5
        return SimpleNamespace(ndcg=np.array([[early[rate] if comparisons == 99 else late]]))

    monkeypatch.setattr(dbgd_web, "search", made_up)
    monkeypatch.setattr(dbgd_web, "DISTANCES", (1.0,))
    assert best_steps(synthetic(3, 3, 2, seed=1), 3, 1000) == (1.0, 0.01)


@pytest.mark.parametrize("reproduction", [GRID, SAMPLED], ids=lambda r: r.name)
def test_every_cell_is_run(
    reproduction: Reproduction, data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = data("mq2007-partial/S1.txt.gz").parent.parent
    monkeypatch.setattr(dbgd_web, "QUICK", 4_000)  # what is looked at is that all is there
    steps: list[int] = []
    if reproduction is SAMPLED:
        monkeypatch.setattr(dbgd_web, "DISTANCES", (1.0,))
        monkeypatch.setattr(dbgd_web, "RATES", (0.05,))
    report = reproduction.run(Setting(quick=True, data=home, advance=steps.append))
    assert len(report.rows) == (10 if reproduction is GRID else 13)
    assert sum(steps) == reproduction.steps == (len(DISTANCES) * len(RATES) if reproduction is GRID else 6)
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 1000


def astray(data: Dataset, queries: int, distance: float, rate: float, comparisons: int, runs: int) -> RankingDescent:
    """Steps that are much too large."""
    return search(data, queries, distance, 1e3 * rate, comparisons, runs)


@pytest.mark.breaks("dbgd-web-2", "dbgd-web-3")
def test_steps_that_lead_nowhere_are_noticed(data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    small = Setting(quick=True, data=data("mq2007-partial/S1.txt.gz").parent.parent)
    monkeypatch.setattr(dbgd_web, "QUICK", 20_000)
    monkeypatch.setattr(dbgd_web, "FEW", 3)
    monkeypatch.setattr(dbgd_web, "DISTANCES", (1.0,))
    monkeypatch.setattr(dbgd_web, "PUBLISHED", {half: rows[2:3] for half, rows in PUBLISHED.items()})
    monkeypatch.setattr(dbgd_web, "SAMPLES", (1, 10, 100))
    best_over_smallest = [row.agrees for row in GRID.run(small).rows[1::5]]
    monkeypatch.setattr(dbgd_web, "search", astray)
    assert (best_over_smallest, [row.agrees for row in GRID.run(small).rows[1::5]]) == ([True] * 2, [False] * 2)
    assert [row.agrees for row in SAMPLED.run(small).rows[4::3]] == [False] * 2  # the SVM is far ahead
