"""Yue's thesis, Figures 4.5 to 4.7: the loss of SVM-div by training queries, by C and by documents chosen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.core.intervals import interval
from duelist.core.memory import Floats
from duelist.lab.reproduction import Report, Reproduction, Setting, claim
from duelist.lab.reproductions.thesis_diversity import FULL, QUICK, SEED, SIZE, baselines, below, losses
from duelist.offline.diversity import SVMDiv, fit_best

OWN, KNOWN, FIXED = "SVM-div", "subtopics known", "Essential Pages"
MISSING = "The figure is a curve without numbers: compared is its claim, on a synthetic set of ours."
MISSING_TREC = f"{MISSING} The thesis drew it from queries of TREC, which cannot be had."
MISSING_TRAINING = (
    f"{MISSING_TREC} More training helps much less here: one query of 100 documents that are alike in kind to all "
    "others teaches most of what there is to learn."
)
MISSING_FIT = (
    f"{MISSING_TREC} Almost as well as greedy with subtopics known (4.4.2) is read as: nearer to it than to "
    "Essential Pages."
)


class Curve(NamedTuple):
    """Losses of several methods at several values of something."""

    label: str
    x: tuple[float, ...]
    lines: dict[str, Floats]  # a row a value, a column a query

    def draw(self, title: str, path: Path) -> Any:
        lines = [Series(name, self.x, *interval(table.T)) for name, table in self.lines.items()]
        panel = ("weighted subtopic loss", lines, False)
        return draw_lines([panel], self.label, title, path, x_logarithmic=self.label == "C")


def level(values: Floats, x: Sequence[float]) -> Floats:
    """The same losses at every value."""
    return np.tile(values, (len(x), 1))


def run_training(setting: Setting) -> Report:
    """Figure 4.5: the test loss after training with some of the queries, the mean over draws of them."""
    scale, rng = QUICK if setting.quick else FULL, np.random.default_rng(SEED)
    train, _, test = scale.split()
    table = []
    for size in scale.training:
        drawn = [[train[i] for i in rng.permutation(len(train))[:size]] for _ in range(scale.draws)]
        table.append(np.mean([losses(test, SVMDiv(k=SIZE).fit(queries).predict) for queries in drawn], axis=0))
    setting.advance(1)
    known = level(baselines(test, SIZE)[KNOWN], scale.training)
    curve = Curve("training queries", scale.training, {OWN: np.array(table), KNOWN: known})
    cell = f"{OWN}, {scale.training[-1]} training queries less {scale.training[0]}: below 0"
    rows = [claim(cell, table[-1] - table[0], below)]
    return Report(rows, lambda path: curve.draw("thesis Figure 4.5 on synthetic queries", path))


def run_costs(setting: Setting) -> Report:
    """Figure 4.6: the training loss at each C."""
    scale = QUICK if setting.quick else FULL
    train, x = scale.split()[0], scale.fitted_costs
    table = np.array([losses(train, SVMDiv(C=cost, k=SIZE).fit(train).predict) for cost in x])
    setting.advance(1)
    fixed, best = baselines(train, SIZE), table[table.mean(1).argmin()]
    curve = Curve("C", x, {OWN: table, KNOWN: level(fixed[KNOWN], x), FIXED: level(fixed[FIXED], x)})
    half_way = (fixed[KNOWN] + fixed[FIXED]) / 2
    rows = [
        claim("training loss at the best C less that at the smallest: below 0", best - table[0], below),
        claim(f"training loss less half way from {KNOWN} to {FIXED}: below 0", best - half_way, below),
    ]
    return Report(rows, lambda path: curve.draw("thesis Figure 4.6 on synthetic queries", path))


def run_sizes(setting: Setting) -> Report:
    """Figure 4.7: the test loss when more documents are chosen, trained for each number."""
    scale = QUICK if setting.quick else FULL
    train, validation, test = scale.split()
    lines: dict[str, list[Floats]] = {OWN: [], FIXED: [], KNOWN: []}
    for size in scale.sizes:
        lines[OWN].append(losses(test, fit_best(SVMDiv(k=size), train, validation, scale.costs).predict))
        fixed = baselines(test, size)
        lines[FIXED].append(fixed[FIXED])
        lines[KNOWN].append(fixed[KNOWN])
    setting.advance(1)
    curve = Curve("K, documents chosen", scale.sizes, {name: np.array(table) for name, table in lines.items()})
    rows = [
        claim(f"K = {size}: {OWN} ({one.mean():.3f}) less {FIXED} ({other.mean():.3f}): below 0", one - other, below)
        for size, one, other in zip(scale.sizes, lines[OWN], lines[FIXED], strict=True)
    ]
    return Report(rows, lambda path: curve.draw("thesis Figure 4.7 on synthetic queries", path))


DIVERSITY_CURVES = (
    Reproduction("thesis-4.5", "thesis Figure 4.5, loss by training queries", MISSING_TRAINING, 1, run_training),
    Reproduction("thesis-4.6", "thesis Figure 4.6, training loss by C", MISSING_FIT, 1, run_costs),
    Reproduction("thesis-4.7", "thesis Figure 4.7, loss by documents chosen", MISSING, 1, run_sizes),
)
