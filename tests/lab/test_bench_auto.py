from pathlib import Path

import numpy as np
import pytest

from duelist.lab.bench_auto import POLICIES, Comparison, bench_auto, draw_comparison, print_comparison


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return bench_auto(10_000, runs=2, instances=("arxiv", "savage-30"))


def test_auto_is_what_it_holds_in_every_cell(comparison: Comparison) -> None:
    auto, thompson, tsallis = (comparison.regret[:, :, POLICIES.index(n)] for n in ("auto", "d-ts", "shared-tsallis"))
    assert comparison.horizons == [1000, 10_000]
    assert np.array_equal(auto, [thompson[0], tsallis[1]])


def test_ratios_are_to_the_best_of_each_line(comparison: Comparison) -> None:
    assert np.array_equal(comparison.ratios.min(axis=2), np.ones((2, 2)))
    assert np.allclose(comparison.ratios * comparison.regret.min(axis=2, keepdims=True), comparison.regret)


def test_it_is_printed_and_drawn(comparison: Comparison, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    print_comparison(comparison)
    printed = capsys.readouterr().out
    assert all(policy in printed for policy in POLICIES)
    worst = comparison.ratios[:, :, POLICIES.index("auto")].max()
    assert any(line.startswith("auto ") and f" {worst:.1f} " in line for line in printed.splitlines())
    draw_comparison(comparison, tmp_path / "auto.png")
    assert (tmp_path / "auto.png").stat().st_size > 1000
