"""Watchful: any policy, with an eye on whether its champion still wins. No paper; the idea: docs/which-policy.md."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_arm, per_pair, single
from duelist.dueling.holder import inner_choose, inner_reset, inner_update
from duelist.dueling.policies.spar_and_check import SparAndCheck
from duelist.dueling.policy import Duel, Policy

SEEN = 10.0  # as many times more often, squared, does it look for each change that it saw
SETTLED = 1.5  # standard deviations by which an arm must be ahead of another for that to be known
RESTED = 5.0  # times as many duels with itself as with the other
ALARM = 5.0  # the logarithm of how much likelier it must be that the pair has turned


class Watchful(Policy):
    """When the base policy lets an arm duel itself, somebody else is let in now and then, more often if it loses.

    A settled policy learns nothing: its champion duels itself. So others are let in, at a rate that falls as the
    inverse root of time and rises with the changes seen. A champion that loses must make good at once, against the
    same arm, until it is even. If it falls behind so far that what was known of the pair is turned round, or that a
    pair that turned is much likelier than one that did not, everything is forgotten and the base policy begins again.
    Known is only what the base policy rests on: a lead of 1.5 deviations, and five times as many duels of the arm with
    itself as with the other.

    Needs: what the base policy needs, in each stretch between changes; not how often they come.
    Horizon: needed only if the base policy needs it.
    Regret: no bound; measured, about that of the best window around D-TS, and more where nothing changes.
    Departs: no paper. How its numbers were chosen: docs/which-policy.md.
    Ties: as the base policy; half a win each here.

    >>> policy = Watchful(n_arms=3, seed=0)
    >>> for step in range(6000):
    ...     duel = policy.ask()
    ...     likes = min if step < 3000 else max
    ...     policy.tell(duel, winner=likes(duel.left, duel.right))
    >>> policy.best(), int(policy.changes[0])
    (2, 1)
    """

    learns = "all"

    name = "watchful"
    view = "none"  # it never stops looking

    base: str = parameter("spar-and-check", "the policy that begins again", family="policy")
    care: float = parameter(0.7, "how often others are let in: the share of duels, times the root of t", low=0)
    policy: Any = holds(SparAndCheck)
    past: Floats = per_pair()  # duels that an arm won against another
    recent: Floats = per_pair()  # the same since the arm that was ahead fell behind; they join the past when it is even
    rests: Floats = per_arm()  # duels of an arm with itself
    begun: Ints = single(int)  # tells when the base policy began
    changes: Ints = single(int)  # seen so far

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.policy, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        duel = inner_choose(self.policy, t - self.begun[0], rng)
        other = duel.right
        if duel.left == duel.right:
            other = find_doubt(self, duel.left)
            if other == duel.left and rng.random() < self.care * math.sqrt((1.0 + SEEN * self.changes[0]) / t):
                other = draw_other(self, duel.left, rng)
        return Duel(duel.left, other, t, duel.left_p, duel.right_p)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.t <= self.begun[0]:
            return  # asked before the last change
        own = Duel(duel.left, duel.right, duel.t - self.begun[0], duel.left_p, duel.right_p)
        inner_update(self.policy, own, outcome, t - self.begun[0], rng)
        if duel.left == duel.right:
            self.rests[duel.left] += 1.0
        elif changed(self, duel.left, duel.right, outcome):
            inner_reset(self.policy, rng)
            forget(self)
            self.begun[0] = t
            self.changes[0] += 1

    def best_arm(self) -> int:
        return int(self.policy.best_arm())


@kernel
def find_doubt(self: Watchful, champion: int) -> int:
    """The arm that the champion is most behind of late, against what is known; itself if there is none."""
    other, most = champion, 0.0
    for arm in range(self.n_arms):
        behind = self.recent[arm, champion] - self.recent[champion, arm]
        if behind > most:
            other, most = arm, behind
    return other


@kernel
def draw_other(self: Watchful, champion: int, rng: np.random.Generator) -> int:
    """Anybody but the champion; those it beats by little, who cost little, more often."""
    other, total = champion, 0.0
    for arm in range(self.n_arms):
        if arm != champion:
            won, lost = self.past[champion, arm], self.past[arm, champion]
            weight = (won + lost + 2.0) / (abs(won - lost) + 1.0)
            total += weight
            if rng.random() * total < weight:
                other = arm
    return other


@kernel
def changed(self: Watchful, left: int, right: int, outcome: float) -> bool:
    """Note an outcome; whether it turns round what was known of the pair."""
    self.recent[left, right] += outcome
    self.recent[right, left] += 1.0 - outcome
    first, second = left, right
    if self.past[right, left] > self.past[left, right]:
        first, second = right, left
    behind = self.recent[second, first] - self.recent[first, second]
    lead = self.past[first, second] - self.past[second, first]
    met = self.past[first, second] + self.past[second, first]
    if behind <= 0.0 or lead <= SETTLED * math.sqrt(met) or self.rests[first] < RESTED * met:
        join(self, first, second)
        return False
    least = 0.5 + 0.5 * (lead - SETTLED * math.sqrt(met)) / met  # the chance to win that is known
    return bool(behind > lead or behind * math.log(least / (1.0 - least)) > ALARM)


@kernel
def join(self: Watchful, first: int, second: int) -> None:
    """What is recent of a pair becomes its past."""
    self.past[first, second] += self.recent[first, second]
    self.past[second, first] += self.recent[second, first]
    self.recent[first, second] = 0.0
    self.recent[second, first] = 0.0


@kernel
def forget(self: Watchful) -> None:
    """Everything about arms and pairs."""
    for arm in range(self.n_arms):
        self.rests[arm] = 0.0
        for other in range(self.n_arms):
            self.past[arm, other] = 0.0
            self.recent[arm, other] = 0.0
