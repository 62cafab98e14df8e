from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from duelist.live import LocalExperiments
from duelist.live.fold import Fold
from duelist.live.replay import fold_anew
from duelist.live.snapshots import state_hash
from duelist.storage import MemoryJournal
from duelist.storage.journal import Journal

SECOND = 1_000_000
START = 1_790_000_000 * SECOND
RANKINGS = {"old": ["a", "b", "c", "d"], "new": ["c", "a", "e", "b"], "third": ["e", "d", "a", "f"]}


class Time:
    """A clock that goes on when it is told."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


def experiments(seed: int = 1, clock: Callable[[], int] | None = None) -> LocalExperiments:
    return LocalExperiments(MemoryJournal(clock or Time()), np.random.default_rng(seed))


def definition(kind: str = "arms", **more: Any) -> dict[str, Any]:
    arms = {"arms": ["old", "new"] if kind == "pair" else list(RANKINGS)} if kind != "weights" else {"features": 3}
    return {"name": "search", "kind": kind, **arms, **more}


def hashes(fold: Fold) -> dict[int, str]:
    return {number: state_hash(state) for number, state in fold.states.items()}


def folded_one_by_one(journal: Journal) -> Fold:
    fold = Fold(journal.get, LocalExperiments.history(journal))
    for event in journal.events():
        fold.apply([event])
    return fold


def check_replay(living: LocalExperiments) -> None:
    """The living state, the same events in chunks, and one by one, come to the same bits."""
    found = hashes(living.fold)
    assert hashes(fold_anew(living.journal)) == found
    assert hashes(folded_one_by_one(living.journal)) == found
