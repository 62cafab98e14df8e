"""Regret agrees with independent implementations. `duelist bench figures` runs more of each."""

import pytest
from duelist.reproductions.figures import FIGURES, RATIOS, Figure, Ratio, measure, measure_ratio


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.label)
def test_regret_agrees_with_an_independent_implementation(figure: Figure) -> None:
    measured = measure(figure, runs=120)
    assert measured.agrees, f"{measured.mean:.1f} instead of {figure.mean} ({measured.deviations:.1f} standard errors)"


def test_a_wrong_constant_is_noticed() -> None:
    right = next(figure for figure in FIGURES if figure.policy == "rucb" and figure.environment == "arxiv")
    wrong = Figure("rucb", "arxiv", right.horizon, right.mean, right.error, right.source, {"alpha": 0.7})
    assert not measure(wrong, runs=120).agrees


@pytest.mark.parametrize("ratio", [RATIOS[0], RATIOS[5]], ids=lambda ratio: f"{ratio.instance}-{ratio.arms}")
def test_pruning_pays_as_in_the_thesis(ratio: Ratio) -> None:
    # Runs at 100 arms explore for fewer than 3 million duels, so the rest of the 10 million adds nothing.
    measured = measure_ratio(ratio, runs=40, horizon=3_000_000)
    assert measured.agrees, f"{measured.median:.2f} instead of {ratio.median}"
    for ours, theirs in zip(measured.regrets, ratio.regrets, strict=True):
        assert 0.7 < ours / theirs < 1.4
