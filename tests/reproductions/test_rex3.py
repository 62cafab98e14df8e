"""REX3's figures: all its policies, and claims that can fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from duelist.core.spec import Spec
from duelist.reproductions.catalogue import find
from duelist.reproductions.policy_cells import PolicyCell
from duelist.reproductions.reproduction import Measured, Setting, measure_cells
from duelist.reproductions.rex3_bound import bound
from duelist.reproductions.rex3_regret import (
    ANYTIME,
    BVS,
    PLANNED,
    REX3,
    SPARRING,
    cells_over_time,
    draw_over_time,
    rex3_beats_sparring,
)


def test_every_policy_is_measured_at_its_horizons_and_drawn() -> None:
    cells = cells_over_time("cyclic", horizon=4000)
    found = {cell.label: cell.measure(Setting(quick=True)) for cell in cells}
    assert set(found) >= set(ANYTIME) | set(PLANNED)
    chart = draw_over_time(found, "strong", "title", 4000)
    assert [line.label for line in chart.panels[0].lines] == [*ANYTIME, *PLANNED]
    assert [line.x[-1] for line in chart.panels[0].lines] == [4000] * 8
    assert len(found["RUCB"].sample) == 10


def test_cells_have_the_independent_figures_of_their_instance() -> None:
    known = {cell.label: cell.reference.value for cell in cells_over_time("arxiv") if cell.reference}
    assert known == {
        "RUCB": 565,
        REX3: 192,
        "REX3 Gmax=T/2": 688,
        "REX3 Gmax=T/10": 419,
        SPARRING: 1136,
        "BTM": 2731,
        "SAVAGE": 1641,
    }
    deceived = [cell.label for cell in cells_over_time("deceptive", "bandit") if cell.reference]
    assert deceived == ["RUCB", REX3, "REX3 Gmax=T/2", SPARRING]


def test_one_regret_below_another_is_judged_by_the_ratio_of_the_means() -> None:
    luck = np.random.default_rng(1)
    low, high = Measured(luck.normal(50, 5, 100)), Measured(luck.normal(100, 5, 100))
    (row,) = rex3_beats_sparring({REX3: low, SPARRING: high})
    assert row.agrees
    assert row.ours.mean == pytest.approx(0.5, abs=0.02)
    assert rex3_beats_sparring({REX3: high, SPARRING: low})[0].agrees is False
    assert rex3_beats_sparring({REX3: low, SPARRING: low})[0].agrees is False


def cells_of(name: str) -> list[PolicyCell]:
    """What the claims of a figure are about, small version."""
    cells = [cell for cell in find(name).chosen(quick=True) if isinstance(cell, PolicyCell)]
    return [cell for cell in cells if " duels" not in cell.label and ", 8 rankers" not in cell.label]


@cache
def measured(name: str, home: Path) -> dict[str, Measured]:
    """The cells of a figure as they are: the same beside whatever stands in for some of them."""
    return measure_cells(cells_of(name), Setting(quick=True, data=home))


def verdicts(name: str, home: Path, instead: Mapping[str, str]) -> list[bool | None]:
    """Of the claims of a figure, small version, with other policies under some labels."""
    broken = [
        replace(cell, policy=Spec.read("policy", instead[label]))
        for cell in cells_of(name)
        if (label := cell.label.split(",")[0]) in instead
    ]
    found = measured(name, home) | measure_cells(broken, Setting(quick=True, data=home))
    return [row.agrees for row in find(name).judge(found)]


@pytest.mark.breaks(
    *("rex3-2", "rex3-3", "rex3-3-arms", "rex3-5-informational", "rex3-5-perfect", "rex3-6"),
    *("rex3-7-savage", "rex3-7-bvs", "rex3-8"),
)
@pytest.mark.parametrize(
    ("name", "instead", "right", "wrong"),
    [
        ("rex3-2", "rex3:gamma=0.5", [True], [False]),  # explores half of the time for ever
        ("rex3-3", "uniform", [True] * 4, [False] * 4),
        ("rex3-3-arms", "rex3:gamma=0.5", [True] * 4, [True, True, True, False]),
        ("rex3-3-arms", "uniform", [True] * 4, [False] * 4),
        ("rex3-5-informational", "rex3:gamma=0.5", [True], [False]),
        ("rex3-5-perfect", "rex3:gamma=0.5", [True] * 4, [False, True, True, True]),
        ("rex3-5-perfect", "uniform", [True] * 4, [False] * 4),
        ("rex3-6", "uniform", [True, True, None], [False, False, None]),
        ("rex3-7-savage", "rex3:gamma=0.5", [True], [False]),
        ("rex3-7-bvs", "rucb", [False, True], [True, False]),  # which finds the Condorcet winner
        ("rex3-8", "uniform", [True] * 3, [False, False, True]),
    ],
)
def test_claims_of_every_figure_fail_where_rex3_is_something_else(
    name: str, instead: str, right: list[bool | None], wrong: list[bool | None], data: Callable[[str], Path]
) -> None:
    home = Path()  # most figures need no data
    if name.startswith(("rex3-3", "rex3-5", "rex3-6")):
        home = data("preferences/MSLR_Navigational_PMat.npz").parent.parent
    assert verdicts(name, home, {}) == right
    assert verdicts(name, home, {REX3: instead}) == wrong


def test_a_rucb_that_is_not_deceived_is_noticed() -> None:
    assert verdicts("rex3-8", Path(), {"RUCB": "rex3"})[-1] is False


@pytest.mark.breaks("rex3-1")
def test_rates_that_are_not_taken_break_the_claims_of_figure_1(data: Callable[[str], Path]) -> None:
    home = data("preferences/MSLR_Navigational_PMat.npz").parent.parent
    figure, quick = find("rex3-1"), Setting(quick=True, data=home)
    cells = [cell for cell in figure.chosen(quick=True) if isinstance(cell, PolicyCell)]

    def agrees(change: Callable[[float], Spec]) -> list[bool | None]:
        changed = [replace(cell, policy=change(float(cell.policy.parameters["gamma"]))) for cell in cells]
        return [row.agrees for row in figure.judge(measure_cells(changed, quick))]

    assert agrees(lambda gamma: Spec("policy", "rex3", {"gamma": gamma})) == [True, True, True]
    assert agrees(lambda gamma: Spec("policy", "rex3", {"gamma": min(0.5, 10 * gamma)})) == [False, True, False]
    assert agrees(lambda gamma: Spec("policy", "uniform")) == [False, False, True]


def test_on_bvs_the_claim_of_all_data_sets_does_not_hold() -> None:
    report = BVS.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == [f"{REX3} / {SPARRING}"]
    assert "does not hold for all of its data sets" in BVS.missing


def test_the_bound_is_lowest_at_the_rate_of_the_paper() -> None:
    gammas = np.geomspace(0.001, 0.5, 2001)
    star = np.sqrt(64 * np.log(64) / (math.e * 50_000))
    assert gammas[bound(gammas, 64, 50_000).argmin()] == pytest.approx(star, rel=0.01)
