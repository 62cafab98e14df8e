"""Debiased clicks keep their promises, and these break where nothing is debiased."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from duelist.clicks.gather import impressions_of
from duelist.clicks.impressions import Impressions
from duelist.clicks.records import Log
from duelist.reproductions import debiased
from duelist.reproductions.debiased import DEBIASED
from duelist.reproductions.reproduction import Report, Setting


@pytest.fixture(scope="module", autouse=True)
def _visited_once() -> Iterator[None]:
    """What people did takes half of the time, and is the same whatever is made of it."""
    made = dict[int, tuple[Log, Impressions]]()

    def seen(log: Log) -> Impressions:
        if id(log) not in made:  # kept, so that no other log has its id
            made[id(log)] = log, impressions_of(log)
        return made[id(log)][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(debiased, "visits", cache(debiased.visits))
        patch.setattr(debiased, "impressions_of", seen)
        yield


def failing(report: Report) -> list[str]:
    return [row.cell for row in report.rows if row.agrees is False]


def test_the_bias_is_gone() -> None:
    report = DEBIASED.run(Setting(quick=True))
    assert failing(report) == []
    assert sum(row.reference.kind == "claim" for row in report.rows) == 6


@pytest.mark.breaks("debiased")
def test_without_a_fit_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debiased, "debiased_clicks", lambda records: "clicks:debiased=1")
    assert failing(DEBIASED.run(Setting(quick=True))) == ["mean z, debiased, upper slot 0.8", "the same, debiased"]
