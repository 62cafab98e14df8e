"""Certain of the winner, watched all the time: how soon, and how often wrong, whichever policy chooses the pairs?

The duels of a run are judged for every meaning of winner at once, at the same looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from duelist.core.memory import Flags, Floats, Ints
from duelist.dueling.policy import POLICIES
from duelist.evidence.winners import TARGETS, sure_winners
from duelist.present.charts import Boxes
from duelist.ranking import DuelLog
from duelist.reproductions.adaptive_intervals import play
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

ARMS, DUELS, TOP = 5, 3000, 2
LOOKS = (*range(10, 100, 10), *range(100, 400, 50), *range(400, DUELS + 1, 200))  # after so many duels
CONFIDENCE = 0.95
RUNS, FEW = 200, 30
QUICK = ("uniform", "d-ts", "winner-stays-weak")


def ordered(step: float) -> Floats:
    """Arms in an order, each pair so much further from 1/2 as its arms are apart."""
    apart = np.arange(ARMS)[None, :] - np.arange(ARMS)[:, None]
    return np.clip(0.5 + step * apart, 0.05, 0.95)


def circle() -> Floats:
    """The first three arms beat each other in a circle, and the others: there is no Condorcet winner."""
    table = np.full((ARMS, ARMS), 0.5)
    for first, second in ((0, 1), (1, 2), (2, 0)):
        table[first, second], table[second, first] = 0.65, 0.35
    table[:3, 3:], table[3:, :3] = 0.65, 0.35
    return table


def twins(first: int) -> Floats:
    """Five arms in a clear order, but this one and the next tie: one pair to be wrong about."""
    table = np.where(np.arange(ARMS)[:, None] < np.arange(ARMS), 0.9, 0.1)
    np.fill_diagonal(table, 0.5)
    table[first, first + 1] = table[first + 1, first] = 0.5
    return table


WORLDS = {
    "easy": ordered(0.15),
    "near": ordered(0.01),
    "tied": np.full((ARMS, ARMS), 0.5),
    "twins": twins(0),
    "twins behind": twins(TOP - 1),
    "circle": circle(),
}
UNPROMISED = ("circle", "ranking")  # an order is promised where there is one


def every_policy() -> list[str]:
    """All of the library's, told the horizon where they need one.

    >>> every_policy()[:4]
    ['active-ranking', 'auto', 'beat-the-winner', 'beat-the-winner-reset']
    """
    found = []
    for name in POLICIES:
        policy = POLICIES.get(name)
        if policy.__module__.startswith("duelist."):
            horizon = policy.parameters().get("horizon")
            found.append(f"{name}:horizon={DUELS}" if horizon is not None and horizon.required else name)
    return found


class Claims(NamedTuple):
    """What became of each run."""

    wrong: Flags
    after: Floats  # duels until it was certain; infinite if it never was


def claims(policy: str, world: str, runs: int, seed: int = 0) -> dict[str, Claims]:
    """By target: how often a policy is certain of what is not so, and after how many duels it is certain.

    >>> found = claims("rucb", "easy", 10)
    >>> [(target, int(each.wrong.sum()), float(np.median(each.after))) for target, each in found.items()][:2]
    [('condorcet', 0, 275.0), ('copeland', 0, 315.5)]
    """
    looks = [counts(play(policy, WORLDS[world], DUELS, seed + run)) for run in range(runs)]
    return {
        target: Claims(
            *map(np.array, zip(*(_judge(ends, tables, world, target) for ends, tables in looks), strict=True))
        )
        for target in TARGETS
    }


def _judge(ends: Ints, tables: Floats, world: str, target: str) -> tuple[bool, float]:
    """Whether any claim is wrong, and when the first one is made."""
    answers = sure_winners(tables, CONFIDENCE, target, TOP if target == "top-k" else 1)
    made = [place for place, answer in enumerate(answers) if answer is not None]
    wrong = {answer for answer in answers if answer is not None and not is_right(WORLDS[world], answer, target)}
    return bool(wrong), float(ends[made[0]]) if made else np.inf


def counts(log: DuelLog) -> tuple[Ints, Floats]:
    """The looks at a log, the last one at its end, and the K x K table of wins at each."""
    ends = np.append([end for end in LOOKS if end < len(log)], len(log)).astype(np.int64)
    look = np.searchsorted(ends, np.arange(len(log)), side="right")
    size = len(ends) * ARMS * ARMS
    place, mirrored = ((look * ARMS + a) * ARMS + b for a, b in ((log.left, log.right), (log.right, log.left)))
    wins = np.bincount(place, log.outcome, size) + np.bincount(mirrored, 1 - log.outcome, size)
    return ends, wins.reshape(-1, ARMS, ARMS).cumsum(0)


def is_right(preference: Floats, answer: Sequence[int], target: str) -> bool:
    """Whether an answer is what the target means."""
    beats = preference > 0.5
    if target == "copeland":
        scores = beats.sum(1) + (preference == 0.5).sum(1) / 2
        return bool(scores[answer[0]] == scores.max())
    if target == "borda":
        scores = preference.sum(1)
        return bool(scores[answer[0]] > np.delete(scores, answer[0]).max() + 1e-9)
    if target == "ranking":
        return all(beats[one, other] for one, other in combinations(answer, 2))
    return all(beats[one, other] for one in answer for other in range(ARMS) if other not in answer)


def run(setting: Setting) -> Report:
    """All policies in all worlds."""
    runs = FEW if setting.quick else RUNS
    rows: list[Row] = []
    times: dict[str, Sequence[float]] = {}
    wrong: dict[tuple[str, str], list[Flags]] = {}
    for policy in QUICK if setting.quick else every_policy():
        found = {world: claims(policy, world, runs) for world in WORLDS}
        rows += _policy_rows(policy, found)
        times[policy] = np.minimum(found["easy"]["condorcet"].after, DUELS).tolist()
        for world, by_target in found.items():
            for target, each in by_target.items():
                wrong.setdefault((world, target), []).append(each.wrong)
        setting.advance(1)
    for cell, shares in wrong.items():
        reference = OBSERVATION if cell == UNPROMISED else PROMISED
        rows.append(Row(f"all policies, {', '.join(cell)}: wrong", reference, mean_of(np.concatenate(shares))))
    title = f"{ARMS} arms in an easy order: {CONFIDENCE:.0%} certain of the winner"
    return Report(rows, Boxes(times, "policy", f"duels of two arms (never: {DUELS:,})", title))


def _policy_rows(policy: str, found: Mapping[str, Mapping[str, Claims]]) -> list[Row]:
    """For each target how often it is wrong in the worst world, and how often it is certain in the easy one."""
    rows = []
    for target in TARGETS:
        shares = {w: each[target].wrong for w, each in found.items() if (w, target) != UNPROMISED}
        worst = max(shares, key=lambda world: float(shares[world].mean()))
        where = f", in {worst}" if shares[worst].any() else ""
        rows.append(Row(f"{policy}, {target}: wrong at worst{where}", PROMISED, mean_of(shares[worst])))
        certain = np.isfinite(found["easy"][target].after)
        rows.append(Row(f"{policy}, {target}: certain, in easy", OBSERVATION, mean_of(certain)))
    return rows


PROMISED = Reference(
    "claim", "docs/judges.md: certain, and wrong at most as often as allowed", below=1 - CONFIDENCE, refutable=True
)
CERTAIN = Reproduction(*listed("certain"), "No paper: what `certain` promises.", code=run, steps=len(every_policy()))
