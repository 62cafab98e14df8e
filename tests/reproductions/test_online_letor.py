"""Learners beside other implementations: by runs within folds, on both sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from duelist.core.memory import Floats
from duelist.core.spec import Spec
from duelist.reproductions.learner_cells import LearnerCell, within_folds
from duelist.reproductions.online_letor import (
    FIGURES,
    ONLINE_FIGURES,
    ONLINE_GOALS,
    ONLINE_PEERS,
    PEERS,
    floors,
    goal_label,
    goals,
    navigational,
)
from duelist.reproductions.reproduction import Measured, Reproduction, Setting
from duelist.reproductions.verdicts import Reference


def beside(value: float, sample: Floats, folds: int, their_runs: int) -> bool | None:
    """The verdict on a sample of ours beside a number of so many runs of theirs."""
    reference = Reference("independent", "research code", value)
    cell = LearnerCell("cell", Spec("learner", "pdgd"), "perfect", folds=tuple(range(folds)), their_runs=their_runs)
    measured = Measured(sample, SimpleNamespace(online=sample[:, None]))
    (row,) = replace(cell, references={"online": reference}).rows(measured)
    return row.agrees


def test_a_single_run_of_somebody_may_be_apart_by_its_noise_either_way() -> None:
    sample = np.tile([99.0, 101.0], 25)  # a run deviates by 1, theirs too
    assert beside(103.5, sample, 1, 1)
    assert beside(96.5, sample, 1, 1)
    assert not beside(103.8, sample, 1, 1)
    assert not beside(96.2, sample, 1, 1)  # ours being better is no excuse
    assert not beside(103.4, sample, 1, 4)  # four runs of theirs


def test_differences_between_folds_are_no_error() -> None:
    sample = np.repeat([0.0, 100.0, 200.0, 300.0, 400.0], 10) + np.tile([-0.5, 0.5], 25)
    assert not beside(202.0, sample, 5, 50)
    low, high = within_folds(sample, 5)[1:]
    assert high - low == pytest.approx(2 * 2.014 * 0.527 / 50**0.5, rel=0.01)


def test_cells_are_told_apart_and_those_not_measured_are_left_out() -> None:
    assert [len(r.cells) for r in (ONLINE_FIGURES, ONLINE_PEERS, ONLINE_GOALS)] == [18, 22, 12]
    cell = FIGURES[2].cells("somewhere", 10)[1]
    assert (cell.label, cell.their_runs) == ("mq2008, pdgd:rate=1.0, stop examined, navigational", 50)
    assert [cell.clicks for cell in PEERS[4].cells("somewhere", 1)] == ["perfect", "informational"]


def test_a_goal_is_met_by_the_whole_interval() -> None:
    def learnt(online: float, final: float) -> Measured:
        noise = np.tile([-1.0, 1.0], 50)
        return Measured(online + noise, SimpleNamespace(final=(final + noise / 1000)[:, None]))

    labels = [(data, clicks) for data in ("mq2008", "mq2007-partial") for clicks in ("perfect", "navigational")]
    labels += [(data, "informational") for data in ("mq2008", "mq2007-partial")]
    found = {goal_label(*place, "tally"): learnt(1200.0, 0.7) for place in labels}
    found |= {goal_label(*place, "pdgd"): learnt(900.0, 0.7) for place in labels}
    assert all(row.agrees for row in goals(found))
    found[goal_label("mq2008", "perfect", "tally")] = learnt(1165.1, 0.694)
    assert [row.agrees for row in goals(found)[:3]] == [False, False, True]


@pytest.mark.parametrize("reproduction", [ONLINE_FIGURES, ONLINE_PEERS, ONLINE_GOALS], ids=lambda r: r.name)
def test_cells_run(reproduction: Reproduction, data: Callable[[str], Path]) -> None:
    home = data("mq2008/S1.txt.gz").parent.parent
    chosen = [cell for cell in reproduction.cells if cell.label.startswith("mq2008") and "navigational" in cell.label]
    found = {cell.label: cell.measure(Setting(quick=True, data=home)) for cell in chosen[:1]}
    assert all(row.agrees for cell in chosen[:1] for row in cell.rows(found[cell.label]))
    assert len(navigational(found).panels[0].lines) == 1


def verdicts(cell: LearnerCell, learner: str, home: Path) -> list[bool | None]:
    """Of a cell, small version, with another learner under its name."""
    other = replace(cell, learner=Spec.read("learner", learner))
    return [row.agrees for row in cell.rows(other.measure(Setting(quick=True, data=home)))]


@pytest.mark.breaks("online-mq2008")
@pytest.mark.parametrize("learner", ["pdgd:rate=0.01", "pdgd:rate=1.0", "dbgd"])
def test_another_step_and_another_learner_are_noticed(learner: str, data: Callable[[str], Path]) -> None:
    home, cell = data("mq2008/S1.txt.gz").parent.parent, FIGURES[1].cells("somewhere", 10)[1]
    assert verdicts(cell, "pdgd", home) == [True, True]
    assert False in verdicts(cell, learner, home)


@pytest.mark.breaks("online-peers")
def test_a_pairrank_that_is_never_certain_is_noticed(data: Callable[[str], Path]) -> None:
    home, cell = data("mq2008/S1.txt.gz").parent.parent, PEERS[4].cells("somewhere", 1)[0]
    assert verdicts(cell, "pairrank", home) == [True, True]
    assert False in verdicts(cell, "pairrank:width=100.0", home)


@pytest.mark.breaks("online-tally")
def test_a_tally_that_is_not_looked_at_misses_its_goals(data: Callable[[str], Path]) -> None:
    home = data("mq2008/S1.txt.gz").parent.parent
    cells = {cell.label: cell for cell in ONLINE_GOALS.cells if isinstance(cell, LearnerCell)}
    place = ("mq2008", "perfect")
    wanted = [cells[goal_label(*place, learner)] for learner in ("tally", "pdgd")]
    found = {cell.label: cell.measure(Setting(quick=True, data=home)) for cell in wanted}
    everywhere = {
        goal_label(*label, learner): found[goal_label(*place, learner)]
        for label in product(("mq2008", "mq2007-partial"), ("perfect", "navigational", "informational"))
        for learner in ("tally", "pdgd")
    }
    assert goals(everywhere)[0].agrees
    blind = replace(wanted[0], learner=Spec.read("learner", "tally:strength=0.0"))
    assert goals(everywhere | {wanted[0].label: blind.measure(Setting(quick=True, data=home))})[0].agrees is False


def test_floors_are_of_cells_that_are_run() -> None:
    labels = {cell.label for cell in ONLINE_PEERS.cells}
    found = {label: Measured(np.array([1000.0, 1001.0, 1002.0])) for label in labels}
    assert all(row.agrees for row in floors(found))
