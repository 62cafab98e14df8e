"""Old events leave a journal for a file, once nothing needs them any more."""

from __future__ import annotations

from pathlib import Path

from duelist.core.errors import BadInput
from duelist.live.experiments import Experiments
from duelist.storage.export import write_events
from duelist.storage.journal import Journal, machine_clock

DAY = 24 * 3600 * 1_000_000


def move_events(journal: Journal, path: Path, days: float | None = None, remove: bool = False) -> str:
    """Write events older than so many days (all of them by default) into a file, and say what was done.

    With `remove` they leave the journal, as far as a snapshot has them and no open list needs them.
    """
    last = journal.head().seq if days is None else _before(journal, machine_clock() - round(days * DAY))
    if not remove:
        return f"{write_events(journal, path, last):,} events written to {path}"
    experiments = Experiments(journal)
    experiments.save()
    last = min(last, experiments.keep_from() - 1)
    if last < journal.first():
        raise BadInput("nothing can be moved: every event is younger, or needed by a list that is still open")
    written = write_events(journal, path, last)
    journal.drop(last)
    return f"{written:,} events moved to {path}; the journal begins with number {journal.first():,}"


def _before(journal: Journal, at: int) -> int:
    """The last number before a time, by halving: times never decrease."""
    low, high = journal.first() - 1, journal.head().seq
    while low < high:
        middle = (low + high + 1) // 2
        event = journal.get(middle)
        if event is not None and event.at < at:
            low = middle
        else:
            high = middle - 1
    return low
