from __future__ import annotations

import itertools
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.dueling.environments import Matrix
from duelist.dueling.environments.instances import worst_case
from duelist.dueling.policies.interleaved_filter import IF1, IF2
from duelist.reproductions import thesis_random_walk
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.thesis_random_walk import RANDOM_WALK, beyond, rounds_from_any, rounds_from_worst, rounds_of


def paths(arm: int) -> list[tuple[tuple[int, ...], float]]:
    """Every path from an arm to the best, by Definition 1, with its probability."""
    if arm == 1:
        return [((1,), 1.0)]
    return [((arm, *path), chance / (arm - 1)) for better in range(1, arm) for path, chance in paths(better)]


@pytest.mark.parametrize("arms", range(1, 9))
def test_rounds_are_those_of_every_path(arms: int) -> None:
    found, anywhere = np.zeros(arms + 1), np.zeros(arms + 1)
    for path, chance in paths(arms):
        found[len(path)] += chance
    for start in range(1, arms + 1):
        for path, chance in paths(start):
            anywhere[len(path)] += chance / arms
    np.testing.assert_allclose(rounds_from_worst(arms), found, atol=1e-12)
    np.testing.assert_allclose(rounds_from_any(arms), anywhere, atol=1e-12)
    harmonic = sum(1 / i for i in range(1, arms))
    assert rounds_from_worst(arms) @ np.arange(arms + 1) == pytest.approx(1 + harmonic)
    assert rounds_from_any(arms) @ np.arange(arms + 1) == pytest.approx(harmonic + 1 / arms)


def test_visits_are_independent() -> None:
    """Lemma 6: of all sets of arms, the chance to visit them all is the product of 1 / i."""
    for size in range(1, 6):
        for wanted in combinations(range(1, 7), size):
            chance = sum(own for path, own in paths(7) if set(wanted) <= set(path))
            assert chance == pytest.approx(1 / math.prod(wanted))


def test_rounds_are_cycles_of_a_permutation() -> None:
    """Stirling's numbers of the first kind over n!, by their recursion."""
    counts = [1]
    for n in range(30):
        counts = [(counts[m - 1] if m else 0) + n * (counts[m] if m < len(counts) else 0) for m in range(n + 2)]
    np.testing.assert_allclose(rounds_from_any(30), [count / math.factorial(30) for count in counts], rtol=1e-10)
    assert beyond(rounds_from_any(30), 2.5) == pytest.approx(1 - sum(counts[:3]) / math.factorial(30))


@pytest.mark.parametrize("kind", [IF1, IF2])
def test_a_filter_plays_as_many_rounds_as_the_walk(kind: type[IF2]) -> None:
    """The whole distribution, by chi-squared."""
    world, runs = worst_case(6, epsilon=0.4), 200
    rounds = [rounds_of(kind, world, seed) for seed in np.random.SeedSequence(3).spawn(runs)]
    expected = runs * rounds_from_any(6)[1:]
    counts = np.bincount(rounds, minlength=7)[1:]
    expected, counts = np.append(expected[:3], expected[3:].sum()), np.append(counts[:3], counts[3:].sum())
    assert ((counts - expected) ** 2 / expected).sum() < 16.3  # one in a thousand, three degrees


def test_the_report_and_its_slip(tmp_path: Path) -> None:
    report = RANDOM_WALK.run(Setting(quick=True))
    kinds = ["independent"] * 2 + ["claim"] * 3  # the thesis prints no number
    assert [row.reference.kind for row in report.rows] == kinds
    assert [row.agrees for row in report.rows] == [True, True, True, True, False]  # m = d from d = e on is a slip
    report.chart.draw(tmp_path / "walk.png")
    assert (tmp_path / "walk.png").stat().st_size > 5_000


@pytest.mark.breaks("thesis-B.2")
def test_a_filter_that_plays_a_round_more_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        thesis_random_walk, "rounds_of", lambda kind, world, seed: 5 + int(seed.generate_state(1)[0] % 2)
    )
    assert [row.agrees for row in RANDOM_WALK.run(Setting(quick=True)).rows[:3]] == [False, False, False]


@pytest.mark.breaks("thesis-B.2")
def test_a_filter_that_begins_at_the_worst_arm_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that errs would: where all gaps are equal, whoever comes next leaves as many arms behind."""

    def from_worst(kind: type[IF2], world: Matrix, seed: np.random.SeedSequence) -> int:
        def begun(arms: int, **settings: Any) -> IF2:
            tries = (kind(arms, **{**settings, "seed": own}) for own in itertools.count())
            return next(policy for policy in tries if policy.incumbent[0] == arms - 1)

        return rounds_of(begun, world, seed)  # type: ignore[arg-type]

    monkeypatch.setattr(thesis_random_walk, "rounds_of", from_worst)
    assert [row.agrees for row in RANDOM_WALK.run(Setting(quick=True)).rows[:2]] == [False, False]
