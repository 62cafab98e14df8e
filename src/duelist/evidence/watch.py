"""Many experiments watched at once: who raises an alarm, and when."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Ints
from duelist.evidence.betting import wealth_at
from duelist.evidence.limits import IMAGINED, START, is_beyond, once
from duelist.evidence.sequential import log_e_value, sums_at

FIRST = 50  # users before the first look
EVERY = 25  # users between two looks
ALWAYS_VALID = ("e-value", "confidence sequence")
CAPPED = "confidence sequence with a cap"


def looks_at(users: int, every: int = EVERY, first: int = FIRST) -> Ints:
    """After how many users a watcher looks: `first`, and every `every` users from there."""
    if every < 1 or first < 1:
        raise BadInput(f"every and first must be at least 1, not {every!r} and {first!r}")
    return np.arange(first, users + 1, every)


def watch(
    deltas: Any, looks: Ints, alpha: float = 0.05, start: float = START, bound: float | None = None
) -> dict[str, Flags]:
    """Whether each method finds a difference at each look; deltas are experiments x users.

    The fixed z-test is watched beside the always-valid methods, though it must not be. Where deltas have a known
    `bound`, the sequence that knows it and the betting sequence are there too.

    >>> coins = np.random.default_rng(1).choice([-1.0, 1.0], (1000, 1000))
    >>> alarms = watch(coins, looks_at(1000))
    >>> {name: float(alarm.any(1).mean()) for name, alarm in alarms.items()}
    {'z-test': 0.326, 'e-value': 0.018, 'confidence sequence': 0.02}
    """
    values = np.asarray(deltas, dtype=np.float64)[:, : looks[-1] if len(looks) else 0]
    starts = np.concatenate([[0], looks[:-1]]).astype(np.intp) if len(looks) else np.zeros(0, np.intp)

    def at_looks(amounts: Any) -> Any:
        return np.add.reduceat(amounts, starts, axis=1, dtype=np.float64).cumsum(1)

    sums = once(looks, *sums_at(values, looks, start))
    mean = sums.total / looks
    variance = sums.squares / looks - mean**2
    # Deltas that are all the same have no spread: their size stands in for it.
    spread = np.where(variance > 1e-12 * mean**2, np.sqrt(np.maximum(variance, 0)), np.abs(mean))
    critical = scipy.special.ndtri(1 - alpha / 2) / np.sqrt(looks)
    alarms = {
        "z-test": np.abs(mean) > critical * spread,
        "e-value": log_e_value(at_looks(values > 0), at_looks(values < 0)) >= -np.log(alpha),
        "confidence sequence": is_beyond(sums, alpha, start),
    }
    if bound is not None:
        capped = once(looks, *sums_at(values, looks, start, IMAGINED * bound))
        alarms[CAPPED] = is_beyond(capped, alpha, start)
        wealth = np.zeros((len(values), len(looks)))
        wealth_at(np.ascontiguousarray(values), np.asarray(looks, np.int64), float(bound), wealth)
        alarms["betting sequence"] = wealth >= -np.log(alpha)
    return alarms


def first_alarms(alarms: Flags, looks: Ints) -> Ints:
    """After how many users each experiment raised its first alarm; 0 where it never did."""
    return np.where(alarms.any(1), looks[alarms.argmax(1)], 0)
