"""A log file into arrays, in one pass: what `read_log` reads, without holding a record of every row."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from duelist.clicks.columns import Batches
from duelist.clicks.files import CutShort, suffix
from duelist.clicks.gather import Gatherer
from duelist.clicks.impressions import Impressions
from duelist.clicks.json_batches import json_batches
from duelist.clicks.log import DELIMITERS, INSTEAD, JSON_LINES, no_log, no_queries, read_log, unknown_ending, usable
from duelist.clicks.parquet_batches import parquet_batches
from duelist.clicks.parquet_files import parquet_names
from duelist.clicks.portions import Portions
from duelist.clicks.records import BadRow, Rejected
from duelist.clicks.rows import experiment_of, favoured, record_of
from duelist.clicks.spool import PORTION, Spool
from duelist.clicks.table_batches import listed, table_batches
from duelist.clicks.ubi import is_ubi, read_ubi
from duelist.clicks.ubi_files import PARQUET
from duelist.clicks.ubi_scan import UbiScan
from duelist.core.errors import BadInput


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
    found, steps = _reader(path, events, ordinals, attributes)
    for _ in steps:
        pass
    return found.impressions()


def spool_log(
    path: str | Path,
    events: str | Path | None = None,
    ordinals: int | None = None,
    attributes: Sequence[str] = (),
    portion: int = PORTION,
) -> Portions:
    """The same for a log of any size: in portions, which wait on disk where they are many."""
    found, steps = _reader(path, events, ordinals, attributes)
    spool = Spool()
    for _ in steps:
        if found.rows >= portion:
            spool.add(found.cut())
    spool.add(found.cut())
    return spool.finish(found.cut())


def _reader(
    path: str | Path, events: str | Path | None, ordinals: int | None, attributes: Sequence[str]
) -> tuple[Gatherer, Iterator[None]]:
    """What rows of a file go into, and the steps in which they do."""
    kind = suffix(path)
    if kind in (*JSON_LINES, PARQUET) and is_ubi(path):
        found = Gatherer(attributes=attributes)
        return found, _taken_ubi(path, events, ordinals, found)
    if kind not in (*DELIMITERS, *JSON_LINES, PARQUET):
        raise unknown_ending(path, f", or in {PARQUET}")
    if events is not None:
        raise no_queries(path)
    if kind == PARQUET:
        found = Gatherer(list, True, attributes)
        return found, _taken(path, parquet_batches(path, attributes, found), found)
    if kind in JSON_LINES:
        found = Gatherer(msgspec.json.Decoder(list[Any]).decode, True, attributes)
        return found, _taken(path, json_batches(path, attributes, found), found)
    found = Gatherer(listed, False, attributes)
    return found, _taken(path, table_batches(path, DELIMITERS[kind], attributes, found), found)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of lists are made and none refers to itself: looking for such takes a third of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _taken_ubi(path: str | Path, events: str | Path | None, ordinals: int | None, found: Gatherer) -> Iterator[None]:
    """Let queries be taken with their events, and stop now and then."""
    paths = [path] if events is None else [path, events]
    with _no_collection():
        yield from UbiScan(paths, ordinals, found).steps()
    if not found.cut_off + found.rows:
        if suffix(path) == PARQUET:
            usable(read_ubi(path, events, ordinals), path)  # which says what is wrong with it
        else:
            read_log(path, events, ordinals)  # likewise


def _taken(path: str | Path, batches: Batches, found: Gatherer) -> Iterator[None]:
    """Let every batch be taken, and stop after each."""
    try:
        with _no_collection():
            for batch, row_at, others in batches:
                for place in found.take(batch, path):
                    _take_unusual(found, batch.lines[place], row_at(place), path)
                for line, row in others:
                    _take_unusual(found, line, row, path)
                yield
    except CutShort as error:
        found.losses.reject(Rejected(error.line, error.reason, ""))
    if not found.cut_off + found.rows:
        if suffix(path) != PARQUET:
            read_log(path)  # which says what is wrong with it
        raise _nothing(path, found)


def _nothing(path: str | Path, found: Gatherer) -> BadInput:
    """What is wrong with a table of which nothing could be used."""
    rows, examples = found.losses.rows, found.losses.examples
    if not rows:
        return BadInput(f"{str(path)!r} is empty")
    names = parquet_names(path)
    if not {"user"} <= set(names) or not {"shown", INSTEAD} & set(names):
        return no_log(path, "it has no columns", names, "the columns user (text) and shown, clicks (lists)")
    return BadInput(f"none of the {rows.total()} rows of {str(path)!r} can be used, as {next(iter(examples.values()))}")


def _take_unusual(found: Gatherer, line: int, row: Any, path: str | Path) -> None:
    try:
        if not isinstance(row, Mapping):
            raise row if isinstance(row, BadRow) else BadRow("not a JSON object")
        found.add(record_of(row, f"line {line}", found.typed), line, path)
    except BadRow as error:
        whose, where = (favoured(row, found.typed), experiment_of(row)) if isinstance(row, Mapping) else ("", "")
        found.losses.reject(Rejected(line, str(error), "", str(path), ranker=whose, experiment=where))
