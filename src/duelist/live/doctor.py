"""What is wrong with a journal, and what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from duelist.core.errors import BadInput, DuelistError
from duelist.live import events
from duelist.live.definition import Definition
from duelist.live.events import EVERYWHERE, body_of
from duelist.live.experiments import INDEX
from duelist.live.replay import fold_anew, replay
from duelist.live.snapshots import code_of, unpack
from duelist.live.status import health_of
from duelist.storage.journal import Event, Journal
from duelist.storage.sqlite import SQLiteJournal

SAFE_SQLITE = (3, 51, 3)  # before, two processes that checkpoint at the same moment may, very rarely, damage the log
BEHIND = 1_000_000  # events behind the last snapshot: a start takes seconds
SIMPLE = (events.TICK, events.FORGOT, events.ADOPTED)


class Finding(NamedTuple):
    """One thing that was looked at."""

    level: str  # ok, note, warning, error
    what: str
    todo: str = ""


def examine(journal: Journal, progress: Callable[[int], None] | None = None) -> list[Finding]:
    """Look at everything; the worst first."""
    found: list[Finding] = []
    for look in (_engine, lambda each: _order(each, progress), _snapshots, _states):
        found += look(journal)
        if any(each.level == "error" for each in found):
            break  # what stands on it cannot be told
    return sorted(found, key=lambda each: ("error", "warning", "note", "ok").index(each.level))


def _engine(journal: Journal) -> Iterator[Finding]:
    if not isinstance(journal, SQLiteJournal):
        return
    answer = journal.integrity()
    if answer != "ok":
        yield Finding(
            "error", f"SQLite finds the file damaged: {answer}", "restore a backup, or export what can be read"
        )
    else:
        yield Finding("ok", "SQLite finds the file whole")
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        wanted = ".".join(map(str, SAFE_SQLITE))
        yield Finding(
            "note",
            f"SQLite {sqlite3.sqlite_version} may, very rarely, damage the log when two processes checkpoint at once",
            f"use one process, SQLite {wanted} or later, or PostgreSQL",
        )


def _order(journal: Journal, progress: Callable[[int], None] | None) -> Iterator[Finding]:
    """Numbers, times and bodies of all events."""
    last, at, count, bad = journal.first() - 1, 0, 0, list[str]()
    defined = set[int]()
    if last:
        yield Finding(
            "note", f"the first {last} events were moved elsewhere", "fold them anew with `duelist replay --with`"
        )
    for event in journal.events():
        if event.seq != last + 1 or event.at < at:
            bad.append(f"event {event.seq} follows {last}, at {event.at} after {at}")
        last, at, count = event.seq, event.at, count + 1
        bad += _unreadable(event, defined, moved=journal.first() > 1)
        if progress is not None and count % 10_000 == 0:
            progress(event.seq)
    if bad:
        yield Finding("error", f"{len(bad)} of {count} events are wrong; the first: {bad[0]}", "restore a backup")
    else:
        yield Finding("ok", f"{count} events, in order and readable")


def _unreadable(event: Event, defined: set[int], moved: bool) -> Iterator[str]:
    try:
        body: Any = None if event.kind in SIMPLE else body_of(event)
    except BadInput as error:
        yield str(error)
        return
    if event.kind == events.DEFINED:
        defined.add(event.seq)
        try:
            Definition.read(body.definition)
        except DuelistError as error:
            yield f"event {event.seq} defines what cannot be: {error}"
    elif event.experiment != EVERYWHERE and event.experiment not in defined and not moved:
        yield f"event {event.seq} belongs to experiment {event.experiment}, which was never defined"


def _snapshots(journal: Journal) -> Iterator[Finding]:
    try:
        index = journal.load_snapshot(EVERYWHERE)
        if index is None:
            yield Finding(
                "note", "there is no snapshot: every start folds the whole journal", "one is made when it is closed"
            )
            return
        record: Any = unpack(index.body) if index.code == INDEX else {"experiments": []}
        found = [(Definition.read(document), journal.load_snapshot(n)) for n, _, document in record["experiments"]]
    except (DuelistError, ValueError, KeyError) as error:
        yield Finding("warning", f"a snapshot cannot be used: {error}", "nothing: the next start folds anew")
        return
    foreign = [d.name for d, each in found if each is None or each.code != code_of(d)]
    if foreign and journal.first() > 1:
        yield Finding(
            "warning", f"snapshots of {', '.join(foreign)} were made by other code", "adopt them with --adopt"
        )
    elif foreign:
        yield Finding("note", f"snapshots of {', '.join(foreign)} were made by other code", "the next start folds anew")
    behind = journal.head().seq - index.seq
    level = "warning" if behind > BEHIND else "ok"
    yield Finding(level, f"the last snapshot is {behind} events behind", "save one" if behind > BEHIND else "")


def _states(journal: Journal) -> Iterator[Finding]:
    """Whether a start from snapshots comes to the fold of all, and what the experiments themselves complain of."""
    if journal.first() == 1:
        again = replay(journal)
        wrong = [each.name for each in again.experiments if not each.equal]
        if wrong:
            yield Finding(
                "error", f"a start from snapshots comes to another state of {', '.join(wrong)}", "delete the snapshots"
            )
        else:
            yield Finding(
                "ok", f"{len(again.experiments)} experiments come to the same from snapshots and from nothing"
            )
        for state in fold_anew(journal).states.values():
            for problem in health_of(state)["problems"]:
                yield Finding("warning", f"{state.definition.name}: {problem}", "see docs/experiments.md, health")
