"""What a person is asked: two different arms, on a prompt, each side by a coin, and never the same question twice.

Somebody who judges the same two things again says nothing new. So every vote on a pair and prompt is another voice, and
what is sure of votes is sure of voices. Nor is anybody asked what is sure: where the best arm is sought, an arm that is
surely beaten is out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from duelist.core.memory import Flags, Floats
from duelist.evidence.rates import log_e_against
from duelist.live.events import DRAWN, Pair, View, body_of, view_of
from duelist.storage.journal import Event

TRIES = 16  # draws of a policy until one is a question; then the most useful of the others is taken


def sure_beats(wins: Floats, alpha: float) -> Flags:
    """Which row surely beats which column: the bets of an always-valid leaderboard, shared by all pairs.

    >>> sure_beats(np.array([[0, 40.0], [10, 0]]), 0.05).tolist()
    [[False, True], [False, False]]
    """
    pairs = max(1, len(wins) * (len(wins) - 1) // 2)
    sure: Flags = (wins > wins.T) & (log_e_against(0.5, wins, wins.T) >= math.log(pairs / alpha))
    return sure


def sure_best(wins: Floats, alpha: float) -> int | None:
    """The one arm that no other surely beats: the winner, if there is one that beats each other more often than not.

    >>> sure_best(np.array([[0, 0, 40.0], [30, 0, 0], [10, 0, 0]]), 0.05)
    1
    """
    found = np.flatnonzero(~sure_beats(wins, alpha).any(0))
    return int(found[0]) if len(found) == 1 else None


def sure_order(wins: Floats, alpha: float) -> list[int] | None:
    """All arms, the best first, if there is an order and each surely beats the next.

    >>> sure_order(np.array([[0, 0, 40.0], [30, 0, 0], [10, 0, 0]]), 0.05)
    [1, 0, 2]
    """
    above = sure_beats(wins, alpha)
    for middle in range(len(wins)):
        above |= above[:, [middle]] & above[[middle], :]
    order = np.argsort(-above.sum(1), kind="stable").tolist()
    whole = sorted(above.sum(1).tolist()) == list(range(len(wins)))  # a circle would give somebody too many
    return order if whole else None


class Questions:
    """What was asked of whom, in one experiment."""

    def __init__(self, prompts: int, target: str) -> None:
        self.prompts, self.target = prompts, target
        self.seen: dict[bytes, set[tuple[int, int, int]]] = {}  # by user: prompt, and the pair in the order of arms

    def draw(
        self,
        propose: Callable[[], Pair],
        chosen: Sequence[int],
        standing: tuple[Floats, float, int],
        user: bytes,
        luck: np.random.Generator,
    ) -> tuple[Pair, View] | None:
        """The policy's pair if it is a question to this user, or the most useful one; None if nothing is left.

        `standing` are the wins, alpha, and the favourite.
        """
        seen = self.seen.get(user, set())
        wins, alpha, favourite = standing
        closed = self._closed(wins, alpha)
        for _ in range(TRIES):
            pair = propose()
            fresh = self._fresh(pair.left, pair.right, seen)
            if fresh and not closed[pair.left, pair.right]:
                return pair, self._view(fresh, luck)
        others = [each for each in combinations(chosen, 2) if not closed[each] and self._fresh(*each, seen)]
        if not others:
            return None

        def useless(pair: tuple[int, int]) -> tuple[bool, float, float]:
            aside = self.target == "best" and favourite not in pair
            return aside, float(wins[pair] + wins[pair[::-1]]), float(luck.random())

        left, right = min(others, key=useless)
        return Pair(left, right, 0, 1.0, 1.0), self._view(self._fresh(left, right, seen), luck)

    def _closed(self, wins: Floats, alpha: float) -> Flags:
        """The pairs that nobody needs to be asked about any more."""
        sure = sure_beats(wins, alpha)
        if self.target == "order":
            return sure | sure.T
        beaten: Flags = np.asarray(sure.any(0))
        if beaten.all():  # a circle: none is out
            beaten = np.zeros_like(beaten)
        return beaten[:, None] | beaten[None, :]

    def _fresh(self, left: int, right: int, seen: set[tuple[int, int, int]]) -> list[int]:
        """The prompts on which a user was not asked about two arms; none for an arm and itself."""
        if left == right:
            return []
        low, high = sorted((left, right))
        return [prompt for prompt in range(self.prompts) if (prompt, low, high) not in seen]

    @staticmethod
    def _view(prompts: list[int], luck: np.random.Generator) -> View:
        return View(prompts[int(luck.integers(len(prompts)))], bool(luck.integers(2)))

    def note(self, events: Sequence[Event]) -> None:
        """Remember what was asked."""
        for event in events:
            if event.kind == DRAWN and event.user:
                pair: Pair = body_of(event)
                low, high = sorted(pair[:2])
                self.seen.setdefault(event.user, set()).add((view_of(event).prompt, low, high))

    def rename(self, old: bytes, new: bytes) -> None:
        """Let a user go on under another hash."""
        if old in self.seen:
            self.seen[new] = self.seen.pop(old)

    def record(self) -> list[Any]:
        """As plain values."""
        return [[user, sorted(map(list, asked))] for user, asked in sorted(self.seen.items())]

    def restore(self, record: list[Any]) -> None:
        """Go on from a record."""
        self.seen = {bytes(user): {(prompt, low, high) for prompt, low, high in asked} for user, asked in record}
