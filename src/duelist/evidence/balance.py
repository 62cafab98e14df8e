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
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.deltas import check_deltas, check_share
from duelist.evidence.limits import START
from duelist.evidence.sequential import LARGEST, PRIOR
from duelist.evidence.watch import CAPPED, EVERY, FIRST, looks_at, watch

ALARM = 0.01  # how often, at most, all checks of a healthy experiment together may call it invalid
CELLS = 4_000_000  # users x replays held in memory at once
MOST = 20_000  # users of a replay
POOL = 1 << 16  # users, at least, from whom replays are drawn: so finely are their chances told apart


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
    return float(scipy.special.gammaln(amounts).sum() - scipy.special.gammaln(amounts.sum()))


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


def without_a_difference(values: Floats) -> Floats:
    """Users to draw from whose mean is 0: those on the side that is ahead are fewer, and those on the other more.

    Nobody's total changes: ties stay ties, and where all weigh alike they still do. Were the mean taken from each,
    thousands who bought nothing would look like as many who slightly agree; were it taken from the others, two who lost
    beside 98 who won would look like a few who weigh too much. Where all are on one side it is taken from the others.

    >>> users = without_a_difference(np.array([1.0] * 98 + [-1.0] * 2 + [0.0] * 100))
    >>> round(float(users.mean()), 3), np.unique(users).tolist(), float((users == 0).mean())
    (0.0, [-1.0, 0.0, 1.0], 0.5)
    """
    telling = np.sort(values[values != 0])
    ahead, behind = float(telling[telling > 0].sum()), -float(telling[telling < 0].sum())
    if not (ahead and behind):
        return np.asarray(np.where(values != 0, values - values.sum() / max(1, len(telling)), 0.0))
    times = -(-POOL // len(values))
    rising = np.cumsum(np.where(telling > 0, behind, ahead))  # chances by which both sides weigh as much
    places = (np.arange(times * len(telling)) + 0.5) / (times * len(telling))
    drawn = telling[np.minimum(np.searchsorted(rising, places * rising[-1]), len(telling) - 1)]
    return np.concatenate([drawn, np.zeros(times * (len(values) - len(telling)))])


def replay(
    deltas: Any,
    replays: int = 1000,
    alpha: float = 0.05,
    every: int = EVERY,
    first: int = FIRST,
    seed: int = 0,
    start: float = START,
    bound: float | None = None,
) -> dict[str, float]:
    """How often each method raises a false alarm on this experiment's own users, without a difference.

    Every replay draws users with replacement, from a crowd without a difference (`without_a_difference`) in which what
    is skewed stays skewed and ties stay ties; for the e-value, which asks for signs, it turns each user's sign by a
    coin instead. It is watched after `first` users and every `every` from there, up to 20,000. "z-test, once"
    looks at the end only. With fewer than `first` users there is nothing to watch, and the answer is empty.
    Where preferences have a `bound`, the confidence sequence is the one that knows it.

    >>> deltas = np.random.default_rng(0).geometric(0.5, 1000) - 1.0
    >>> replay(deltas, replays=200)
    {'z-test, once': 0.045, 'e-value': 0.03, 'confidence sequence': 0.005, 'z-test, watched': 0.295}
    """
    values = check_deltas(deltas)
    if replays < 1:
        raise BadInput(f"replays must be at least 1, not {replays!r}")
    check_share("alpha", alpha)
    users = min(len(values), MOST)
    looks = looks_at(users, every, first)
    if not len(looks):
        return {}
    (choice, coins), batch = np.random.default_rng(seed).spawn(2), max(1, CELLS // users)
    crowd = without_a_difference(values)
    counts = dict.fromkeys(("z-test, once", "e-value", "confidence sequence", "z-test, watched"), 0)
    for begun in range(0, replays, batch):
        drawn = choice.integers(len(crowd), size=(min(batch, replays - begun), users))
        signs = coins.integers(0, 2, drawn.shape, dtype=np.int8) * 2 - 1
        alarms = watch(crowd[drawn], looks, alpha, start, bound)
        counts["z-test, once"] += int(alarms["z-test"][:, -1].sum())
        counts["z-test, watched"] += int(alarms["z-test"].any(1).sum())
        counts["confidence sequence"] += int(alarms["confidence sequence" if bound is None else CAPPED].any(1).sum())
        counts["e-value"] += int(
            watch(signs * values[drawn % len(values)], looks, alpha, start)["e-value"].any(1).sum()
        )
    return {name: count / replays for name, count in counts.items()}
