"""How long a start takes on a long journal: from a snapshot, and from nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.live.events import Pair, drawn, told
from duelist.live.experiments import Experiments
from duelist.live.local import LocalExperiments
from duelist.live.replay import fold_anew
from duelist.live.snapshots import state_hash
from duelist.present.tables import Table
from duelist.storage.journal import Draft, open_journal

ARMS = 6
BATCH = 20_000  # duels appended at once, each asked and told
LATER = 100  # places that every seventh duel is told late
DEFINITION = {"name": "prompts", "kind": "arms", "arms": [f"p{number}" for number in range(ARMS)], "policy": "rucb"}


@dataclass(frozen=True)
class Restart:
    """CPU seconds; the state is the same whichever way it was reached."""

    events: int
    megabytes: float
    write: float  # to make the journal, without a service
    snapshot: float  # a start from the snapshot, with nothing to fold
    nothing: float  # a start without snapshots: everything is folded
    equal: bool

    @property
    def rate(self) -> float:
        """Events folded a second."""
        return self.events / self.nothing

    def summary(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"events_per_second": self.rate}


def bench_restart(events: int = 10_000_000) -> Restart:
    """Write a journal of direct duels of six arms, told a little out of order, and start on it twice.

    >>> found = bench_restart(1000)
    >>> found.events, found.equal
    (1002, True)
    """
    if events < 2 * LATER:
        raise BadInput(f"events must be at least {2 * LATER}, not {events!r}")
    with TemporaryDirectory() as folder:
        address = f"sqlite:///{folder}/live.db"
        clock = time.process_time()
        _write(address, events // 2)
        write = time.process_time() - clock
        with closing(open_journal(address)) as journal:
            Experiments(journal).save()
            clock = time.process_time()
            started = Experiments(journal)
            snapshot = time.process_time() - clock
            clock = time.process_time()
            anew = fold_anew(journal)
            nothing = time.process_time() - clock
        megabytes = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
    state = anew.current("prompts")
    assert state is not None
    equal = state_hash(started.state("prompts")) == state_hash(state)
    return Restart(anew.seq, megabytes, write, snapshot, nothing, equal)


def _write(address: str, duels: int) -> None:
    """Duels as a service would append them, but many in a batch."""
    with LocalExperiments(open_journal(address)) as experiments:
        experiments.define(DEFINITION).start()
        number, seq = experiments.state("prompts").number, experiments.fold.seq
    rng = np.random.default_rng(1)
    with closing(open_journal(address)) as journal, progress_bar("writing", duels) as advance:
        for begin in range(0, duels, BATCH):
            size = min(BATCH, duels - begin)
            drafts = list(_duels(number, seq, size, begin, rng))
            seq = journal.append(drafts)[-1].seq
            advance(size)


def _duels(number: int, seq: int, size: int, begin: int, rng: np.random.Generator) -> Iterator[Draft]:
    """All asks of a batch, then what came of them, neighbours out of order; the lower arm wins in three of four."""
    left = rng.integers(0, ARMS, size)
    right = (left + rng.integers(1, ARMS, size)) % ARMS
    won = rng.random(size) < np.where(left < right, 0.75, 0.25)
    for place in range(size):
        user = f"user {(begin + place) % 100_003}".encode()
        yield drawn(number, Pair(int(left[place]), int(right[place]), begin + 1, 1.0, 1.0), user)
    for place in sorted(range(size), key=lambda place: place + int(LATER * (place % 7 == 0))):
        yield told(number, seq + 1 + place, float(won[place]))


def restart_table(found: Restart) -> Table:
    """A line."""
    row = [
        f"{found.events:,}",
        f"{found.megabytes:,.0f}",
        f"{found.snapshot:.2f}",
        f"{found.nothing:.1f}",
        f"{found.rate:,.0f}",
        "yes" if found.equal else "NO",
    ]
    columns = ["events", "MB", "from a snapshot", "from nothing", "events/s", "equal"]
    return Table(columns, [row], ["CPU seconds of a start on SQLite; the goals are 3, 30 and 400,000 a second"])
