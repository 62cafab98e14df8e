import math

import pytest

from duelist.bench.drift import CELLS, Cell, Row, bench_drift, drift_table, instance
from duelist.dueling.simulate import simulate


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return bench_drift(3, [Cell("abrupt", 3000, 3, 1000, 0.4), Cell("arxiv", 1000)], sizes=(300, 1000, 9000))


def test_the_best_window_is_the_one_that_loses_least(rows: list[Row]) -> None:
    both = {
        size: float(
            simulate(f"window:base=d-ts,size={size}", "abrupt:arms=3,stretch=1000,changes=2", 3000, 3, 1)
            .curve("dynamic")[:, -1]
            .mean()
        )
        for size in (300, 1000)
    }
    assert (rows[0].window, rows[0].size) == (min(both.values()), min(both, key=both.__getitem__))
    assert rows[0].ratio == rows[0].watchful / rows[0].window


def test_where_nothing_changes_it_is_held_against_what_does_not_forget(rows: list[Row]) -> None:
    assert math.isnan(rows[1].window)
    assert rows[1].ratio == rows[1].watchful / rows[1].fixed


def test_changes_come_at_their_times() -> None:
    assert instance(Cell("abrupt", 10_000, 5, 2_000, 0.4)).changes == [2001, 4001, 6001, 8001]
    drawn = instance(Cell("drawn", 100_000, 6, 10_000, 0.3)).changes
    gaps = [later - sooner for sooner, later in zip([1, *drawn], drawn, strict=False)]
    assert len(set(gaps)) == 9
    assert min(gaps) >= 5_000
    assert max(gaps) <= 15_000


def test_every_cell_can_be_made() -> None:
    assert all(instance(cell).n_arms == cell.arms or not cell.stretch for cell in CELLS)


def test_it_is_printed(rows: list[Row]) -> None:
    table = drift_table(rows)
    assert [row[0] for row in table.rows] == ["abrupt", "arxiv"]
    assert table.rows[1][-1] == f"{rows[1].ratio:.2f}"
