"""Pairs chosen by policies: what must hold, and what must not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.evidence.rates import planned_limits
from duelist.ranking import leaderboard
from duelist.reproductions import adaptive_intervals
from duelist.reproductions.adaptive_intervals import ADAPTIVE, QUICK, missed, play
from duelist.reproductions.reproduction import Setting


@pytest.mark.parametrize("policy", [policy for policy in QUICK if policy != "uniform"])
def test_the_usual_interval_is_wrong_and_the_always_valid_one_is_not(policy: str) -> None:
    """Of 40 boards 2 are promised to be wrong; six or more happen by chance in 1 of 70 if the promise is kept."""
    found = missed(policy, 40, seed=5000)
    assert found.planned_board.sum() >= 6
    assert found.valid_board.sum() <= 5
    assert found.valid_pairs.sum() <= 5


@pytest.mark.parametrize("policy", ["rucb", "d-ts", "self-sparring", "winner-stays-weak", "rmed1"])
def test_all_always_valid_intervals_hold_together_where_arms_differ(policy: str) -> None:
    strength = np.linspace(0.6, -0.6, 4)
    preference = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    wrong = 0
    for seed in range(40):
        log = play(policy, preference, 600, seed)
        held = True
        for until in (100, 250, len(log)):  # looked at three times
            board = leaderboard(log.take(np.arange(len(log)) < until), kind="always-valid", prior=1.0)
            for each in board.standings:
                held &= each.low <= strength[each.arm] - strength[list(board.arms)].mean() <= each.high
                held &= each.rank_low <= each.arm + 1 <= each.rank_high
        wrong += not held
    assert wrong <= 5


def test_the_reproduction_agrees_and_draws(tmp_path: Path) -> None:
    report = ADAPTIVE.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == []
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000


@pytest.mark.breaks("adaptive-intervals")
def test_limits_that_are_too_narrow_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive_intervals, "always_valid_limits", planned_limits)
    monkeypatch.setattr(adaptive_intervals, "QUICK", ("d-ts",))
    rows = ADAPTIVE.run(Setting(quick=True)).rows
    assert [row.cell for row in rows if row.agrees is False] == ["d-ts: always-valid pairs, watched"]
