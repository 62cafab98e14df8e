"""Filters on rankers of a data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist import simulate
from duelist.dueling.environments import load_environment
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.policies import IF1, IF2
from duelist.reproductions import thesis_web_rankers
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.thesis_web_rankers import WEB_RANKERS, Played, judge, play_once


def test_a_run_is_that_of_the_usual_loop_and_pruning_saves_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thesis_web_rankers, "HORIZON", 300_000)
    world = load_environment("worst-case:arms=12,epsilon=0.15")
    assert isinstance(world, Matrix)
    runs = {kind.name: [play_once(kind, world, seed) for seed in range(30)] for kind in (IF1, IF2)}
    for name, played in runs.items():
        usual = simulate(name, world, 300_000, runs=30, seed=5, parameters={"radius_constant": 1.0}).regret()
        mean = np.mean([run.regret for run in played])
        assert abs(mean - usual.mean) < 2.5 * (usual.high - usual.mean)
    for one, two in zip(runs["if1"], runs["if2"], strict=True):
        assert one.rounds >= 1
        assert min(one.matches, two.matches) >= 11
    assert sum(run.matches for run in runs["if1"]) > 1.2 * sum(run.matches for run in runs["if2"])


def both(ratio: float, rounds: int) -> dict[str, Played]:
    regret, luck = np.full(40, 100.0), np.random.default_rng(0).normal(0, 0.01, 40)
    many = np.full(40, rounds)
    return {"if1": Played(regret * (ratio + luck), many * 2, many), "if2": Played(regret, many, many)}


def test_the_sentences_can_fail() -> None:
    assert [row.agrees for row in judge({100: both(1.3, 3), 500: both(1.4, 3)})] == [True, None, True] * 2 + [True]
    wrong = judge({100: both(0.9, 6), 500: both(1.4, 3)})
    assert [row.agrees for row in wrong] == [False, None, False, True, None, True, False]


@pytest.mark.breaks("thesis-5.3")
def test_the_quick_version_on_mq2008(data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    home = data("mq2008/S1.txt.gz").parent.parent
    monkeypatch.setattr(thesis_web_rankers, "POOL", 60)
    monkeypatch.setattr(thesis_web_rankers, "ARMS", (10, 15, 20))
    monkeypatch.setattr(thesis_web_rankers, "HORIZON", 200_000)
    report = WEB_RANKERS.run(Setting(quick=True, data=home))
    assert [row.agrees for row in report.rows[::3]] == [True] * 3
    assert [row.cell.split(":")[0] for row in report.rows[:6]] == ["10 arms"] * 3 + ["20 arms"] * 3
    assert len(report.rows) == 7
    monkeypatch.setattr(thesis_web_rankers, "play_once", lambda kind, world, seed: play_once(IF1, world, seed))
    same = WEB_RANKERS.run(Setting(quick=True, data=home))  # nothing is pruned
    assert [row.agrees for row in same.rows[:6:3]] == [False] * 2
