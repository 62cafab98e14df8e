"""Clicks by how seldom their position is looked at: nearer the truth where positions are unequal."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelist.analysis import analyze, debiased_clicks
from duelist.analysis.outcomes import Outcome
from duelist.cli import app
from duelist.clicks.log import write_log
from duelist.clicks.records import Record
from duelist.core.errors import BadInput
from duelist.reproductions.debiased import LOOKED_AT, true_ratio, visits, z_and_ratio


def test_unequal_positions_hide_the_better_ranker_and_debiasing_finds_it() -> None:
    log = visits(3000, seed=1, upper=0.2, better=1.3)
    outcome = debiased_clicks(log.records)
    raw, debiased = z_and_ratio(log, "clicks"), z_and_ratio(log, outcome)
    truth = true_ratio(seed=1, better=1.3)
    assert raw[1] < 0.8 * truth
    assert abs(debiased[1] - truth) < 0.5 * abs(raw[1] - truth)
    assert abs(debiased[1] / truth - 1) < 0.15
    found = np.array(Outcome.read(outcome).examination)
    assert np.abs(found - LOOKED_AT).max() < 0.12


def test_without_a_difference_few_are_called_different() -> None:
    """With fair coins: teams are exchangeable, whatever clicks are worth."""
    tries = 12
    logs = [visits(400, seed, upper=0.5, better=1 / true_ratio(seed, 1.0)) for seed in range(tries)]
    wrong = sum(abs(z_and_ratio(log, debiased_clicks(log.records))[0]) > 1.96 for log in logs)
    assert wrong <= 0.05 * tries + 2.5 * np.sqrt(0.05 * 0.95 * tries)


def test_where_one_has_the_better_positions_the_mean_is_right_again() -> None:
    tries, raw, debiased = 8, 0.0, 0.0
    for seed in range(tries):
        log = visits(600, seed, upper=0.85, better=1 / true_ratio(seed, 1.0))
        raw += z_and_ratio(log, "clicks")[0] / tries
        debiased += z_and_ratio(log, debiased_clicks(log.records))[0] / tries
    assert raw > 2
    assert abs(debiased) < 3 * 1.2 / np.sqrt(tries)  # the fit adds a fifth to the standard deviation


def test_it_is_an_outcome_beside_others() -> None:
    log = visits(800, 3, 0.5, 1.5)
    found = analyze(log, outcomes=("clicks:debiased=1+0.6+0.4", "clicks"), ended=True)
    assert found.effect.first > found.others[0].comparisons[0].towards_leader().preference
    assert "Debiased clicks an impression: new" in str(found)
    plain, weighed = (analyze(log, outcomes=(name,), ended=True) for name in ("clicks", "clicks:debiased=1"))
    assert plain.comparisons[0].preference == weighed.comparisons[0].preference


def test_the_command_fits_and_says_so(tmp_path: Path) -> None:
    write_log(visits(300, 3, 0.5).records, tmp_path / "log.jsonl")
    done = CliRunner().invoke(app, ["analyze", str(tmp_path / "log.jsonl"), "--outcome", "clicks:debiased", "--json"])
    assert re.search(r'"clicks:debiased=[0-9.+]+"', done.stdout), done.stdout


def test_what_cannot_be_debiased_says_why() -> None:
    same = [Record(str(i), "ann", "q", 0.0, ("a", "b"), (0,), ("x", "y"), (0, 1)) for i in range(9)]
    with pytest.raises(BadInput, match="at several positions"):
        debiased_clicks(same)
    with pytest.raises(BadInput, match="who owns a slot"):
        debiased_clicks([Record("1", "ann", "q", 0.0, ("a", "b"), (0,), ("x", "y"), (), (1.0, 0.0))])
    for text in ("clicks:debiased", "clicks:debiased=1+2", "clicks:debiased=0", "clicks:debiased=x"):
        with pytest.raises(BadInput, match="from 0 to 1, as 1"):
            Outcome.read(text)
    with pytest.raises(BadInput, match="an outcome is clicks"):
        Outcome.read("purchase:debiased=1")
