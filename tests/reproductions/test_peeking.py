"""Watched experiments without a difference: what must hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelist.evidence.watch import ALWAYS_VALID
from duelist.reproductions import peeking
from duelist.reproductions.peeking import DELTAS, PEEKING, peek, peek_at_totals
from duelist.reproductions.reproduction import Setting


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
    assert [row.cell for row in report.rows if row.agrees is False] == []
    report.chart.draw(tmp_path / "peeking.png")
    assert (tmp_path / "peeking.png").stat().st_size > 10_000


@pytest.mark.breaks("peeking")
def test_deltas_that_are_not_fair_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Users who lean to one side by a tenth: there is a winner, and methods name it."""
    monkeypatch.setattr(peeking, "DELTAS", {"coin": lambda rng, shape: rng.choice([-1.0, 1.0], shape, p=[0.45, 0.55])})
    rows = PEEKING.run(Setting(quick=True)).rows
    promised = [row for row in rows if row.reference.below == 0.05]
    assert len(promised) == len(ALWAYS_VALID)
    assert not any(row.agrees for row in promised)
    assert not any(row.agrees for row in rows if row.reference.kind == "independent")
