"""A journal: one total order of events, kept safe, and snapshots as shortcuts through it.

What every journal promises; `duelist.testing.check_journal` tries to refute it:

1. An event's number is its place. Numbers begin at 1 and have no holes, whoever appends, from whichever process.
2. `at`, in microseconds, never decreases from one number to the next, whatever the clocks say.
3. `append` returns when its events are safe. All of a batch are there, next to each other, or none is. When it fails,
   none is, unless the error says that this is not known.
4. A draft whose key its experiment has seen is not appended again: the answer is the place of the first.
5. Who has read number n has seen all numbers below it.
6. A snapshot of an experiment never goes back to an earlier number.
7. Old events may be dropped. Numbers go on as if they were there.

State is a fold of the events (elsewhere). A journal knows nothing of what they mean.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from duelist.core.errors import BadInput, CannotStore

Clock = Callable[[], int]  # microseconds since 1970
CHUNK = 10_000  # events that are read at once
LAST = 2**63 - 1  # as far as every journal can count
LONGEST = 500  # signs of a kind or key, bytes of a user: what every journal can index


class Draft(NamedTuple):
    """An event to be appended.

    >>> Draft(experiment=1, kind="told", body=b"{}").key
    ''
    """

    experiment: int
    kind: str
    body: bytes = b""
    user: bytes = b""  # whoever it is, as a keyed hash; empty for nobody
    key: str = ""  # the caller's own id, once in an experiment; empty for none


TYPES = (int, str, bytes, bytes, str)  # of a draft's fields


class Event(NamedTuple):
    """One that was appended."""

    seq: int
    at: int
    experiment: int
    kind: str
    body: bytes
    user: bytes
    key: str


Said = tuple[int, int, int, bytes, bytes]  # of an event: its number, time, experiment, body and user


class Place(NamedTuple):
    """Where a draft stands."""

    seq: int
    at: int
    repeated: bool = False  # it was there before, by its key


class Snapshot(NamedTuple):
    """What an experiment's events came to, up to a number."""

    experiment: int
    seq: int
    code: str  # a digest of the code that folded them: another code must not load it silently
    body: bytes

    @property
    def hash(self) -> str:
        """Tells whether two replicas are equal, and whether the body is whole."""
        return blake2b(self.body, digest_size=16).hexdigest()


def machine_clock() -> int:
    """The time of this machine, in microseconds."""
    return time.time_ns() // 1000


class Journal(ABC):
    """Base of all journals; see the contract above. One may be used by many threads."""

    salt: bytes  # of users' hashes; drawn when the journal was made

    @abstractmethod
    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        """Add events in this order and return when they are safe."""

    @abstractmethod
    def read(self, after: int = 0, limit: int = CHUNK) -> list[Event]:
        """The next events behind number `after`, at most so many."""

    @abstractmethod
    def get(self, seq: int) -> Event | None:
        """The event with this number, if there is one."""

    @abstractmethod
    def find(self, experiment: int, key: str) -> Event | None:
        """The event with this key, if there is one."""

    @abstractmethod
    def head(self) -> Place:
        """The last number and its time; 0 and 0 before the first event."""

    @abstractmethod
    def wait(self, after: int, timeout: float) -> bool:
        """Whether there is a number behind `after`, waiting up to so many seconds for it."""

    @abstractmethod
    def save_snapshot(self, snapshot: Snapshot) -> bool:
        """Keep it, unless one of the same or a later number is there; whether it was kept."""

    @abstractmethod
    def load_snapshot(self, experiment: int) -> Snapshot | None:
        """The last one that was kept, if there is one; a damaged one is an error."""

    @abstractmethod
    def rename_user(self, old: bytes, new: bytes) -> int:
        """Write another hash in the place of a user's in all events; how many were changed."""

    @abstractmethod
    def drop(self, until: int) -> int:
        """Let go of all events up to a number, for ever, with their keys; how many went. The last event stays."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections; what was appended stays."""

    def first(self) -> int:
        """The number of the first event that is kept; 1 before there is any."""
        return next((event.seq for event in self.read(0, 1)), 1)

    def events(self, after: int = 0) -> Iterator[Event]:
        """All events behind a number, up to the last one there was at the beginning."""
        last = self.head().seq
        while after < last:
            chunk = self.read(after, min(CHUNK, last - after))
            yield from chunk
            after = chunk[-1].seq

    def said(self, kind: str, after: int, until: int) -> list[Said]:
        """What the events of a kind say, behind one number and up to another; for those who read millions.

        >>> with open_journal("memory://") as journal:
        ...     _ = journal.append([Draft(1, "told", b"left"), Draft(1, "tick"), Draft(1, "told", b"right")])
        ...     [body for _, _, _, body, _ in journal.said("told", 0, 3)]
        [b'left', b'right']
        """
        found: list[Said] = []
        while after < until and (chunk := self.read(after, min(CHUNK, until - after))):
            kept = [event for event in chunk if event.kind == kind and event.seq <= until]
            found += [(event.seq, event.at, event.experiment, event.body, event.user) for event in kept]
            after = chunk[-1].seq
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: Any) -> None:
        self.close()


def check_drafts(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, or an error that names what is wrong with one, before anything is written."""
    for draft in drafts:
        if not isinstance(draft, Draft):
            raise BadInput(f"a journal takes drafts, not {draft!r}")
        if tuple(map(type, draft)) != TYPES:
            _check_types(draft)
        if not 0 <= draft.experiment <= LAST or not draft.kind:
            raise BadInput(f"a draft needs an experiment from 0 and a kind, not {draft.experiment!r}, {draft.kind!r}")
        if len(draft.kind) > LONGEST or len(draft.key) > LONGEST or len(draft.user) > LONGEST:
            raise BadInput(f"kind, key and user of a draft may be {LONGEST} long, not {draft!r:.100}...")
        check_text(draft.kind)
        check_text(draft.key)
    return list(drafts)


def _check_types(draft: Draft) -> None:
    for name, value, kind in zip(Draft._fields, draft, TYPES, strict=True):
        if not isinstance(value, kind) or isinstance(value, bool):
            raise BadInput(f"{name} of a draft must be {kind.__name__}, not {value!r}")


def check_text(text: str) -> None:
    """Refuse what not every journal can keep as text: a zero, or half of a surrogate pair."""
    if "\0" in text or not (text.isascii() or text.encode(errors="ignore").decode() == text):
        raise BadInput(f"kind and key of a draft must be text that UTF-8 can write, without a zero, not {text!r}")


def countable(number: int) -> int:
    """The nearest number that every journal can look for: people ask for others, which are not there.

    >>> countable(-1), countable(10**30) == LAST
    (0, True)
    """
    return max(0, min(number, LAST))


def can_have(experiment: int, key: str) -> bool:
    """Whether an event may have this key; text that none can have is an error."""
    check_text(key)
    return bool(key) and 0 <= experiment <= LAST


def wait_for(head: Callable[[], Place], changed: threading.Condition, after: int, timeout: float) -> bool:
    """Wait for a number behind `after`: appends of this process say `changed`, those of others are looked for."""
    deadline, pause = time.monotonic() + timeout, 0.002
    while head().seq <= after:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        with changed:
            changed.wait(min(left, pause))
        pause = min(0.05, pause * 2)
    return True


def whole_snapshot(row: Sequence[Any], name: str) -> Snapshot:
    """The snapshot of a stored row, whose last column is the hash it was saved with."""
    found = Snapshot(*row[:4])
    if found.hash != row[4]:
        raise CannotStore(f"the snapshot of experiment {row[0]} in {name} is damaged; fold its events anew")
    return found


def open_journal(url: str) -> Journal:
    """The journal at an address: sqlite:///duelist.db (a file here), sqlite:////var/lib/duelist.db,
    postgresql://user:password@host/database, nats://host,host,host/name, or memory://.

    >>> with open_journal("memory://") as journal:
    ...     journal.append([Draft(1, "told")])[0].seq
    1
    """
    from duelist.storage.memory import MemoryJournal
    from duelist.storage.sqlite import SQLiteJournal

    if url.startswith(("postgresql://", "postgres://")):
        from duelist.storage.postgres import PostgresJournal

        return PostgresJournal(url)
    if url.startswith("nats://"):
        from duelist.storage.jetstream import JetStreamJournal

        return JetStreamJournal(url)
    parts = urlsplit(url)
    if parts.scheme == "memory":
        return MemoryJournal()
    if parts.scheme == "sqlite" and not parts.netloc and len(parts.path) > 1:
        return SQLiteJournal(parts.path[1:])
    named = url if "@" not in url else f"{parts.scheme}://..."  # a password is never quoted
    raise BadInput(
        "a journal is at sqlite:///FILE, postgresql://HOST/DATABASE, nats://HOST,HOST,HOST/NAME or memory://, "
        f"not at {named!r}"
    )
