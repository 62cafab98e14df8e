"""Regret agrees with independent implementations. `duelist bench figures` runs more of each."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from duelist.core.spec import Spec
from duelist.dueling import policies
from duelist.online import learners
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


def test_the_page_has_every_figure_and_names_every_algorithm() -> None:
    page = (Path(__file__).parents[2] / "docs" / "correctness.md").read_text()
    rows = re.findall(r"^(.*\S) +([\d.]+) +[\d.]+ +[-+][\d.]+ +(?:yes|NO)$", page, re.MULTILINE)
    figures = [(f"{cell.label}, {cell.view} regret", cell.reference) for cell in FIGURES]
    expected = [(label, reference.value) for label, reference in figures if reference]
    expected += [(f"IF1 / IF2, {ratio.instance}, {ratio.arms} arms, median", ratio.median) for ratio in RATIOS]
    assert [label.strip() for label, _ in rows] == [label for label, _ in expected]
    for (_, shown), (_, value) in zip(rows, expected, strict=True):
        assert float(shown) == pytest.approx(value, abs=0.5)
    checked = set(re.findall(r"`([a-z0-9+-]+)`", page.split("## Checked against what")[1].split("\n## ")[0]))
    known = {getattr(room, name).name for room in (policies, learners) for name in room.__all__}
    families = {name for name in known if name.startswith(("restart-", "window-"))}  # under restart and fading
    assert known - families <= checked
