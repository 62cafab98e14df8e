"""A window over recent duels for any policy, so that it follows preferences that drift."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import Ints, holds, parameter, single
from duelist.dueling.holder import inner_choose, inner_reset, inner_update
from duelist.dueling.policies.rucb import RUCB
from duelist.dueling.policy import Duel, Policy


class Window(Policy):
    """Two copies of the base policy learn from every duel; each starts afresh in turn.

    The older copy chooses. When it has seen `size` duels it forgets everything, and the
    other, which has seen the last half of them, takes over: what is chosen rests on the
    last size/2 to size duels, with the memory of two policies and no list of duels.

    Needs: what the base policy needs, for about `size` duels at a time.
    Horizon: needed only if the base policy needs it.
    Regret: no bound; each switch of the best arm costs about size/2 duels.
    Departs: no paper; a sliding window for policies whose updates cannot be taken back.
    Ties: as the base policy.

    >>> policy = Window(n_arms=3, base="rucb", size=1000, seed=0)
    >>> for step in range(4000):
    ...     duel = policy.ask()
    ...     likes = min if step < 2000 else max
    ...     policy.tell(duel, winner=likes(duel.left, duel.right))
    >>> policy.best()
    2
    """

    learns = "all"

    name = "window"
    view = "none"  # it explores again and again

    base: str = parameter("rucb", "the policy that forgets", family="policy")
    size: int = parameter(10_000, "the most duels that a choice rests on", low=2)
    one: Any = holds(RUCB)
    two: Any = holds(RUCB)
    second: Ints = single(int)  # 1 when the second copy chooses
    begun_one: Ints = single(int)  # tells when each copy began
    begun_two: Ints = single(int)

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.one, rng)
        inner_reset(self.two, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        # Each copy lives in a time of its own, from its own beginning; the duel keeps ours.
        if self.second[0] == 1:
            duel = inner_choose(self.two, t - self.begun_two[0], rng)
        else:
            duel = inner_choose(self.one, t - self.begun_one[0], rng)
        return Duel(duel.left, duel.right, t, duel.left_p, duel.right_p)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.t > self.begun_one[0]:
            one = Duel(duel.left, duel.right, duel.t - self.begun_one[0], duel.left_p, duel.right_p)
            inner_update(self.one, one, outcome, t - self.begun_one[0], rng)
        if duel.t > self.begun_two[0]:
            two = Duel(duel.left, duel.right, duel.t - self.begun_two[0], duel.left_p, duel.right_p)
            inner_update(self.two, two, outcome, t - self.begun_two[0], rng)
        if t % (self.size // 2) == 0:
            if self.second[0] == 1:
                inner_reset(self.two, rng)
                self.begun_two[0] = t
            else:
                inner_reset(self.one, rng)
                self.begun_one[0] = t
            self.second[0] = 1 - self.second[0]

    def best_arm(self) -> int:
        return int((self.two if self.second[0] == 1 else self.one).best_arm())
