"""Watching experiments without any difference: how often does each method name a winner?"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from duelist.core.memory import Flags, Floats
from duelist.evidence.sequential import log_e_value
from duelist.evidence.watch import ALWAYS_VALID, looks_at, watch
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import HALF, Reference, Row

USERS = 2000
ALPHA = 0.05
EXPERIMENTS = 2000
# Users' deltas under "no difference": both rankers the same, so that every delta and its opposite are equally likely.
DELTAS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "coin": lambda rng, shape: rng.choice(np.array([-1.0, 1.0]), shape),
    "tied": lambda rng, shape: rng.choice(np.array([-1.0, 0.0, 1.0]), shape, p=[0.05, 0.9, 0.05]),
    "geometric": lambda rng, shape: (rng.geometric(0.5, shape) - rng.geometric(0.5, shape)).astype(np.float64),
    "heavy-tailed": lambda rng, shape: rng.standard_t(3, shape),
}


def peek(kind: str, experiments: int = EXPERIMENTS, users: int = USERS, seed: int = 0) -> dict[str, Flags]:
    """Whether each method has raised an alarm by each look: experiments x looks, a look every 25 users.

    >>> {name: round(float(alarms[:, -1].mean()), 3) for name, alarms in peek("coin", 500).items()}
    {'z-test': 0.376, 'e-value': 0.03, 'confidence sequence': 0.034}
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
    rows: list[Row] = []
    curves: dict[str, Flags] = {}
    for kind in DELTAS:
        alarms = peek(kind)
        shares = {name: mean_of(alarm[:, -1]) for name, alarm in alarms.items()}
        if kind == "coin":
            curves = alarms
            rows += [Row(f"{name}, coin", independent(share), shares[name]) for name, share in INDEPENDENT.items()]
        rows += [Row(f"{name}, {kind}", PROMISED, shares[name]) for name in ALWAYS_VALID]
        rows.append(Row(f"z-test, {kind}", BROKEN, shares["z-test"]))
        setting.advance(1)
    totals = mean_of(peek_at_totals(200 if setting.quick else 1000))
    rows.append(Row("e-value of totals that change", CHANGING, totals))
    setting.advance(1)
    return Report(rows, alarm_chart(curves))


def independent(share: float) -> Reference:
    """A share of 4,000 experiments."""
    error = HALF * math.sqrt(share * (1 - share) / 4000)
    return Reference("independent", "a simulation apart from this, 4,000 experiments", share, error=error)


def alarm_chart(alarms: dict[str, Flags]) -> Lines:
    """False alarms against users."""
    looks = looks_at(USERS)
    lines = [Series(name, looks, alarm.mean(0)) for name, alarm in alarms.items()]
    lines.append(Series("promised", looks, np.full(len(looks), ALPHA)))
    title = "Experiments without a difference, watched every 25 users"
    return Lines([Panel("share with a false alarm so far", lines)], "users", title, x_logarithmic=False)


INDEPENDENT = {"z-test": 0.364, "e-value": 0.022, "confidence sequence": 0.022}
PROMISED = Reference("claim", "Ville's inequality: a false alarm ever, in at most alpha = .05", below=ALPHA)
BROKEN = Reference(
    "claim",
    "docs/evidence.md: a test every morning finds winners that are none",
    above=0.25,
    reason="in a quarter or more",
)
CHANGING = Reference("claim", "docs/evidence.md: the promise needs outcomes that do not change", above=ALPHA)
PEEKING = Reproduction(
    *listed("peeking"), "No paper: the promise of watched methods, and an independent simulation.", code=run, steps=5
)
