"""Journals: where the events of live experiments are kept safe."""

from duelist.storage.group import Group
from duelist.storage.journal import Draft, Event, Journal, Place, Snapshot, open_journal
from duelist.storage.memory import MemoryJournal
from duelist.storage.sqlite import SQLiteJournal

__all__ = [
    "Draft",
    "Event",
    "Group",
    "Journal",
    "MemoryJournal",
    "Place",
    "SQLiteJournal",
    "Snapshot",
    "open_journal",
]
