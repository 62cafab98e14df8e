"""Certain of the winner: rarely wrong in any world, and not by never being certain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.reproductions import certain
from duelist.reproductions.certain import CERTAIN, QUICK, WORLDS, claims
from duelist.reproductions.reproduction import Setting


@pytest.mark.parametrize("target", ["condorcet", "copeland"])
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("policy", QUICK)
def test_certain_and_wrong_is_rare(policy: str, world: str, target: str) -> None:
    """Five or more of 25 happen by chance in 1 of 140 if 5 % are wrong."""
    assert claims(policy, world, 25, target, seed=100).wrong.sum() < 5


def test_an_easy_world_makes_certain() -> None:
    assert np.isfinite(claims("uniform", "easy", 10).after).all()


def test_the_reproduction_agrees_and_draws(tmp_path: Path) -> None:
    report = CERTAIN.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == []
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000


@pytest.mark.breaks("certain")
def test_claims_that_are_made_too_soon_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certain, "sure_winner", lambda wins, confidence, target: (int(wins.sum(1).argmax()),))
    monkeypatch.setattr(certain, "QUICK", ("uniform",))
    assert not CERTAIN.run(Setting(quick=True)).agrees
