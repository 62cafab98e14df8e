"""Journals: where the events of live experiments are kept safe."""

from typing import TYPE_CHECKING, Any

from duelist.storage.group import Group
from duelist.storage.journal import Draft, Event, Journal, Place, Snapshot, open_journal
from duelist.storage.memory import MemoryJournal
from duelist.storage.sqlite import SQLiteJournal

if TYPE_CHECKING:
    from duelist.storage.jetstream import JetStreamJournal
    from duelist.storage.postgres import PostgresJournal

__all__ = [
    "Draft",
    "Event",
    "Group",
    "JetStreamJournal",
    "Journal",
    "MemoryJournal",
    "Place",
    "PostgresJournal",
    "SQLiteJournal",
    "Snapshot",
    "open_journal",
]


def __getattr__(name: str) -> Any:
    """Only whoever wants PostgreSQL or NATS needs its extra."""
    if name == "PostgresJournal":
        from duelist.storage.postgres import PostgresJournal

        return PostgresJournal
    if name == "JetStreamJournal":
        from duelist.storage.jetstream import JetStreamJournal

        return JetStreamJournal
    raise AttributeError(f"module 'duelist.storage' has no attribute {name!r}")
