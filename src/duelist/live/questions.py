"""What a person is asked: two different arms, on a prompt, each side by a coin, and never the same question twice.

Somebody who judges the same two things again says nothing new. So every vote on a pair and prompt is another voice, and
what is sure of votes is sure of voices. Nor is anybody asked what is sure: where the best arm is sought, an arm that is
surely beaten is out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from duelist.core.memory import Flags, Floats, Ints
from duelist.evidence.rates import log_e_against
from duelist.live.events import DRAWN, Pair, View, body_of, view_of
from duelist.storage.journal import Event

Asked = tuple[int, int, int]  # a prompt, and a pair in the order of arms
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


def ways_out(wins: Floats, alpha: float) -> tuple[Floats, Ints]:
    """How far each arm is on its way to be surely beaten (at 1 it is out), and by whom.

    >>> ways, by = ways_out(np.array([[0, 40.0], [10, 0]]), 0.05)
    >>> [round(float(way), 2) for way in ways], by.tolist()
    ([0.0, 2.5], [0, 0])
    """
    pairs = max(1, len(wins) * (len(wins) - 1) // 2)
    ways = np.where(wins > wins.T, log_e_against(0.5, wins, wins.T) / math.log(pairs / alpha), 0.0)
    return np.maximum(0.0, ways.max(0)), ways.argmax(0)


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
        self.seen: dict[bytes, set[Asked]] = {}  # by user

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
        useful = self._useful(wins, alpha, chosen, seen)
        if not useful.any():
            return None
        for _ in range(TRIES):
            pair = propose()
            if useful[pair.left, pair.right]:
                return pair, self._view(pair, seen, luck)
        left, right = np.nonzero(np.triu(useful))
        aside = (left != favourite) & (right != favourite) & (self.target == "best")
        useless = np.lexsort((luck.random(len(left)), (wins + wins.T)[left, right], aside))  # the last counts most
        pair = Pair(int(left[useless[0]]), int(right[useless[0]]), 0, 1.0, 1.0)
        return pair, self._view(pair, seen, luck)

    def _useful(self, wins: Floats, alpha: float, chosen: Sequence[int], seen: set[Asked]) -> Flags:
        """The pairs to ask a user about: new to them, and not sure; for the best, of arms that may still be it."""
        sure = sure_beats(wins, alpha)
        closed: Flags = sure | sure.T
        if self.target == "best":
            beaten = np.asarray(sure.any(0))
            out = beaten & (not beaten.all())  # in a circle none is
            closed = out[:, None] | out[None, :]
        for pair, prompts in Counter((low, high) for _, low, high in seen).items():
            if prompts == self.prompts:
                closed[pair] = closed[pair[::-1]] = True
        useful = np.zeros_like(closed)
        useful[np.ix_(chosen, chosen)] = ~closed[np.ix_(chosen, chosen)]
        np.fill_diagonal(useful, False)
        return useful

    def _view(self, pair: Pair, seen: set[Asked], luck: np.random.Generator) -> View:
        """A prompt that is new to a user with this pair, and a coin for the sides."""
        low, high = sorted(pair[:2])
        fresh = [prompt for prompt in range(self.prompts) if (prompt, low, high) not in seen]
        return View(fresh[int(luck.integers(len(fresh)))], bool(luck.integers(2)))

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
