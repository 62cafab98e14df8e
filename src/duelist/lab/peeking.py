"""Watching experiments without any difference: how often does each method name a winner?"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.core.memory import Flags, Floats
from duelist.evidence.sequential import log_e_value
from duelist.evidence.watch import ALWAYS_VALID, looks_at, watch
from duelist.lab.reproduction import Report, Reproduction, Setting, claim, compare

USERS = 2000
ALPHA = 0.05
EXPERIMENTS = 2000
# Users' deltas under "no difference": both rankers the same, so that every delta and its opposite are equally likely.
DELTAS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "coin": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "tied": lambda rng, shape: rng.choice([-1.0, 0.0, 1.0], shape, p=[0.05, 0.9, 0.05]),
    "geometric": lambda rng, shape: (rng.geometric(0.5, shape) - rng.geometric(0.5, shape)).astype(np.float64),
    "heavy-tailed": lambda rng, shape: rng.standard_t(3, shape),
}


def peek(kind: str, experiments: int = EXPERIMENTS, users: int = USERS, seed: int = 0) -> dict[str, Flags]:
    """Whether each method has raised an alarm by each look: experiments x looks, a look every 25 users.

    >>> {name: round(float(alarms[:, -1].mean()), 3) for name, alarms in peek("coin", 500).items()}
    {'z-test': 0.376, 'e-value': 0.03, 'confidence sequence': 0.038}
    """
    deltas = DELTAS[kind](np.random.default_rng(seed), (experiments, users))
    return {name: np.logical_or.accumulate(alarms, 1) for name, alarms in watch(deltas, looks_at(users)).items()}


def peek_at_totals(experiments: int = 200, seed: int = 0) -> Flags:
    """Whether an e-value of totals that are recomputed at every look raises an alarm: what must not be done.

    Two hundred regulars come back once between two looks, of which there are a thousand.

    >>> float(peek_at_totals().mean())
    0.15
    """
    rng, alarmed = np.random.default_rng(seed), np.zeros(experiments, np.bool_)
    for number in range(experiments):
        totals = (rng.integers(0, 2, (1000, 200)) * 2 - 1).cumsum(0)
        bets = log_e_value((totals > 0).sum(1), (totals < 0).sum(1))
        alarmed[number] = bets.max() >= -math.log(ALPHA)
    return alarmed


def run(setting: Setting) -> Report:
    """All methods on all kinds of deltas."""
    rows, curves = [], {}
    for kind in DELTAS:
        alarms = peek(kind)
        if kind == "coin":
            curves = alarms
            for name, published in PUBLISHED.items():
                error = 1.96 * math.sqrt(published * (1 - published) / 4000)
                rows.append(compare(f"{name}, coin", published, error, alarms[name][:, -1].astype(float)))
        for name in ALWAYS_VALID:
            sample = alarms[name][:, -1].astype(float)
            rows.append(claim(f"{name}, {kind}: at most .05", sample, lambda low, high: high <= ALPHA))
        watched = alarms["z-test"][:, -1].astype(float)
        rows.append(claim(f"z-test, {kind}: far above .05", watched, lambda low, high: low > 3 * ALPHA))
        setting.advance(1)
    totals = peek_at_totals(200 if setting.quick else 1000).astype(float)
    rows.append(claim("e-value of totals that change: above .05", totals, lambda low, high: low > ALPHA))
    setting.advance(1)

    def draw(path: Path) -> Any:
        looks = looks_at(USERS)
        lines = [Series(name, looks, alarm.mean(0)) for name, alarm in curves.items()]
        lines.append(Series("promised", looks, np.full(len(looks), ALPHA)))
        title = "Experiments without a difference, watched every 25 users"
        return draw_lines([("share with a false alarm so far", lines, False)], "users", title, path, False)

    return Report(rows, draw)


# Of 4,000 experiments by independent code.
PUBLISHED = {"z-test": 0.364, "e-value": 0.022, "confidence sequence": 0.022}
PEEKING = Reproduction(
    "peeking",
    "false alarms of watched experiments",
    "The figures compared with are an independent simulation's of 4,000 experiments with coin-like users.",
    5,
    run,
)
