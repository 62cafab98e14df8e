"""Which arm is the winner, once that is sure: from wins and losses alone, whoever chose the pairs, at every look.

Wins are a K x K table, row over column, ties half each. Five meanings of winner:

- `condorcet`: beats each other arm more often than not. A claim of arm i is wrong only if some arm j is as good as i
  and a bet that i is better has won. For each i one such j is enough to stop it: so K bets share alpha, not K (K-1)/2.
- `copeland`: beats as many others as any arm does. `borda`: wins most often against all others on average.
- `top-k`: k arms that each beat each of the others.
- `ranking`: all arms in an order in which each beats each later one. Where it is not known of a pair itself, it follows
  from others: for this target preferences must be transitive.

These four rest on limits of all pairs that hold together.

Where preferences change, "beats" is about the average over the duels that the two had so far, at each look: of all
courses with the same mean, a bet at 1/2 is worth most to somebody whose rates stand still (the logarithm of
1 - m + m e^x is concave in m). That is proved for copeland, top-k and ranking. For condorcet it holds while the arm
that is as good as i stays the same, and is at most K - 1 times as often wrong else; borda bets at other rates than 1/2.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats
from duelist.evidence.deltas import check_share
from duelist.evidence.rates import IMAGINED, always_valid_limits, log_e_against

HALVINGS = 50
TARGETS = ("condorcet", "copeland", "borda", "top-k", "ranking")
SETS = ("top-k", "ranking")  # whose answer is several arms
Answer = tuple[int, ...] | None


def log_e_better(wins: Any, losses: Any, prior: float = IMAGINED) -> Any:
    """The logarithm of what a bet on "wins more often than not" has won: the mixture over rates above 1/2 alone.

    Each of these rates pays no more than 1 on average where the true rate is 1/2 or less.

    >>> [round(float(np.exp(log_e_better(wins, 10.0))), 2) for wins in (10.0, 20.0, 30.0)]
    [0.47, 3.21, 69.42]
    """
    above = scipy.special.betaincc(wins + prior, losses + prior, 0.5)
    with np.errstate(divide="ignore"):
        return log_e_against(0.5, wins, losses, prior) + math.log(2) + np.log(above)


def sure_winner(wins: Any, confidence: float = 0.95, target: str = "condorcet", k: int = 1) -> Answer:
    """The winner (of top-k the winners, of ranking all in order), or None while it is not sure.

    Watched for ever, a wrong answer is given with probability at most 1 - confidence, if preferences stand still.

    >>> wins = np.array([[0, 40, 45], [10, 0, 30], [5, 25, 0]])
    >>> sure_winner(wins), sure_winner(wins, target="top-k", k=2), sure_winner(wins, 0.999999)
    ((0,), None, None)
    """
    return sure_winners(check_wins(wins)[None], confidence, target, k)[0]


def sure_winners(tables: Any, confidence: float = 0.95, target: str = "condorcet", k: int = 1) -> list[Answer]:
    """`sure_winner` of each of many tables, as of many looks at one: N x K x K.

    >>> wins = np.array([[0, 40, 45], [10, 0, 30], [5, 25, 0]])
    >>> sure_winners([wins / 5, wins, 50 * wins], target="ranking")
    [None, None, (0, 1, 2)]
    """
    wins, alpha = check_wins(tables, 3), 1 - check_share("confidence", confidence)
    n_arms = wins.shape[1]
    _check_target(target, k, n_arms)
    if target == "condorcet":
        return _sure_condorcet(wins, math.log(n_arms / alpha))
    share = alpha / (n_arms * (n_arms - 1) // 2)
    if target == "borda":
        return _sure_borda(wins, share)
    beats = (wins > _mirrored(wins)) & (_either(wins, _mirrored(wins)) >= -math.log(share))
    if target == "copeland":
        return _ahead(beats.sum(2), n_arms - 1 - beats.sum(1))
    return [_sure_top(each, k) if target == "top-k" else _sure_order(each) for each in beats]


def _sure_condorcet(wins: Floats, needed: float) -> list[Answer]:
    """Only who has won more often than lost against each other arm can be sure: the bets of all others won nothing."""
    answers: list[Answer] = [None] * len(wins)
    itself = np.eye(wins.shape[1], dtype=np.bool_)
    table, arm = np.nonzero(((wins > _mirrored(wins)) | itself).all(2))
    own, theirs = wins[table, arm], wins[table, :, arm]
    hopeful = _either(own, theirs) + math.log(2) >= needed  # a bet on one side wins at most twice as much
    rows = np.flatnonzero((hopeful | itself[arm]).all(1))
    won = log_e_better(own[rows], theirs[rows]) >= needed
    for row in rows[(won | itself[arm[rows]]).all(1)].tolist():
        answers[table[row]] = (int(arm[row]),)
    return answers


def surely_beaten(wins: Any, arm: int, confidence: float = 0.95) -> bool:
    """Whether some other arm surely beats this one, watched for ever.

    Of the duels since an arm was found to be the winner it says that things have changed: if they have not, it says so
    with probability at most 1 - confidence.

    >>> surely_beaten(np.array([[0, 40, 12], [10, 0, 30], [28, 25, 0]]), arm=0)
    False
    """
    table, alpha = check_wins(wins), 1 - check_share("confidence", confidence)
    won = log_e_better(table[:, arm], table[arm])
    return bool((won >= math.log((len(table) - 1) / alpha)).any())


def duels_to_decide(rate: float, alpha: float, bet: Any = log_e_better) -> float:
    """About how many duels of a pair win the bet 1/alpha at this rate; infinite where it is not above 1/2.

    >>> [round(duels_to_decide(rate, 0.05)) for rate in (0.55, 0.6, 0.75, 1.0)]
    [983, 210, 29, 8]
    """
    if rate <= 0.5:
        return math.inf
    low, high = 0.0, 1.0
    while bet(rate * high, (1 - rate) * high) < -math.log(alpha):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if bet(rate * middle, (1 - rate) * middle) >= -math.log(alpha) else (middle, high)
    return high


def duels_needed(wins: Any, confidence: float = 0.95, target: str = "condorcet", k: int = 1) -> float:
    """About how many more duels make it sure, if they are spent on what is open and rates stay as they were seen.

    Infinite where a pair that must be decided was seen at 1/2, or where the arm ahead is not the likely winner.

    >>> wins = np.array([[0, 40, 45], [10, 0, 30], [5, 25, 0]])
    >>> duels_needed(wins), round(duels_needed(wins, target="top-k", k=2))
    (0.0, 1766)
    """
    if sure_winner(wins, confidence, target, k) is not None:
        return 0.0
    wins = check_wins(wins)
    if target == "borda":
        return _needed_borda(wins, confidence)
    bet, share = _bet(len(wins), confidence, target)
    n = wins + wins.T
    rate = (wins + 1) / (n + 2)
    needed = [
        duels_to_decide(float(rate[pair]), share, bet) - float(n[pair]) for pair in _leading_pairs(wins, target, k)
    ]
    return float(sum(max(0.0, each) for each in needed))


def open_pairs(wins: Any, confidence: float = 0.95, target: str = "condorcet", k: int = 1) -> list[tuple[int, int]]:
    """The pairs that have to be decided for those ahead to be the winners and are not, the closest first.

    >>> open_pairs(np.array([[0, 40, 7], [10, 0, 30], [5, 25, 0]]))
    [(0, 2)]
    """
    wins = check_wins(wins)
    bet, share = _bet(len(wins), confidence, target)
    rate = (wins + 1) / (wins + wins.T + 2)
    found = [pair for pair in _leading_pairs(wins, target, k) if bet(wins[pair], wins.T[pair]) < -math.log(share)]
    return sorted(found, key=lambda pair: float(rate[pair]))


def _bet(n_arms: int, confidence: float, target: str) -> tuple[Any, float]:
    """The bet that decides a pair, and its share of alpha."""
    if target == "condorcet":
        return log_e_better, (1 - confidence) / n_arms
    return _either, (1 - confidence) / max(1, n_arms * (n_arms - 1) // 2)


def _leading_pairs(wins: Floats, target: str, k: int) -> list[tuple[int, int]]:
    """Those ahead (they beat most, and of these win most) against each of the others; of an order its neighbours."""
    rate = (wins + 1) / (wins + wins.T + 2)
    scores = (rate > 0.5).sum(1) + rate.mean(1)
    order = np.argsort(-scores, kind="stable").tolist()
    if target == "ranking":
        return list(pairwise(order))
    inside = order[: k if target == "top-k" else 1]
    return [(one, other) for one in inside for other in range(len(wins)) if other not in inside]


def check_wins(wins: Any, dimensions: int = 2) -> Floats:
    """A K x K table of wins, or several, the diagonals emptied."""
    table = np.array(wins, np.float64)
    if table.ndim != dimensions or table.shape[-2] != table.shape[-1] or table.shape[-1] < 2 or not (table >= 0).all():
        raise BadInput(f"wins must be a square table of numbers of at least 0, not one of shape {table.shape}")
    own = np.arange(table.shape[-1])
    table[..., own, own] = 0.0
    return table


def _check_target(target: str, k: int, n_arms: int) -> None:
    if target not in TARGETS:
        raise BadInput(f"target must be one of {', '.join(TARGETS)}, not {target!r}")
    if not 1 <= k < n_arms:
        raise BadInput(f"k must be from 1 to {n_arms - 1}, not {k!r}")


def _ahead(least: Any, most: Any) -> list[Answer]:
    """In each row the arm that has surely as much as any other can still hope for."""
    rows, leader = np.arange(len(least)), least.argmax(1)
    rest = most.astype(np.float64)
    rest[rows, leader] = -np.inf
    sure = least[rows, leader] >= rest.max(1)
    return [(int(arm),) if known else None for arm, known in zip(leader, sure, strict=True)]


def _sure_borda(wins: Floats, share: float) -> list[Answer]:
    first, second = np.triu_indices(wins.shape[1], 1)
    limits = always_valid_limits(wins[:, first, second], wins[:, second, first], share)
    low, high = np.zeros(wins.shape), np.zeros(wins.shape)
    low[:, first, second], high[:, first, second] = limits
    low[:, second, first], high[:, second, first] = 1 - limits.high, 1 - limits.low
    return _ahead(low.sum(2), high.sum(2))


def _sure_top(beats: Flags, k: int) -> Answer:
    if beats.sum() < k * (len(beats) - k):
        return None
    inside = np.sort(np.argsort(-beats.sum(1), kind="stable")[:k])
    outside = np.setdiff1d(np.arange(len(beats)), inside)
    return tuple(inside.tolist()) if beats[np.ix_(inside, outside)].all() else None


def _sure_order(beats: Flags) -> Answer:
    """The order in which each surely beats the next one, if nobody surely beats an earlier one."""
    if beats.sum() < len(beats) - 1:
        return None
    order = np.argsort(-_follows(beats).sum(1), kind="stable")
    table = beats[np.ix_(order, order)]
    return tuple(order.tolist()) if table.diagonal(1).all() and not np.tril(table).any() else None


def _follows(beats: Flags) -> Flags:
    """Who surely beats whom, directly or by way of others."""
    known = beats.copy()
    for middle in range(len(beats)):
        known |= np.outer(known[:, middle], known[middle])
    return known


def _mirrored(tables: Floats) -> Floats:
    return tables.swapaxes(1, 2)


def _either(wins: Any, losses: Any) -> Any:
    return log_e_against(0.5, wins, losses)


def _needed_borda(wins: Floats, confidence: float) -> float:
    """Limits close as one over the root of the duels: how much closer must they be?"""
    others = 1 - np.eye(len(wins))
    rate = (wins + 1) / (wins + wins.T + 2)
    score = (rate * others).sum(1)
    second, first = np.argsort(score)[-2:]
    low, high = always_valid_limits(wins, wins.T, _bet(len(wins), confidence, "borda")[1])
    reach = ((high - rate) * others)[second].sum() + ((rate - low) * others)[first].sum()
    gap = float(score[first] - score[second])
    times = (reach / gap) ** 2 if gap > 0 else math.inf
    return float(max(0.0, times - 1) * max(1.0, wins.sum()))
