"""REX3's figures: all its policies, and claims that can fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

from duelist.reproductions.reproduction import Measured, Setting
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


def test_on_bvs_the_claim_of_all_data_sets_does_not_hold() -> None:
    report = BVS.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == [f"{REX3} / {SPARRING}"]
    assert "does not hold for all of its data sets" in BVS.missing


def test_the_bound_is_lowest_at_the_rate_of_the_paper() -> None:
    gammas = np.geomspace(0.001, 0.5, 2001)
    star = np.sqrt(64 * np.log(64) / (math.e * 50_000))
    assert gammas[bound(gammas, 64, 50_000).argmin()] == pytest.approx(star, rel=0.01)
