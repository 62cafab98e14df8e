"""Certain of the winner: rarely wrong in any world, and not by never being certain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.dueling.policy import POLICIES
from duelist.evidence.winners import TARGETS, sure_winner
from duelist.reproductions import certain
from duelist.reproductions.adaptive_intervals import play
from duelist.reproductions.certain import CERTAIN, QUICK, WORLDS, claims, counts, every_policy, is_right
from duelist.reproductions.reproduction import Report, Setting


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("policy", QUICK)
def test_certain_and_wrong_is_rare(policy: str, world: str) -> None:
    """Five or more of 25 happen by chance in 1 of 140 if 5 % are wrong."""
    found = claims(policy, world, 25, seed=100)
    assert {target: each.wrong.sum() for target, each in found.items() if each.wrong.sum() >= 5} == {}


def test_an_easy_world_makes_certain() -> None:
    found = claims("uniform", "easy", 10)
    assert all(np.isfinite(found[target].after).all() for target in ("condorcet", "copeland", "top-k", "ranking"))


def test_every_policy_is_there() -> None:
    ours = {name for name in POLICIES if POLICIES.get(name).__module__.startswith("duelist.")}
    assert {spec.partition(":")[0] for spec in every_policy()} == ours
    assert CERTAIN.steps == len(ours)


def test_the_looks_see_what_somebody_who_watches_sees() -> None:
    """Tables of wins, counted duel by duel, and the answer of `sure_winner` at the last look."""
    log = play("rucb", WORLDS["easy"], 777, seed=3)
    ends, tables = counts(log)
    assert ends[0] == 10
    assert ends[-1] == len(log)
    for end, table in zip(ends.tolist(), tables, strict=True):
        wins = np.zeros((5, 5))
        for left, right, outcome in zip(log.left[:end], log.right[:end], log.outcome[:end], strict=True):
            wins[left, right] += outcome
            wins[right, left] += 1 - outcome
        assert (table == wins).all()
    assert sure_winner(tables[-1]) == (0,)


def test_what_is_right() -> None:
    easy, around = WORLDS["easy"], WORLDS["circle"]
    assert is_right(easy, (0, 1, 2, 3, 4), "ranking")
    assert not is_right(easy, (0, 2, 1, 3, 4), "ranking")
    assert is_right(easy, (0, 1), "top-k")
    assert not is_right(easy, (0, 2), "top-k")
    assert not is_right(around, (0,), "condorcet")
    assert is_right(around, (1,), "copeland")
    assert not is_right(around, (1,), "borda")  # two others win as often
    assert not is_right(WORLDS["twins"], (0,), "condorcet")


def test_the_reproduction_agrees_and_draws(tmp_path: Path) -> None:
    report = CERTAIN.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == []
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000


def broken(monkeypatch: pytest.MonkeyPatch, times: int) -> Report:
    """The reproduction, where every duel is counted so many times."""
    monkeypatch.setattr(certain, "counts", lambda log: (counts(log)[0], times * counts(log)[1]))
    monkeypatch.setattr(certain, "QUICK", ("uniform",))
    return CERTAIN.run(Setting(quick=True))


@pytest.mark.breaks("certain")
def test_users_who_are_counted_three_times_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    refuted = [row.cell for row in broken(monkeypatch, 3).rows if row.agrees is False]
    assert "uniform, condorcet: wrong at worst, in twins" in refuted


def test_the_promise_of_each_target_can_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    refuted = [row.cell for row in broken(monkeypatch, 40).rows if row.agrees is False]
    assert [target for target in TARGETS if not any(f"uniform, {target}:" in cell for cell in refuted)] == []
