from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from duelist.reproductions.reproduction import Reproduction, Setting
from duelist.reproductions import online_letor
from duelist.reproductions.online_letor import ONLINE_FIGURES, ONLINE_GOALS, ONLINE_PEERS, compare, not_below


def test_a_figure_agrees_within_its_tolerance_and_our_error() -> None:
    sample = np.tile([99.0, 101.0], 25)  # the error of the mean is 0.2
    assert compare("cell", 107.5, sample, 5, 8.0).agrees
    assert not compare("cell", 109.0, sample, 5, 8.0).agrees


def test_differences_between_folds_are_no_error() -> None:
    sample = np.repeat([0.0, 100.0, 200.0, 300.0, 400.0], 10) + np.tile([-0.5, 0.5], 25)
    assert not compare("cell", 202.0, sample, 5, 1.0).agrees


def test_a_single_run_of_somebody_may_be_above_our_mean_by_its_noise() -> None:
    sample = np.tile([99.0, 101.0], 25)  # a run deviates by 1, theirs too
    assert not_below("cell", 103.4, sample, 1).agrees
    assert not not_below("cell", 103.8, sample, 1).agrees
    assert not_below("cell", 90.0, sample, 1).agrees
    assert not not_below("cell", 103.4, np.concatenate([sample, sample + 0.0]), 4).agrees  # four runs of theirs


@pytest.mark.parametrize("reproduction", [ONLINE_FIGURES, ONLINE_GOALS, ONLINE_PEERS], ids=lambda r: r.name)
def test_every_cell_is_run(
    reproduction: Reproduction,
    data: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    home = data("mq2008/S1.txt.gz").parent.parent
    data("mq2007-partial/S1.txt.gz")
    monkeypatch.setattr(online_letor, "CLICKS", ("navigational",))
    monkeypatch.setattr(online_letor, "GOALS", {"mq2008": (1085.0,)})
    one = replace(online_letor.FIGURES[1], online=(930.1, 0.0, 0.0), final=(0.6980, 0.0, 0.0))
    monkeypatch.setattr(online_letor, "FIGURES", (one,))
    monkeypatch.setattr(online_letor, "PEERS", (replace(online_letor.PEERS[0], online=(860.6, 0.0, 0.0)),))
    report = reproduction.run(Setting(quick=True, data=home))
    assert [row.agrees for row in report.rows] == [True, True]
    report.draw(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 1000
