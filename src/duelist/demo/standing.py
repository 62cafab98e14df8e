"""How an experiment stands, from what its service says: who leads, and which others are surely worse.

Each visitor is another person, and wins for one of two rankers, or for none. A bet on the leader against each other
ranker is looked at as often as one likes, whoever chose the pairs (`duelist.evidence.winners`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.core.memory import Floats
from duelist.evidence.winners import log_e_better

CONFIDENCE = 0.95


class Standing(NamedTuple):
    """What is known of the rankers of one experiment."""

    leader: str
    beaten: tuple[str, ...]  # surely worse than the leader
    rivals: int
    duels: int  # that were decided, or were ties

    @property
    def certain(self) -> bool:
        """Whether the leader is surely better than every other ranker."""
        return len(self.beaten) == self.rivals

    @property
    def words(self) -> str:
        """How sure, in words.

        >>> Standing("bm25", ("vectors",), 4, 100).words
        'bm25 leads, surely better than 1 of 4 others'
        """
        if not self.duels:
            return "nothing is learnt yet"
        if self.certain:
            return f"{self.leader} is certainly the best"
        return f"{self.leader} leads, surely better than {len(self.beaten)} of {self.rivals} others"


def wins_of(status: Mapping[str, Any]) -> Floats:
    """Visitors who preferred the first ranker (row) to the second (column)."""
    arms = [arm["name"] for arm in status["arms"]]
    wins = np.zeros((len(arms), len(arms)))
    for pair in status["pairs"]:
        if "lists" in pair:
            first, second = arms.index(pair["first"]), arms.index(pair["second"])
            wins[first, second], wins[second, first] = pair["lists"]["wins"], pair["lists"]["losses"]
    return wins


def standing_of(status: Mapping[str, Any], wins: Floats) -> Standing:
    """How it stands, by these wins."""
    arms: Sequence[str] = [arm["name"] for arm in status["arms"]]
    leader = arms.index(status["best"])
    bets = log_e_better(wins[leader], wins[:, leader])
    enough = math.log(len(arms) / (1 - CONFIDENCE))
    beaten = tuple(arm for place, arm in enumerate(arms) if place != leader and bets[place] >= enough)
    return Standing(arms[leader], beaten, len(arms) - 1, status["counts"]["learnt"])


class Watch:
    """Looks at an experiment now and then. What was certain stays so, until visitors change."""

    def __init__(self) -> None:
        self.latest: Standing | None = None
        self.found: Standing | None = None  # the first that was certain
        self.found_after: int | None = None  # visitors
        self._changes, self._version = 0, 1
        self._before: Floats | float = 0.0  # wins that the visitors of now had no part in

    @property
    def words(self) -> str:
        """How it stands."""
        standing = self.found or self.latest
        return "nothing is learnt yet" if standing is None else standing.words

    def look(self, status: Mapping[str, Any], visitors: int, changes: int = 0) -> Standing:
        """Take notice of what the service says, after so many visitors and changes of their taste.

        What was learnt of others says nothing of those who come now: it is taken off. A new version begins anew.
        """
        wins, version = wins_of(status), status["version"]
        if version != self._version or changes != self._changes:
            self._before = 0.0 if version != self._version else wins
            self._version, self._changes = version, changes
            self.found = self.found_after = None
        self.latest = standing_of(status, wins - self._before)
        if self.latest.certain and self.found is None:
            self.found, self.found_after = self.latest, visitors
        return self.latest
