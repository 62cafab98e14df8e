"""Is the experiment healthy? Checks that may be watched, and a replay without any difference.

An interleaved experiment is invalid if its coins are not fair: every ranker must pick first
equally often and own equally many slots. A broken cache, a filter behind the interleaving or a
lost log shows up here, and no test of the clicks can be trusted then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.deltas import check_deltas, check_share
from duelist.evidence.sequential import FIRST, LARGEST, PRIOR
from duelist.evidence.watch import EVERY, looks_at, watch

ALARM = 0.01  # how often, at most, all checks of a healthy experiment together may call it invalid
CELLS = 10_000_000  # users x replays held in memory at once


@dataclass(frozen=True)
class Check:
    """One check of the balance: counts against the shares they should have."""

    name: str
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    e_value: float
    threshold: float  # an e-value of this or more is an alarm

    @property
    def healthy(self) -> bool:
        """Whether the counts may come from the shares."""
        return self.e_value < self.threshold


def ratio_e_value(counts: Sequence[int], shares: Sequence[float] | None = None) -> float:
    """How strongly counts speak against the shares they should have (equal ones by default).

    The Dirichlet-multinomial e-value, for two equal shares the Beta-binomial one of `e_value`: it
    may be computed after every impression, and stays below 1/alpha for ever with probability at
    least 1 - alpha if the shares hold.

    >>> ratio_e_value([5050, 4950]) < 1, ratio_e_value([5300, 4700]) > 100
    (True, True)
    """
    seen = np.asarray(counts, dtype=np.float64)
    expected = np.full(len(seen), 1 / max(1, len(seen))) if shares is None else np.asarray(shares, dtype=np.float64)
    if seen.ndim != 1 or len(seen) < 2 or not (seen >= 0).all():
        raise BadInput(f"counts must be two or more numbers of at least 0, not {counts!r}")
    if expected.shape != seen.shape or not (expected > 0).all() or not math.isclose(expected.sum(), 1):
        raise BadInput(f"shares must be {len(seen)} positive numbers that sum to 1, not {shares!r}")
    prior = PRIOR * len(seen) * expected
    bet = _log_beta(prior + seen) - _log_beta(prior) - float((seen * np.log(expected)).sum())
    return math.exp(min(bet, LARGEST))


def _log_beta(amounts: Floats) -> float:
    return float(special.gammaln(amounts).sum() - special.gammaln(amounts.sum()))


def check_balance(counts: Mapping[str, Sequence[int]], alarm: float = ALARM) -> tuple[Check, ...]:
    """Check each named row of counts, one count a ranker, for equal shares.

    Together they raise a false alarm with probability at most `alarm`, however long they are watched.

    >>> first, slots = check_balance({"first picks": [498, 502], "slots": [4000, 5000]})
    >>> first.healthy, slots.healthy
    (True, False)
    """
    check_share("alarm", alarm)
    threshold = len(counts) / alarm
    return tuple(
        Check(name, tuple(map(int, row)), (1 / len(row),) * len(row), ratio_e_value(row), threshold)
        for name, row in counts.items()
    )


def replay(
    deltas: Any, replays: int = 1000, alpha: float = 0.05, every: int = EVERY, first: int = FIRST, seed: int = 0
) -> dict[str, float]:
    """How often each method raises a false alarm on this experiment's own users, without a difference.

    Every replay gives each user's delta a random sign, which is what swapping the team labels does,
    and is watched after `first` users and every `every` from there. "z-test, once" looks at the end
    only. With fewer than `first` users there is nothing to watch, and the answer is empty.

    >>> deltas = np.random.default_rng(0).geometric(0.5, 1000) - 1.0
    >>> replay(deltas, replays=200)
    {'z-test, once': 0.035, 'e-value': 0.005, 'confidence sequence': 0.025, 'z-test, watched': 0.25}
    """
    values = check_deltas(deltas)
    if replays < 1:
        raise BadInput(f"replays must be at least 1, not {replays!r}")
    check_share("alpha", alpha)
    looks = looks_at(len(values), every, first)
    if not len(looks):
        return {}
    rng, batch = np.random.default_rng(seed), max(1, CELLS // len(values))
    counts = {"z-test, once": 0}
    for begun in range(0, replays, batch):
        signs = rng.integers(0, 2, (min(batch, replays - begun), len(values)), dtype=np.int8) * 2 - 1
        alarms = watch(signs * values, looks, alpha)
        counts["z-test, once"] += int(alarms["z-test"][:, -1].sum())
        alarms["z-test, watched"] = alarms.pop("z-test")
        for name, alarm in alarms.items():
            counts[name] = counts.get(name, 0) + int(alarm.any(1).sum())
    return {name: count / replays for name, count in counts.items()}
