"""Events in a file, and back: JSON lines, or Parquet (with the extra `frames`). For what is old, and for elsewhere."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput, MissingExtra
from duelist.storage.journal import Event, Journal, open_journal
from duelist.storage.memory import MemoryJournal

ENDINGS = (".jsonl", ".parquet")


def write_events(journal: Journal, path: str | Path, until: int | None = None) -> int:
    """Write all events up to a number into a new file; how many. Users stay hashes, and the salt stays behind.

    >>> from tempfile import TemporaryDirectory
    >>> from duelist.storage.journal import Draft
    >>> journal = MemoryJournal()
    >>> _ = journal.append([Draft(1, "told", b"left"), Draft(1, "told", b"right")])
    >>> with TemporaryDirectory() as folder:
    ...     write_events(journal, f"{folder}/old.jsonl"), [event.body for event in read_events(f"{folder}/old.jsonl")]
    (2, [b'left', b'right'])
    """
    target = _check_path(Path(path))
    if target.exists():
        raise BadInput(f"{str(target)!r} is there already; it is not written over")
    last = journal.head().seq if until is None else until
    chosen = (event for event in journal.events() if event.seq <= last)
    partial = target.with_name(f"{target.name}.partial")
    count = _write_lines(chosen, partial) if target.suffix == ".jsonl" else _write_parquet(chosen, partial)
    partial.replace(target)  # whole, or not there
    return count


def read_events(path: str | Path) -> Iterator[Event]:
    """The events of a file, in their order."""
    source = _check_path(Path(path))
    if not source.is_file():
        raise BadInput(f"there is no file {str(source)!r}")
    if source.suffix == ".parquet":
        frame = _polars().scan_parquet(source)
        if [*frame.collect_schema().names()] != [*Event._fields]:
            found = ", ".join(frame.collect_schema().names()[:12])
            raise BadInput(f"{str(source)!r} has no events: its columns are {found}, not {', '.join(Event._fields)}")
        for row in frame.collect().iter_rows():
            yield Event(*row)
        return
    with source.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield _event(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise BadInput(f"{str(source)!r}, line {number}: not an event: {error!r}") from None


def load_events(*paths: str | Path, then: Journal | None = None) -> MemoryJournal:
    """A journal in memory of what files have, and behind it of what another journal still has."""
    journal = MemoryJournal()
    events = [event for path in paths for event in read_events(path)]
    if then is not None:
        events += list(then.events(events[-1].seq if events else 0))
    for place, event in enumerate(events, 1):
        if event.seq != place:
            raise BadInput(f"event {place} is missing: the next one there is has number {event.seq}")
    journal.load(events)
    return journal


def open_events(where: str, old: Sequence[str | Path] = ()) -> Journal:
    """The journal at an address, or what was exported of one; with the events that were moved out of it before."""
    if where.endswith(ENDINGS):
        return load_events(*old, where)
    journal = open_journal(where)
    if not old:
        return journal
    with journal:
        return load_events(*old, then=journal)


def _check_path(path: Path) -> Path:
    if path.suffix not in ENDINGS:
        raise BadInput(f"events are kept in files that end in {' or '.join(ENDINGS)}, not in {path.name!r}")
    return path


def _write_lines(events: Iterator[Event], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as lines:
        for event in events:
            record = event._asdict()
            record |= {"body": base64.b64encode(event.body).decode(), "user": event.user.hex()}
            lines.write(json.dumps(record) + "\n")
            count += 1
    return count


def _event(record: dict[str, Any]) -> Event:
    bodies = {"body": base64.b64decode(record["body"], validate=True), "user": bytes.fromhex(record["user"])}
    return Event(**{**record, **bodies})


def _write_parquet(events: Iterator[Event], path: Path) -> int:
    polars = _polars()
    kinds = [polars.Int64] * 3 + [polars.String, polars.Binary, polars.Binary, polars.String]
    frame = polars.DataFrame(list(events), schema=dict(zip(Event._fields, kinds, strict=True)), orient="row")
    frame.write_parquet(path)
    return len(frame)


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise MissingExtra("Parquet needs polars: pip install 'duelist[frames]'") from None
    return polars
