import numpy as np
import pytest

from duelist.bench.auto import POLICIES, RegretGrid, bench_auto, ratio_chart, ratio_table, regret_table


@pytest.fixture(scope="module")
def grid() -> RegretGrid:
    return bench_auto(10_000, runs=2, instances=("arxiv", "savage-30"))


def test_auto_is_what_it_holds_in_every_cell(grid: RegretGrid) -> None:
    auto, thompson, tsallis = (grid.regret[:, :, POLICIES.index(n)] for n in ("auto", "d-ts", "shared-tsallis"))
    assert grid.horizons == [1000, 10_000]
    assert np.array_equal(auto, [thompson[0], tsallis[1]])


def test_ratios_are_to_the_best_of_each_line(grid: RegretGrid) -> None:
    assert np.array_equal(grid.ratios.min(axis=2), np.ones((2, 2)))
    assert np.allclose(grid.ratios * grid.regret.min(axis=2, keepdims=True), grid.regret)


def test_it_is_printed_and_drawn(grid: RegretGrid) -> None:
    printed = str(regret_table(grid))
    assert all(policy in printed for policy in POLICIES)
    worst = grid.ratios[:, :, POLICIES.index("auto")].max()
    lines = {row[0]: row for row in ratio_table(grid).rows}
    assert lines["auto"][2] == f"{worst:.1f}"
    axes = ratio_chart(grid).draw().axes[0]
    assert [line.get_label() for line in axes.lines] == list(POLICIES)
