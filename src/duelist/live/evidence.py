"""Evidence of a live experiment: what lists say by user, and what direct duels say by pair."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.dueling.counts import PairCounts
from duelist.evidence.accounts import Accounts, way_of
from duelist.evidence.sequential import log_e_value
from duelist.evidence.table import FIRST_LOSSES, FIRST_WINS


class Evidence:
    """Every two arms against each other; an arm wins that is preferred to every other one.

    >>> evidence = Evidence(2)
    >>> for user in range(600):
    ...     evidence.add(b"%d" % user, (0, 1), np.array([1.0, 0.0] if user % 3 else [0.0, 1.0]))
    >>> evidence.winner(alpha=0.05)
    0
    """

    def __init__(self, arms: int) -> None:
        self.arms = arms
        self.accounts: dict[tuple[int, int], Accounts] = {}  # of pairs in the order of arms
        self.wins = np.zeros((arms, arms))  # of direct duels: outcomes for the first over the second

    def add(self, user: bytes, arms: Sequence[int], earned: Floats) -> None:
        """Count what the rankers of one closed list earned."""
        key = user_number(user)
        for a, b in combinations(range(len(arms)), 2):
            first, second = sorted((arms[a], arms[b]))
            preference = earned[a] - earned[b] if first == arms[a] else earned[b] - earned[a]
            accounts = self.accounts.get((first, second))
            if accounts is None:
                accounts = self.accounts[first, second] = Accounts()
            accounts.add(key, preference)

    def winner(self, alpha: float) -> int | None:
        """The arm that is preferred to every other one, by lists or by duels; all pairs share alpha."""
        share = alpha / max(1, self.arms * (self.arms - 1) // 2)
        for arm in range(self.arms):
            if all(self.preferred(arm, other, share) for other in range(self.arms) if other != arm):
                return arm
        return None

    def preferred(self, arm: int, other: int, alpha: float) -> bool:
        """Whether one arm is surely preferred to another."""
        accounts = self.accounts.get((min(arm, other), max(arm, other)))
        if accounts is not None:
            low, high = accounts.limits(alpha)
            if (low > 0) if arm < other else (high < 0):
                return True
        wins, losses = self.wins[arm, other], self.wins[other, arm]
        return bool(wins > losses and log_e_value(wins, losses) >= -np.log(alpha))

    def pairs(self, alpha: float) -> list[dict[str, Any]]:
        """What is known of every two arms that met, by their numbers."""
        rows = []
        for first, second in combinations(range(self.arms), 2):
            row: dict[str, Any] = {"first": first, "second": second}
            wins, losses = float(self.wins[first, second]), float(self.wins[second, first])
            if wins + losses:
                row["duels"] = {"wins": wins, "losses": losses, "e_value": float(np.exp(log_e_value(wins, losses)))}
            if (first, second) in self.accounts:
                row["lists"] = _standing(self.accounts[first, second], alpha)
            if len(row) > 2:
                rows.append(row)
        return rows

    def table(self) -> Floats:
        """Wins of every arm over every other: direct duels, and users by the first list on which they preferred one.

        Both are bets that may be watched: neither is taken back.
        """
        wins = self.wins.copy()
        for (first, second), accounts in self.accounts.items():
            wins[first, second] += accounts.sums[FIRST_WINS]
            wins[second, first] += accounts.sums[FIRST_LOSSES]
        return wins

    def ways(self, arm: int, alpha: float) -> Floats:
        """How far an arm is on its way to be surely preferred to each other one: from 0 to 1, and beyond.

        >>> evidence = Evidence(2)
        >>> evidence.wins[:] = [[0, 40], [10, 0]]
        >>> [round(float(way), 2) for way in evidence.ways(0, alpha=0.05)], evidence.winner(alpha=0.05)
        ([1.0, 2.04], 0)
        """
        share = alpha / max(1, self.arms * (self.arms - 1) // 2)
        won, lost = self.wins[arm], self.wins[:, arm]
        ways = np.where(won > lost, np.maximum(0.0, log_e_value(won, lost) / -np.log(share)), 0.0)
        mine = [(pair, accounts) for pair, accounts in self.accounts.items() if arm in pair]
        if mine:
            sums = np.array([accounts.sums for _, accounts in mine]).T
            ahead = [accounts.total if pair[0] == arm else -accounts.total for pair, accounts in mine]
            others = np.array([sum(pair) - arm for pair, _ in mine])
            ways[others] = np.maximum(ways[others], np.where(np.array(ahead) > 0, way_of(sums, share), 0.0))
        ways[arm] = 1.0
        return ways

    def rename(self, old: bytes, new: bytes) -> None:
        """Let a user go on under another hash."""
        for accounts in self.accounts.values():
            accounts.rename(int(user_number(old)), int(user_number(new)))

    def record(self) -> dict[str, Any]:
        """As plain values and arrays."""
        pairs = [[first, second, accounts.record()] for (first, second), accounts in sorted(self.accounts.items())]
        return {"wins": self.wins.copy(), "pairs": pairs}

    def restore(self, record: dict[str, Any]) -> None:
        """Go on from a record."""
        self.wins = record["wins"]
        self.accounts = {(first, second): Accounts.from_record(each) for first, second, each in record["pairs"]}


class Witnessed(PairCounts):
    """The pairs that a live policy was told of, as the evidence counts them: its certainty is that of what people said.

    >>> evidence = Evidence(2)
    >>> evidence.wins[:] = [[0, 40], [10, 0]]
    >>> Witnessed(evidence).duels
    50
    """

    def __init__(self, evidence: Evidence) -> None:
        super().__init__()
        self.evidence = evidence

    @property
    def pairs(self) -> dict[tuple[int, int], list[float]]:
        """Direct duels, and users by the first list on which they preferred one."""
        wins = self.evidence.table()
        first, second = np.nonzero(np.triu(wins + wins.T))
        return {
            (a, b): [float(wins[a, b]), float(wins[b, a])] for a, b in zip(first.tolist(), second.tolist(), strict=True)
        }

    def add(self, left: int, right: int, outcome: float) -> None:
        """Nothing: the evidence has counted it, or will not, because this user was counted before."""


def user_number(user: bytes) -> np.uint64:
    """A user's hash as a number that accounts know."""
    return np.uint64(int.from_bytes(user if len(user) == 8 else hashlib.blake2b(user, digest_size=8).digest(), "big"))


def _standing(accounts: Accounts, alpha: float) -> dict[str, Any]:
    low, high = accounts.limits(alpha)
    known = low > -float("inf")
    return {
        "users": accounts.users,
        "impressions": accounts.impressions,
        "wins": accounts.wins,
        "losses": accounts.losses,
        "mean": accounts.mean,
        "low": low if known else None,
        "high": high if known else None,
        "e_value": accounts.e_value,
    }
