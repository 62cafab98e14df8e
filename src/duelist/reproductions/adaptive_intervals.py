"""Equal arms whose pairs a policy chooses: how often is an interval wrong about them?

A policy that follows the leader stops comparing an arm after bad luck and goes on after good luck, so that what is
left looks different from what is true. Here every arm is as good as every other one, and two answers are judged:

- the board: the interval of the strength of the arm on top, at the end, one look;
- the pairs, watched: whether the interval of some pair has ever missed 1/2, looked at now and then.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import kernel, once, specialise
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.spec import Spec
from duelist.dueling.environments import Matrix
from duelist.dueling.loop import duel
from duelist.dueling.policy import Policy, choose, update
from duelist.evidence.rates import always_valid_limits, planned_limits
from duelist.present.charts import Dots, Series
from duelist.ranking import DuelLog, leaderboard
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

ARMS, DUELS, EVERY = 5, 1500, 50
ALPHA = 0.05
RUNS, FEW = 400, 60
POLICIES = ("uniform", "rucb", "d-ts", "rmed1", "rex3", "self-sparring", "winner-stays-weak")
QUICK = ("uniform", "d-ts", "rex3", "self-sparring", "winner-stays-weak")  # those that few runs are enough for


class Missed(NamedTuple):
    """For each run, whether an interval was wrong."""

    planned_board: Flags
    valid_board: Flags
    planned_pairs: Flags  # by the last look, however often it was looked before
    valid_pairs: Flags


def record(
    policy: Any,
    environment: Any,
    left: Ints,
    right: Ints,
    outcome: Floats,
    policy_rng: np.random.Generator,
    duel_rng: np.random.Generator,
) -> None:
    """Duels of a policy, written down one by one."""
    for t in range(1, len(left) + 1):
        chosen = choose(policy, t, policy_rng)
        won = duel(environment, t, chosen.left, chosen.right, duel_rng)
        update(policy, chosen, won, t, policy_rng)
        left[t - 1], right[t - 1], outcome[t - 1] = chosen.left, chosen.right, won


@once
def compiled_record(policy: type[Policy]) -> specialise:
    """The loop for one policy."""
    kernels = {"choose": policy.method("choose", kernel), "update": policy.method("update", kernel)}
    return specialise(record, {**kernels, "duel": Matrix.duel}, policy.name)


def play(spec: str, preference: Floats, duels: int, seed: int) -> DuelLog:
    """What a policy sees of a world; duels of an arm with itself are left out."""
    policy: Policy = Spec.read("policy", spec).make(n_arms=len(preference), seed=seed)
    left, right, outcome = np.zeros(duels, np.int64), np.zeros(duels, np.int64), np.zeros(duels)
    luck = np.random.default_rng((seed, 1))
    loop = compiled_record(type(policy))
    loop(policy.memory, Matrix(preference).memory(duels), left, right, outcome, policy.rng, luck)
    met = left != right
    size = int(met.sum())
    arms = tuple(range(len(preference)))
    return DuelLog(arms, left[met], right[met], outcome[met], np.ones(size), np.full(size, -1))


def missed(spec: str, runs: int, seed: int = 0, duels: int = DUELS) -> Missed:
    """How often intervals are wrong about equal arms.

    >>> found = missed("self-sparring", 20)
    >>> int(found.planned_board.sum()), int(found.valid_board.sum())
    (12, 0)
    """
    rows = [_missed_once(spec, seed + run, duels) for run in range(runs)]
    return Missed(*np.array(rows).T)


def _missed_once(spec: str, seed: int, duels: int) -> tuple[bool, bool, bool, bool]:
    log = play(spec, np.full((ARMS, ARMS), 0.5), duels, seed)
    boards = []
    for kind in ("planned", "always-valid"):
        top = leaderboard(log, kind=kind, sides=False, prior=1.0).standings[0]
        boards.append(not top.low <= 0.0 <= top.high)
    wins, losses = _counts(log)
    pairs = ARMS * (ARMS - 1) // 2
    usual, ours = planned_limits(wins, losses, ALPHA / pairs), always_valid_limits(wins, losses, ALPHA / pairs)
    watched = [bool(((limits.low > 0.5) | (limits.high < 0.5)).any()) for limits in (usual, ours)]
    return boards[0], boards[1], watched[0], watched[1]


def _counts(log: DuelLog) -> tuple[Floats, Floats]:
    """Wins and losses of each pair at each look."""
    first, second = np.minimum(log.left, log.right), np.maximum(log.left, log.right)
    won = np.where(log.left < log.right, log.outcome, 1 - log.outcome)
    place = first * ARMS + second
    looks = [*range(EVERY, len(log), EVERY), len(log)]
    wins = [np.bincount(place[:end], won[:end], ARMS * ARMS) for end in looks]
    losses = [np.bincount(place[:end], 1 - won[:end], ARMS * ARMS) for end in looks]
    return np.array(wins), np.array(losses)


def run(setting: Setting) -> Report:
    """All policies."""
    rows: list[Row] = []
    usual, ours = {}, {}
    for policy in QUICK if setting.quick else POLICIES:
        found = missed(policy, FEW if setting.quick else RUNS)
        shares = [mean_of(each) for each in found]
        board = CONTROL if policy == "uniform" else BROKEN
        rows += [
            Row(f"{policy}: usual interval of the best", board, shares[0]),
            Row(f"{policy}: always-valid one", PROMISED, shares[1]),
            Row(f"{policy}: usual pairs, watched", OBSERVATION, shares[2]),
            Row(f"{policy}: always-valid pairs, watched", PROMISED, shares[3]),
        ]
        usual[policy], ours[policy] = shares[:2]
        setting.advance(1)
    return Report(rows, _chart(usual, ours))


def _chart(usual: dict[str, Any], ours: dict[str, Any]) -> Dots:
    series = []
    for label, found in (("usual", usual), ("always-valid", ours)):
        mean, low, high = np.array(list(found.values())).T
        series.append(Series(label, list(found), mean, np.minimum(np.maximum(low, 0.0), mean), high))
    title = f"{ARMS} equal arms, {DUELS:,} duels: interval of the arm on top is wrong (promised: {ALPHA:.0%})"
    return Dots(series, "share of boards", title)


PAGE = "docs/leaderboard.md"
PROMISED = Reference("claim", f"{PAGE}: always-valid intervals are wrong in at most 5 %", below=ALPHA, refutable=True)
BROKEN = Reference("claim", f"{PAGE}: the usual interval is wrong more often than it says", above=ALPHA)
CONTROL = Reference("claim", f"{PAGE}: picking the best of five equal arms alone does less harm", below=0.2)
ADAPTIVE = Reproduction(
    *listed("adaptive-intervals"), "No paper: what our intervals promise.", code=run, steps=len(POLICIES)
)
