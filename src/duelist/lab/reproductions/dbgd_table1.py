"""DBGD, Table 1 and Figure 2: average regret on five value functions, beside methods that are told more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.core.intervals import interval
from duelist.core.memory import Floats
from duelist.lab.reproduction import Report, Reproduction, Row, Setting
from duelist.online.continuous import Descent, descend

HORIZON = 1_000_000
DIMENSION = 50
FACTORS = (0.6, 0.8, 1.0, 2.0, 3.0)  # delta_L
PUBLISHED = {
    "p1": (0.465, 0.398, 0.334, 0.303, 0.415),
    "p2": (0.803, 0.767, 0.760, 0.780, 0.807),
    "p3": (0.687, 0.628, 0.604, 0.637, 0.663),
    "p4": (0.500, 0.378, 0.325, 0.304, 0.418),
    "p5": (0.710, 0.663, 0.674, 0.798, 0.887),
}
# P1 and P4 are nearly the same problem around 0, yet the table has .465 and .500 for them: its own noise is
# about .03. Twice that is allowed; other readings of the paper (T, norm, form of regret) miss by more.
BAND = 0.065
TABLE_NOTES = (
    "The paper gives neither the horizon of this table nor the number of runs. Of the readings tried only T = 1e6, "
    "the L1 norm for |w| and regret as the sum over both points fit it. Ours is lower by .01 to .03 at small delta_L."
)
FIGURE_NOTES = (
    "The paper prints curves without numbers, and does not say BGD's step sizes: here they are DBGD's. Compared are "
    "its sentences: BGD2 is best, and DBGD beats BGD1 on P5, P2 and P3, though it is told less."
)


def measure(algorithm: str, value: str, factor: float, runs: int) -> Descent:
    """One cell; the same seeds for all, so that differences are less noisy than the cells."""
    return descend(
        algorithm, value, DIMENSION, HORIZON, runs, seed=1, parameters={"factor": factor}, points=20, progress=False
    )


def cell(value: str, factor: float, published: float, sample: Floats) -> Row:
    """A number of the table against ours."""
    mean, low, high = (float(number) for number in interval(sample))
    return Row(f"{value.upper()}, delta_L = {factor:g}", published, mean, low, high, abs(mean - published) < BAND)


def best_factor(value: str, samples: Sequence[Floats]) -> Row:
    """The column of the lowest regret, with the range that resampled runs give, against the table's."""
    luck, together = np.random.default_rng(0), np.array(samples)
    draws = [
        FACTORS[together[:, luck.integers(0, together.shape[1], together.shape[1])].mean(1).argmin()]
        for _ in range(1000)
    ]
    found, published = FACTORS[together.mean(1).argmin()], FACTORS[int(np.argmin(PUBLISHED[value]))]
    low, high = (float(q) for q in np.quantile(draws, (0.025, 0.975)))
    return Row(f"{value.upper()}, best delta_L", published, found, low, high, found == published)


def run_table(setting: Setting) -> Report:
    """All cells of Table 1."""
    runs = 4 if setting.quick else 24
    samples: dict[str, list[Floats]] = {}
    for value in PUBLISHED:
        samples[value] = []
        for factor in FACTORS:
            samples[value].append(measure("dbgd", value, factor, runs).curve[:, -1])
            setting.advance(1)
    rows = [
        cell(value, factor, published, sample)
        for value in PUBLISHED
        for factor, published, sample in zip(FACTORS, PUBLISHED[value], samples[value], strict=True)
    ]
    rows += [best_factor(value, samples[value]) for value in PUBLISHED]

    def draw(path: Path) -> Any:
        panels = []
        for value, published in PUBLISHED.items():
            mean, low, high = interval(np.array(samples[value]).T)
            lines = [Series("ours", FACTORS, mean, low, high), Series("published", FACTORS, np.array(published))]
            panels.append((f"average regret, {value.upper()}", lines, False))
        return draw_lines(panels, "delta_L", "DBGD Table 1: average regret, T = 1e6, 50 dimensions", path, False)

    return Report(rows, draw)


def lower(label: str, below: Descent, above: Descent) -> Row:
    """The claim that one method's regret is below another's: the ratio of a run's regrets, with the same directions."""
    mean, low, high = (float(number) for number in interval(below.regret[:, -1] / above.regret[:, -1]))
    return Row(label, None, mean, low, high, high < 1)


def run_figure(setting: Setting) -> Report:
    """DBGD, BGD1 and BGD2 at delta_L = 1."""
    runs, found = 4 if setting.quick else 16, {}
    for value in ("p1", "p2", "p3", "p5"):
        for name in ("dbgd", "bgd1", "bgd2"):
            found[name, value] = measure(name, value, 1.0, runs)
            setting.advance(1)
    rows = []
    for value in ("p1", "p2", "p3", "p5"):
        for rival in ("dbgd", "bgd1"):
            label = f"{value.upper()}, BGD2 / {rival.upper()}: below 1"
            rows.append(lower(label, found["bgd2", value], found[rival, value]))
    for value in ("p5", "p2", "p3"):
        rows.append(lower(f"{value.upper()}, DBGD / BGD1: below 1", found["dbgd", value], found["bgd1", value]))

    def draw(path: Path) -> Any:
        panels = []
        for value in ("p1", "p5"):
            curves = {name: found[name, value] for name in ("dbgd", "bgd1", "bgd2")}
            lines = [Series(n.upper(), c.checkpoints, *interval(c.curve)) for n, c in curves.items()]
            panels.append((f"average regret, {value.upper()}", lines, False))
        return draw_lines(panels, "comparisons", "DBGD Figure 2, delta_L = 1", path, x_logarithmic=False)

    return Report(rows, draw)


TABLE = Reproduction("dbgd-1", "DBGD Table 1", TABLE_NOTES, len(PUBLISHED) * len(FACTORS), run_table)
FIGURE = Reproduction("dbgd-2", "DBGD Figure 2", FIGURE_NOTES, 12, run_figure)
