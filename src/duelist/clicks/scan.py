"""A log file into arrays, in one pass: what `read_log` reads, without holding a record of every row."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from duelist.clicks.columns import Batches
from duelist.clicks.files import CutShort, suffix
from duelist.clicks.gather import Gatherer, impressions_of
from duelist.clicks.impressions import Impressions
from duelist.clicks.json_batches import json_batches
from duelist.clicks.log import DELIMITERS, JSON_LINES, read_log
from duelist.clicks.parquet_batches import parquet_batches
from duelist.clicks.portions import Portions
from duelist.clicks.records import BadRow, Rejected
from duelist.clicks.rows import favoured, record_of
from duelist.clicks.spool import PORTION, Spool
from duelist.clicks.table_batches import listed, table_batches
from duelist.clicks.ubi import is_ubi
from duelist.core.errors import BadInput

PARQUET = ".parquet"


def scan_log(
    path: str | Path,
    events: str | Path | None = None,
    ordinals: int | None = None,
    attributes: Sequence[str] = (),
) -> Impressions:
    """The impressions of a file, with the `attributes` (columns) that are asked for.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = file.write_text("user,shown,clicks,rankers,teams\\nann,a b c,0 2 7,old new,0 1 1\\n")
    >>> log = scan_log(file)
    >>> log.done.teams.tolist(), log.lost.tolist(), *log.losses.examples.values()
    ([0, 1], [1], 'line 2: a click at 7, but the positions of 3 documents count from 0')
    """
    found = _reader(path, events, attributes)
    if found is None:
        return impressions_of(read_log(path, events, ordinals), attributes)
    for _ in _taken(path, *found):
        pass
    return found[1].impressions()


def spool_log(
    path: str | Path,
    events: str | Path | None = None,
    ordinals: int | None = None,
    attributes: Sequence[str] = (),
    portion: int = PORTION,
) -> Portions:
    """The same for a log of any size: in portions, which wait on disk where they are many."""
    found = _reader(path, events, attributes)
    if found is None:
        return impressions_of(read_log(path, events, ordinals), attributes)
    spool, gatherer = Spool(), found[1]
    for _ in _taken(path, *found):
        if gatherer.rows >= portion:
            spool.add(gatherer.cut())
    spool.add(gatherer.cut())
    return spool.finish(gatherer.cut())


def _reader(path: str | Path, events: str | Path | None, attributes: Sequence[str]) -> tuple[Batches, Gatherer] | None:
    """What reads a file in batches; None for one that must be read as records."""
    kind = suffix(path)
    if kind == PARQUET and events is None:
        found = Gatherer(list, True, attributes)
        return parquet_batches(path, attributes, found), found
    if (kind in JSON_LINES and is_ubi(path)) or kind not in (*DELIMITERS, *JSON_LINES) or events is not None:
        return None
    if kind in JSON_LINES:
        found = Gatherer(msgspec.json.decode, True, attributes)
        return json_batches(path, attributes, found), found
    found = Gatherer(listed, False, attributes)
    return table_batches(path, DELIMITERS[kind], attributes, found), found


def _taken(path: str | Path, batches: Batches, found: Gatherer) -> Iterator[None]:
    """Let every batch be taken, and stop after each."""
    collects = gc.isenabled()
    gc.disable()  # millions of lists are made and none refers to itself: looking for such takes a third of the time
    try:
        for batch, row_at, others in batches:
            for place in found.take(batch, path):
                _take_unusual(found, batch.lines[place], row_at(place), path)
            for line, row in others:
                _take_unusual(found, line, row, path)
            yield
    except CutShort as error:
        found.losses.reject(Rejected(error.line, error.reason, ""))
    finally:
        if collects:
            gc.enable()
    if not found.cut_off + found.rows:
        if suffix(path) != PARQUET:
            read_log(path)  # which says what is wrong with it
        raise BadInput(f"{str(path)!r} is empty")


def _take_unusual(found: Gatherer, line: int, row: Any, path: str | Path) -> None:
    try:
        if not isinstance(row, Mapping):
            raise row if isinstance(row, BadRow) else BadRow("not a JSON object")
        found.add(record_of(row, f"line {line}", found.typed), line, path)
    except BadRow as error:
        whose = favoured(row) if isinstance(row, Mapping) else ""
        found.losses.reject(Rejected(line, str(error), "", str(path), ranker=whose))
