"""How often two rankers are compared, and whether they still are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.impressions import Impressions
from duelist.core.memory import Flags, Floats

RECENT = 0.1  # of the log, unless that is too little to tell
ENOUGH = 12  # comparisons to be expected of late, so that few are no accident
FADED = 0.25  # of those expected


class Traffic(NamedTuple):
    """Impressions that compare two rankers, in the whole log and in its last part."""

    impressions: int
    compared: int
    recent: int
    recently_compared: int

    @property
    def fading(self) -> bool:
        """Whether they are hardly compared any more, as when a policy has settled: more users will not come.

        >>> Traffic(10_000, 3_000, 1_000, 2).fading, Traffic(10_000, 3_000, 1_000, 270).fading
        (True, False)
        """
        if not self.impressions or 2 * self.recent > self.impressions:
            return False
        return self.recently_compared < FADED * self.compared * self.recent / self.impressions

    def summary(self) -> dict[str, Any]:
        """Its numbers for JSON."""
        return {**self._asdict(), "fading": self.fading}


def participants(log: Impressions, rankers: Sequence[str]) -> Flags:
    """Which rankers took part in each impression, one alone included, in the order of time."""
    took_part = np.array([[name in names for name in rankers] for names in log.setup_names], np.bool_)
    took_part = took_part.reshape(len(log.setup_names), len(rankers))
    return np.asarray(took_part[log.setups[in_time(log.times)]])


def in_time(times: Floats) -> Any:
    """The places in the order of time; of a log that is in it, all of them."""
    return slice(None) if (times[1:] >= times[:-1]).all() else np.argsort(times, kind="stable")


def traffic_of(compared: Flags) -> Traffic:
    """From whether each impression, in the order of time, compares the two."""
    impressions, number = len(compared), int(compared.sum())
    recent = min(impressions, max(int(RECENT * impressions), -(-ENOUGH * impressions // max(1, number))))
    return Traffic(impressions, number, recent, int(compared[impressions - recent :].sum()))
