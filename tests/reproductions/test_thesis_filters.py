"""How the ratio of IF1's regret to IF2's grows with the number of arms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from duelist.reproductions.catalogue import find
from duelist.reproductions.figures import RATIOS, Ratio
from duelist.reproductions.reproduction import Found, Measured, Setting


def samples(instance: str, first: float, last: float) -> Found:
    """Runs of nine numbers of arms, with ratios of regrets that go from one number to another."""
    luck, found = np.random.default_rng(0), {}
    for arms, ratio in zip(range(100, 501, 50), np.linspace(first, last, 9), strict=True):
        cell = Ratio(instance, arms)
        found[cell.label("if2")] = Measured(np.full(100, 1000.0))
        found[cell.label("if1")] = Measured(1000.0 * ratio * np.exp(luck.normal(0, 0.2, 100)))
    return found


@pytest.mark.parametrize(
    ("name", "instance", "grows", "agrees"),
    [
        ("thesis-5.1", "worst-case", (2.2, 3.4), True),
        ("thesis-5.1", "worst-case", (2.8, 2.8), False),
        ("thesis-5.2", "bradley-terry", (1.12, 1.12), True),
        ("thesis-5.2", "bradley-terry", (1.12, 1.6), False),
    ],
)
def test_growth_is_judged_by_the_medians_at_the_ends(
    name: str, instance: str, grows: tuple[float, float], agrees: bool
) -> None:
    rows = find(name).judge(samples(instance, *grows))
    assert len(rows) == 9 + 1
    assert [row.agrees for row in rows if row.reference.kind == "observation"] == [None] * 4
    assert rows[-1].cell == "median at 500 over median at 100 arms"
    assert rows[-1].agrees is agrees


@pytest.mark.breaks("thesis-5.1", "thesis-5.2")
@pytest.mark.parametrize("ratio", [RATIOS[0], RATIOS[5]], ids=lambda ratio: ratio.instance)
def test_a_filter_that_does_not_prune_is_noticed(ratio: Ratio) -> None:
    first = replace(ratio.cells[0], runs=20, horizon=3_000_000).measure(Setting())
    assert ratio.row({ratio.label("if1"): first, ratio.label("if2"): first}).agrees is False
