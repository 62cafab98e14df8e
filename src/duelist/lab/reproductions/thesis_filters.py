"""Yue's thesis, Figures 5.1 and 5.2: how much pruning saves Interleaved Filter."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import draw_boxes
from duelist.lab.figures import RATIOS, ratio_sample
from duelist.lab.reproduction import Report, Reproduction, Row, Setting

MISSING = (
    "The thesis prints box plots and no numbers; the medians compared with are those of an independent "
    "implementation (100 runs). It names no radius constant: with its proved 4, IF1 does not end within T = 1e7 "
    "above 230 arms and the ratio falls, so the figure must have used the COLT paper's 1, as here. Both filters "
    "share the first incumbent and the order of arms (footnote 9). Figures 5.3 and 5.4 need web data that was "
    "never released."
)


def run(instance: str, setting: Setting) -> Report:
    """The ratio of IF1's regret to IF2's, against the number of arms."""
    ratios = [ratio for ratio in RATIOS if ratio.instance == instance]
    runs = 100
    if setting.quick:
        ratios, runs = ratios[:2], 30
    samples, rows = {}, []
    for ratio in ratios:
        # All runs at 200 arms end their exploration before 4 million duels; nothing is lost after that.
        sample = ratio_sample(ratio, runs, horizon=4_000_000 if setting.quick else 10_000_000)
        samples[ratio.arms] = sample
        low, high = median_interval(sample)
        spread = (ratio.quartiles[1] - ratio.quartiles[0]) / 1.349
        together = 1.2533 * math.hypot(float(sample.std(ddof=1)) / math.sqrt(runs), spread / math.sqrt(100))
        median = float(np.median(sample))
        agrees = abs(median - ratio.median) < 3.5 * together
        rows.append(Row(f"median ratio at {ratio.arms} arms", ratio.median, median, low, high, agrees))
        setting.advance(1)
    if not setting.quick:
        rows.append(growth(instance, samples))
    title = f"thesis Figure {'5.1' if instance == 'worst-case' else '5.2'}: {instance}, T = 1e7, epsilon = 0.1"

    def draw(path: Path) -> Any:
        return draw_boxes(samples, "arms", "regret of IF1 / regret of IF2", title, path)

    return Report(rows, draw)


def median_interval(sample: Any) -> tuple[float, float]:
    """A 95 % interval of the median from order statistics."""
    ordered, half = np.sort(sample), 0.98 * math.sqrt(len(sample))
    low, high = math.floor(len(sample) / 2 - half), math.ceil(len(sample) / 2 + half)
    return float(ordered[max(0, low)]), float(ordered[min(len(sample) - 1, high)])


def growth(instance: str, samples: dict[int, Any]) -> Row:
    """The text's claim: the median grows like the logarithm of K, or does not grow."""
    luck = np.random.default_rng(0)
    few, many = samples[min(samples)], samples[max(samples)]
    again = [np.median(luck.choice(many, len(many))) / np.median(luck.choice(few, len(few))) for _ in range(2000)]
    low, high = (float(q) for q in np.quantile(again, (0.025, 0.975)))
    measured = float(np.median(many) / np.median(few))
    if instance == "worst-case":
        return Row("median at 500 over median at 100 arms: grows", None, measured, low, high, low > 1)
    return Row("median at 500 over median at 100 arms: does not grow", None, measured, low, high, high < 1.25)


WORST_CASE = Reproduction(
    "thesis-5.1", "thesis Figure 5.1, worst case", MISSING, 5, lambda setting: run("worst-case", setting)
)
RANDOM_CASE = Reproduction(
    "thesis-5.2", "thesis Figure 5.2, random Bradley-Terry", MISSING, 5, lambda setting: run("bradley-terry", setting)
)
