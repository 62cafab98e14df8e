"""Learned weights on simulated pairs of rankers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.evidence.weights import FEATURES
from duelist.reproductions import thesis_weights
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.thesis_weights import SPOILED, WEIGHTS, simulate_pair, swap_some


def test_a_spoiled_ranking_holds_the_same_documents() -> None:
    luck, ranking = np.random.default_rng(0), np.arange(20)
    for spoil in SPOILED.values():
        spoiled = spoil(ranking, luck)
        assert sorted(spoiled.tolist()) == ranking.tolist()
        assert (spoiled != ranking).any()
    assert (swap_some(3, 5)(ranking, luck)[:5] != ranking[:5]).sum() == 3


def test_the_incumbent_earns_more_clicks_and_downloads() -> None:
    features = simulate_pair(SPOILED["shuffle the top 10"], 600, seed=0)
    click, download = (list(FEATURES).index(name) for name in ("1", "2"))
    assert features.shape == (600, 14)
    assert features[:, click].mean() > 0.1
    assert features[:, download].mean() > 0.1


def test_the_claims_of_the_thesis_hold(tmp_path: Path) -> None:
    report = WEIGHTS.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == []
    assert 0.1 < report.rows[2].ours.mean < 0.9
    report.chart.draw(tmp_path / "weights.png")
    assert (tmp_path / "weights.png").stat().st_size > 10_000


def test_where_downloads_say_no_more_than_clicks_the_largest_mean_does_not_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The notes say so, with these numbers."""
    monkeypatch.setattr(thesis_weights, "DOWNLOADS", (0.4, 0.4, 0.4))
    rows = WEIGHTS.run(Setting(quick=True)).rows
    assert [row.agrees for row in rows] == [False, True, True, True]
    assert [round(number, 2) for number in rows[0].ours] == [0.99, 0.88, 1.11]
    assert "needs .99 [.88, 1.11] of the baseline's queries" in WEIGHTS.missing


@pytest.mark.breaks("thesis-7.2")
def test_weights_that_were_not_learned_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only counting clicks, as the baseline does, needs as many queries as the baseline."""
    count = np.eye(len(FEATURES))[list(FEATURES).index("1")]
    monkeypatch.setattr(thesis_weights, "LEARNERS", dict.fromkeys(thesis_weights.LEARNERS, lambda features: count))
    assert [row.agrees for row in WEIGHTS.run(Setting(quick=True)).rows] == [False] * 4
