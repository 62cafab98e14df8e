"""Who picked first, and whose team was larger: the coins that every interleaved list was made by."""

from __future__ import annotations

import numpy as np

from duelist.clicks.impressions import Array, Impressions
from duelist.core.hashes import HashSet, pair_hashes


class TeamCounts:
    """How often each ranker picked first, and how often its team was the largest.

    Counted once for a user and query, because their coins are the same at every refresh. An
    impression without teams, or whose largest teams are equal, says nothing.

    >>> from duelist.clicks.gather import impressions_of
    >>> from duelist.clicks.log import Log, Record
    >>> teams = [(0, 1, 0), (1, 0, 1), (0, 1, 1), (-1, 0, 1)]
    >>> rows = [Record(str(i), f"u{i}", "q", 0.0, ("a", "b", "c"), (), ("x", "y"), t) for i, t in enumerate(teams)]
    >>> counts = TeamCounts(impressions_of(Log(tuple(rows))))
    >>> counts.add(impressions_of(Log(tuple(rows))))
    >>> counts.add(impressions_of(Log(tuple(rows))))  # the same users once more
    >>> counts.named()
    {'first picks of x, y': [3, 1], 'larger team of x, y': [1, 2]}
    """

    def __init__(self, head: Impressions) -> None:
        self.setups = head.setup_names
        self.groups: dict[tuple[str, ...], list[int]] = {}
        for number, names in enumerate(self.setups):
            if len(names) > 1:
                self.groups.setdefault(tuple(sorted(names)), []).append(number)
        self.seen = {names: HashSet() for names in self.groups}
        self.counts = {names: np.zeros((2, len(names)), np.int64) for names in self.groups}

    def add(self, log: Impressions) -> None:
        """Count the impressions of a portion."""
        for names, numbers in self.groups.items():
            mine = np.flatnonzero(np.isin(log.setups, numbers) & (log.firsts >= 0))
            mine = mine[self.seen[names].new(pair_hashes(log.users[mine], log.queries[mine]))]
            for row, column in enumerate((log.firsts[mine], log.larger[mine])):
                self.counts[names][row] += self._by_name(names, numbers, log.setups[mine], column)

    def _by_name(self, names: tuple[str, ...], numbers: list[int], setups: Array, teams: Array) -> Array:
        found = np.zeros(len(names), np.int64)
        for number in numbers:
            own = np.bincount(teams[(setups == number) & (teams >= 0)], minlength=len(names))
            for team, amount in enumerate(own.tolist()):
                found[names.index(self.setups[number][team])] += amount
        return found

    def named(self) -> dict[str, list[int]]:
        """The counts by what they are of, without those that are all 0."""
        rows = {}
        for names, counts in self.counts.items():
            for what, row in zip(("first picks", "larger team"), counts.tolist(), strict=True):
                if any(row):
                    rows[f"{what} of {', '.join(names)}"] = row
        return rows
