"""Regret agrees with independent implementations. `duelist bench figures` runs more of each."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.registry import Registry
from duelist.core.spec import Spec
from duelist.dueling.policy import POLICIES
from duelist.online import LEARNERS
from duelist.reproductions.figures import FIGURES, RATIOS, Ratio, reference_for
from duelist.reproductions.policy_cells import PolicyCell
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.verdicts import Row


def measured(cell: PolicyCell, **changes: object) -> Row:
    (row,) = cell.rows(replace(cell, runs=120, **changes).measure(Setting()))  # type: ignore[arg-type]
    return row


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.label)
def test_regret_agrees_with_an_independent_implementation(figure: PolicyCell) -> None:
    row = measured(figure)
    assert row.agrees, f"{row.ours.mean:.1f} instead of {row.reference.value} ({row.apart:.1f} standard errors)"


@pytest.mark.parametrize(
    ("label", "changes"),
    [
        ("rucb, arxiv, T=1e5", {"policy": Spec.read("policy", "rucb:alpha=0.7")}),
        ("rex3:gain=0.5, arxiv, T=1e5", {"horizon": 80_000}),  # better than the figure, which is as wrong
        ("rex3:gain=0.5, arxiv, T=1e5", {"view": "weak"}),
    ],
    ids=["constant", "horizon", "view"],
)
def test_what_is_wrong_is_noticed(label: str, changes: dict[str, object]) -> None:
    right = next(figure for figure in FIGURES if figure.label == label)
    assert measured(right, **changes).agrees is False


def test_a_figure_is_found_by_what_it_is_of_whether_defaults_are_written_or_not() -> None:
    written, plain = (Spec.read("policy", text) for text in ("btm:gamma=1.2", "btm"))
    for spec in (written, plain):
        reference = reference_for(spec, "arxiv", 100_000, "strong")
        assert reference is not None
        assert reference.value == 4571
    assert reference_for(plain, "arxiv", 50_000, "strong") is None
    assert reference_for(Spec.read("policy", "sparring-ucb"), "arxiv", 100_000, "strong") is None


@pytest.mark.parametrize("ratio", [RATIOS[0], RATIOS[5]], ids=lambda ratio: f"{ratio.instance}-{ratio.arms}")
def test_pruning_pays_as_in_the_thesis(ratio: Ratio) -> None:
    # Runs at 100 arms explore for fewer than 3 million duels, so the rest of the 10 million adds nothing.
    found = {cell.label: replace(cell, runs=40, horizon=3_000_000).measure(Setting()) for cell in ratio.cells}
    row = ratio.row(found)
    assert row.agrees, f"{row.ours.mean:.2f} instead of {ratio.median}"
    for name, theirs in zip(("if1", "if2"), ratio.regrets, strict=True):
        assert 0.7 < np.median(found[ratio.label(name)].sample) / theirs < 1.4
    turned = {ratio.label(one): found[ratio.label(other)] for one, other in (("if1", "if2"), ("if2", "if1"))}
    assert ratio.row(turned).agrees is False


PAGE = (Path(__file__).parents[2] / "docs" / "correctness.md").read_text()


def registered(registry: Registry[Any]) -> set[str]:
    """The names of the library's own."""
    return {name for name in registry if registry.get(name).__module__.startswith("duelist.")}


def section(title: str) -> str:
    return PAGE.split(f"## {title}")[1].split("\n## ")[0]


def test_the_page_has_every_figure() -> None:
    rows = re.findall(r"^(.*\S) +([\d.]+) +[\d.]+ +[-+][\d.]+ +(?:yes|NO)$", PAGE, re.MULTILINE)
    figures = [(f"{cell.label}, {cell.view} regret", cell.reference) for cell in FIGURES]
    expected = [(label, reference.value) for label, reference in figures if reference]
    expected += [(f"IF1 / IF2, {ratio.instance}, {ratio.arms} arms, median", ratio.median) for ratio in RATIOS]
    assert [label.strip() for label, _ in rows] == [label for label, _ in expected]
    for (_, shown), (_, value) in zip(rows, expected, strict=True):
        assert float(shown) == pytest.approx(value, abs=0.5)


def test_the_page_says_of_every_algorithm_what_it_was_checked_against_and_how_fast_it_is() -> None:
    table = [line.split("|")[2:] for line in section("Checked against what").splitlines() if line.startswith("|")]
    named = re.findall(r"`([a-z0-9+-]+)`", " ".join(cell for cells in table for cell in cells))
    assert len(set(named)) == len(named)
    assert set(named) == registered(POLICIES) | registered(LEARNERS)
    fast = re.findall(r"^([a-z0-9+-]*[a-z][a-z0-9+-]*) {2,}\d+\.\d", section("Speed"), re.MULTILINE)
    assert len(set(fast)) == len(fast)
    assert set(fast) == registered(POLICIES)
