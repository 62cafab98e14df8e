"""Certain of the winner, watched all the time: how soon, and how often wrong, whichever policy chooses the pairs?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.core.memory import Flags, Floats
from duelist.dueling.policy import POLICIES
from duelist.evidence.winners import sure_winner
from duelist.present.charts import Boxes
from duelist.ranking import DuelLog
from duelist.reproductions.adaptive_intervals import play
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

ARMS, DUELS, EVERY = 5, 3000, 100
CONFIDENCE = 0.95
RUNS, FEW = 200, 30
STEPS = 51  # policies
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


WORLDS = {"easy": ordered(0.15), "near": ordered(0.01), "tied": np.full((ARMS, ARMS), 0.5), "circle": circle()}


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


def claims(policy: str, world: str, runs: int, target: str = "condorcet", seed: int = 0) -> Claims:
    """How often a policy is certain of an arm that is no winner, and after how many duels it is certain.

    >>> found = claims("rucb", "easy", 10)
    >>> int(found.wrong.sum()), float(np.median(found.after))
    (0, 299.0)
    """
    preference = WORLDS[world]
    rows = []
    for run in range(runs):
        log = play(policy, preference, DUELS, seed + run)
        rows.append(_first_claim(log, preference, target))
    wrong, after = zip(*rows, strict=True)
    return Claims(np.array(wrong, np.bool_), np.array(after, np.float64))


def _first_claim(log: DuelLog, preference: Floats, target: str) -> tuple[bool, float]:
    """Whether any claim is wrong, and when the first one is made."""
    place, mirrored = log.left * ARMS + log.right, log.right * ARMS + log.left
    first, wrong = math.inf, False
    for end in [*range(EVERY, len(log), EVERY), len(log)]:
        wins = np.bincount(place[:end], log.outcome[:end], ARMS * ARMS)
        wins = wins + np.bincount(mirrored[:end], 1 - log.outcome[:end], ARMS * ARMS)
        found = sure_winner(wins.reshape(ARMS, ARMS), CONFIDENCE, target)
        if found is not None:
            first = min(first, end)
            wrong |= not _is_winner(preference, found[0], target)
    return wrong, first


def _is_winner(preference: Floats, arm: int, target: str) -> bool:
    beats = preference > 0.5
    if target == "condorcet":
        return bool(beats[arm].sum() == ARMS - 1)
    scores = beats.sum(1) + (preference == 0.5).sum(1) / 2
    return bool(scores[arm] == scores.max())


def run(setting: Setting) -> Report:
    """All policies in all worlds."""
    rows: list[Row] = []
    times: dict[str, Sequence[float]] = {}
    for policy in QUICK if setting.quick else every_policy():
        for world in WORLDS:
            found = claims(policy, world, FEW if setting.quick else RUNS)
            rows.append(Row(f"{policy}, {world}: certain and wrong", PROMISED, mean_of(found.wrong)))
            if world == "easy":
                rows.append(Row(f"{policy}, easy: certain", OBSERVATION, mean_of(np.isfinite(found.after))))
                times[policy] = np.minimum(found.after, DUELS).tolist()
        setting.advance(1)
    title = f"{ARMS} arms in an easy order: {CONFIDENCE:.0%} certain of the winner"
    return Report(rows, Boxes(times, "policy", f"duels of two arms (never: {DUELS:,})", title))


PROMISED = Reference(
    "claim", "docs/judges.md: certain, and wrong at most as often as allowed", below=1 - CONFIDENCE, refutable=True
)
CERTAIN = Reproduction(*listed("certain"), "No paper: what `certain` promises.", code=run, steps=STEPS)
