"""Skewed, tied and returning outcomes without a difference: the promise is kept, and breaks without its start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.analysis.pairs import Pair
from duelist.evidence import accounts
from duelist.evidence.watch import watch
from duelist.reproductions import nulls, returning_values
from duelist.reproductions.nulls import NULLS, NULLS_OF, price_rows
from duelist.reproductions.reproduction import Report, Setting
from duelist.reproductions.returning import Crowd, first_winner, information, visit
from duelist.reproductions.returning_values import Values, buy, ever_named


def failing(report: Report) -> list[str]:
    return [row.cell for row in report.rows if row.agrees is False]


def test_every_promise_is_kept(tmp_path: Path) -> None:
    report = NULLS.run(Setting(quick=True))
    assert failing(report) == []
    assert sum(row.reference.kind == "claim" for row in report.rows) == 60
    report.chart.draw(tmp_path / "nulls.png")
    assert (tmp_path / "nulls.png").stat().st_size > 10_000


@pytest.mark.breaks("nulls")
def test_without_a_start_at_an_effective_size_the_promise_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def hurried(*args: object, **options: object) -> object:
        return watch(*args, **{**options, "start": 1.0})  # type: ignore[arg-type]

    monkeypatch.setattr(nulls, "watch", hurried)
    monkeypatch.setattr(nulls, "CROWDS", {})
    monkeypatch.setattr(nulls, "BUYERS", {})
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
    with_cap, once, without = nulls.value_rows(nulls.HIDDEN, null, 50)
    assert (with_cap.agrees, once.agrees, without.agrees, without.ours.mean) == (True, True, True, 0.0)
    monkeypatch.setattr(returning_values, "Pair", lambda counting: Pair(counting._replace(valued=False)))
    assert nulls.value_rows(nulls.HIDDEN, null, 50)[2].agrees is False


def test_a_cap_that_nobody_is_imagined_for_would_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "IMAGINED", 0.0)
    assert nulls.value_rows(nulls.HIDDEN, NULLS_OF[nulls.HIDDEN], 50)[0].agrees is False


def test_values_of_units_that_come_back_are_no_fair_game_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """If impressions of one query counted as those of strangers, the row would say so."""
    name = "queries, 2 % x 50"
    kept, strangers, now, before, more = nulls.buyer_rows(name, 60)
    assert (kept.agrees, more.agrees) == (True, True)
    assert strangers.ours.low > 0.05
    assert now.ours.low > before.ours.high

    def scattered(values: Values, window: float | None = None) -> bool:
        return ever_named(values._replace(units=np.arange(len(values.units))), window)

    monkeypatch.setattr(returning_values, "ever_named", scattered)
    assert nulls.buyer_rows(name, 60)[0].agrees is False


def test_buyers_have_tastes_and_no_difference() -> None:
    for crowd, taste, shop in nulls.BUYERS.values():
        luck = np.random.default_rng(8)
        values = [buy(luck, crowd, taste, shop) for _ in range(20)]
        totals = np.concatenate([np.bincount(each.units, each.preferences) for each in values])
        assert abs(totals.mean()) < 4 * totals.std() / np.sqrt(len(totals))
        assert max(np.abs(each.preferences).max() for each in values) <= shop.cap
        numbers = np.concatenate([np.bincount(each.units) for each in values])
        spread = np.concatenate([each.preferences for each in values]).var()
        assert (totals[numbers > 50] ** 2 / numbers[numbers > 50]).mean() > 1.5 * spread  # strangers' would be equal
