"""Skewed, tied and returning outcomes without a difference: the promise is kept, and breaks without its start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.analysis.pairs import Pair
from duelist.evidence.watch import watch
from duelist.reproductions import nulls
from duelist.reproductions.nulls import NULLS, NULLS_OF, price_rows
from duelist.reproductions.reproduction import Report, Setting
from duelist.reproductions.returning import Crowd, first_winner, information, visit


def failing(report: Report) -> list[str]:
    return [row.cell for row in report.rows if row.agrees is False]


def test_every_promise_is_kept(tmp_path: Path) -> None:
    report = NULLS.run(Setting(quick=True))
    assert failing(report) == []
    assert sum(row.reference.kind == "claim" for row in report.rows) == 39
    report.chart.draw(tmp_path / "nulls.png")
    assert (tmp_path / "nulls.png").stat().st_size > 10_000


@pytest.mark.breaks("nulls")
def test_without_a_start_at_an_effective_size_the_promise_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def hurried(*args: object, **options: object) -> object:
        return watch(*args, **{**options, "start": 1.0})  # type: ignore[arg-type]

    monkeypatch.setattr(nulls, "watch", hurried)
    monkeypatch.setattr(nulls, "CROWDS", {})
    for others in ("price_rows", "value_rows", "kept_rows"):
        monkeypatch.setattr(nulls, others, lambda *args: [])
    skewed = ("rare large: 2 % x 50", "rarer: 1 % x 100", "Pareto, endless variance")
    monkeypatch.setattr(nulls, "NULLS_OF", {name: NULLS_OF[name] for name in skewed})
    broken = {f"confidence sequence, {name}" for name in skewed}
    assert broken <= set(failing(NULLS.run(Setting(quick=True))))


def test_nulls_have_no_difference_and_the_others_have_one() -> None:
    for name, null in NULLS_OF.items():
        sample = next(null.experiments(50, 0.0, seed=5))
        error = sample.std() / np.sqrt(sample.size)
        if "endless" not in name:
            assert abs(sample.mean()) < 4 * error, name
        if null.effect:
            assert next(null.experiments(50, null.effect, seed=5)).mean() > 4 * error, name
        if null.bound:
            assert np.abs(sample).max() <= null.bound + 5


def test_the_price_is_in_units_of_the_planned_test() -> None:
    rows = {row.cell: row.ours for row in price_rows("coin", NULLS_OF["coin"], 400)}
    # users_needed: 1,350 or so for 785, see docs/evidence.md.
    assert rows["price of the confidence sequence, coin"].mean == pytest.approx(1375 / 785, abs=0.2)


def test_totals_of_returning_users_find_a_real_difference() -> None:
    luck = np.random.default_rng(0)
    found = [first_winner(visit(luck, Crowd(), effect=0.25))[0] > 0 for _ in range(30)]
    assert np.mean(found) > 0.8
    kept = information(visit(luck, Crowd(taste=0.0), effect=0.25))
    assert kept["24 hours"] < kept["168 hours"] < min(kept["sums"], kept["totals"])


def test_values_without_a_cap_would_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """If analyze named winners by values that have no bound, the row would say so."""
    null = NULLS_OF[nulls.HIDDEN]
    with_cap, without = nulls.value_rows(nulls.HIDDEN, null, 50)
    assert (with_cap.agrees, without.agrees, without.ours.mean) == (True, True, 0.0)
    monkeypatch.setattr(nulls, "Pair", lambda windows, valued: Pair(windows, valued=False))
    assert nulls.value_rows(nulls.HIDDEN, null, 50)[1].agrees is False
