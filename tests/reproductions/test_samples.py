"""Intervals cover as often as they say, and ratios are of means."""

import numpy as np
import pytest

from duelist.reproductions.samples import crossed_mean, mean_of, median_of, ratio_of


def test_the_interval_of_a_median_covers_it_as_often_as_it_says() -> None:
    luck = np.random.default_rng(2)
    found = [median_of(luck.exponential(size=40)) for _ in range(1000)]
    covered = sum(low <= np.log(2) <= high for _, low, high in found)
    assert 930 <= covered <= 985


def test_the_ratio_of_means_has_an_interval_that_covers_it() -> None:
    luck = np.random.default_rng(1)
    found = [ratio_of(luck.normal(50, 5, 30), luck.normal(100, 5, 30)) for _ in range(100)]
    assert 88 <= sum(low <= 0.5 <= high for _, low, high in found) <= 100
    assert np.mean([mean for mean, _, _ in found]) == pytest.approx(0.5, abs=0.005)


def test_runs_in_the_same_world_make_a_ratio_surer() -> None:
    luck = np.random.default_rng(3)
    world = luck.normal(100, 30, 40)
    apart, together = (ratio_of(0.9 * world, world, paired=paired) for paired in (False, True))
    assert together.high - together.low < 1e-9 < apart.high - apart.low


def test_a_ratio_of_medians_forgets_an_outlier() -> None:
    above, below = np.array([2.0, 2.0, 2.0, 900.0]), np.ones(4)
    assert ratio_of(above, below, centre=np.median).mean == 2.0
    assert mean_of(above).mean == pytest.approx(226.5)


def test_a_mean_of_rows_and_columns_that_are_drawn_covers_it_as_often_as_it_says() -> None:
    luck, covered, only_columns = np.random.default_rng(4), 0, 0
    for _ in range(400):
        table = luck.normal(0, 1, (8, 1)) + luck.normal(0, 1, 25) + luck.normal(0, 1, (8, 25))
        low, high = crossed_mean(table)[1:]
        covered += low <= 0.0 <= high
        low, high = mean_of(table.mean(0))[1:]
        only_columns += low <= 0.0 <= high
    assert 372 <= covered <= 400
    assert only_columns < 300
