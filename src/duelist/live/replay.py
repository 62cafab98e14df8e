"""Proof that state is a fold: the whole journal folded anew, beside what a start from snapshots comes to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from duelist.core.garbage import collecting_seldom
from duelist.live.experiments import Experiments
from duelist.live.fold import Fold
from duelist.live.snapshots import state_hash
from duelist.storage.journal import CHUNK, Journal


@dataclass(frozen=True)
class Replayed:
    """One experiment, folded anew."""

    name: str
    version: int
    seq: int
    hash: str
    equal: bool  # a start from the snapshot comes to the same


@dataclass(frozen=True)
class Replay:
    """What replaying a journal came to."""

    events: int
    seconds: float
    experiments: tuple[Replayed, ...]

    @property
    def equal(self) -> bool:
        """Whether every experiment came to the same."""
        return all(each.equal for each in self.experiments)

    def summary(self) -> dict[str, Any]:
        """For JSON."""
        rows = [vars(each) for each in self.experiments]
        return {"events": self.events, "seconds": self.seconds, "equal": self.equal, "experiments": rows}


def fold_anew(journal: Journal, until: int | None = None, progress: Callable[[int], None] | None = None) -> Fold:
    """All events up to a number, folded from nothing; snapshots are not looked at."""
    fold = Fold(journal.get, Experiments.history(journal))
    last = journal.head().seq if until is None else until
    with collecting_seldom():
        while fold.seq < last:
            fold.apply(journal.read(fold.seq, min(CHUNK, last - fold.seq)))
            if progress is not None:
                progress(fold.seq)
    return fold


def replay(journal: Journal, progress: Callable[[int], None] | None = None) -> Replay:
    """Fold the journal anew, and compare with a start from its snapshots.

    >>> from duelist.storage.memory import MemoryJournal
    >>> replay(MemoryJournal()).summary()["events"]
    0
    """
    started = Experiments(journal)
    last = started.fold.seq
    begin = time.perf_counter()
    anew = fold_anew(journal, last, progress)
    seconds = time.perf_counter() - begin
    rows = []
    for number, state in anew.states.items():
        found = state_hash(state)
        same = number in started.fold.states and state_hash(started.fold.states[number]) == found
        rows.append(Replayed(state.definition.name, state.version, state.seq, found, same))
    return Replay(last, seconds, tuple(rows))
