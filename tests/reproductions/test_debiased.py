"""Debiased clicks keep their promises, and these break where nothing is debiased."""

from __future__ import annotations

import pytest

from duelist.reproductions import debiased
from duelist.reproductions.debiased import DEBIASED
from duelist.reproductions.reproduction import Report, Setting


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
