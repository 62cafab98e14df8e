"""Watched experiments without a difference: what must hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from duelist.reproductions.peeking import DELTAS, PEEKING, peek, peek_at_totals
from duelist.reproductions.reproduction import Setting

from duelist.evidence.watch import ALWAYS_VALID


@pytest.mark.parametrize("kind", DELTAS)
def test_always_valid_methods_keep_their_promise_and_the_z_test_does_not(kind: str) -> None:
    alarms = peek(kind, experiments=2000, users=2000, seed=7)
    rates = {name: float(alarm[:, -1].mean()) for name, alarm in alarms.items()}
    assert all(rates[name] <= 0.05 for name in ALWAYS_VALID), rates
    assert rates["z-test"] > 0.25


def test_totals_that_change_break_the_promise() -> None:
    assert peek_at_totals(200).mean() > 0.08


def test_the_reproduction_agrees_and_draws(tmp_path: Path) -> None:
    report = PEEKING.run(Setting(quick=True))
    assert [row.cell for row in report.rows if not row.agrees] == []
    report.draw(tmp_path / "peeking.png")
    assert (tmp_path / "peeking.png").stat().st_size > 10_000
