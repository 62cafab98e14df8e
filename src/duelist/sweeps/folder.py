"""Results kept in a folder of Parquet files, one a task. Needs the extra `parquet`.

A file appears whole or not at all, whatever dies meanwhile. Its rows say themselves which cell they are of; its footer
has what is not rows, so that whoever resumes reads footers alone.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelist.core.disk import replace_file
from duelist.core.errors import BadInput, MissingExtra
from duelist.core.record import write_record
from duelist.sweeps.cell import Cell, Packed, spread
from duelist.sweeps.tasks import Part, Task, missing

FOOTER = b"duelist"
SCHEMA = 1


class Slice(NamedTuple):
    """Rows of a file that are runs of one cell."""

    path: Path
    begins: int  # row
    key: str
    place: int  # of the cell in the plan that made it
    kind: str
    first: int
    runs: int
    points: int
    clock: str
    columns: list[str]  # the arrays
    axes: dict[str, Any]
    facts: dict[str, Any]


class Folder:
    """The results of cells that are there, and those to come."""

    def __init__(self, path: Path, cells: Sequence[Cell]) -> None:
        self.path, self.cells = path, cells
        self.keys = [cell.key for cell in cells]
        self.found: dict[str, list[Slice]] = {}
        for found in read_slices(path):
            self.found.setdefault(found.key, []).append(found)

    def done(self) -> list[list[range]]:
        return [[range(s.first, s.first + s.runs) for s in self.found.get(key, [])] for key in self.keys]

    def add(self, task: Task, results: Sequence[Any]) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        data, name = self._file(task, results)
        replace_file(self.path / name, data)
        for found in _slices_in(self.path / name):
            self.found.setdefault(found.key, []).append(found)

    def _file(self, task: Task, results: Sequence[Any]) -> tuple[bytes, str]:
        """The bytes of a task's file, and its name, which depends on what is in it alone."""
        arrow, parquet = load_arrow()
        tables, footer = [], []
        for part, result in zip(task, results, strict=True):
            packed = part.cell.pack(result)
            tables.append(arrow.table(_columns(self.keys[part.place], part, packed)))
            footer.append(_describe(self.keys[part.place], part, packed))
        table = arrow.concat_tables(tables, promote_options="permissive")
        text = write_record({"schema": SCHEMA, "slices": footer}, "these results")
        file = io.BytesIO()
        parquet.write_table(table.replace_schema_metadata({FOOTER: text.encode()}), file, compression="zstd")
        names = json.dumps([[found["key"], found["first"], found["runs"]] for found in footer])
        return file.getvalue(), f"{hashlib.sha256(names.encode()).hexdigest()[:16]}.parquet"

    def result(self, place: int) -> Any:
        return join_slices(self.found.get(self.keys[place], []), self.cells[place], self.cells[place].runs)


def join_slices(slices: Sequence[Slice], kind: Any, runs: int) -> Any:
    """The runs of one cell below `runs` as one result; a run that is there twice, which is the same, counts once."""
    parts, seen = [], list[range]()
    for found in sorted(slices, key=lambda found: found.first):
        wanted = range(found.first, min(found.first + found.runs, runs))
        for fresh in missing(wanted.stop, [range(wanted.start), *seen]):
            parts.append(kind.unpack(_packed(found, fresh)))
            seen.append(fresh)
    return kind.join(parts) if len(parts) > 1 else parts[0]


def _packed(found: Slice, runs: range) -> Packed:
    """Some runs of a slice, taken apart as they were before they were written."""
    table = read_table(found.path).slice(found.begins, found.runs * found.points)
    times = table[found.clock][: found.points].to_numpy()
    rows = slice(runs.start - found.first, runs.stop - found.first)
    arrays = {name: np.array(table[name].to_numpy()).reshape(found.runs, found.points)[rows] for name in found.columns}
    facts = {**found.facts, "runs": len(runs)} if "runs" in found.facts else found.facts
    return Packed(facts, np.array(times), arrays)


@lru_cache(maxsize=8)
def read_table(path: Path) -> Any:
    """The rows of a file; the last few files are kept."""
    return load_arrow()[1].ParquetFile(path).read(use_threads=False)  # half the time of pyarrow's read_table


def _columns(key: str, part: Part, packed: Packed) -> dict[str, Any]:
    """One row a run and checkpoint."""
    arrow, _ = load_arrow()
    points, size = len(packed.times), part.runs * len(packed.times)
    same = {"cell": key, **part.cell.axes()}
    columns = {name: _repeated(arrow, value, size) for name, value in same.items()}
    columns["run"] = np.repeat(np.arange(part.first, part.first + part.runs), points)
    columns[part.cell.clock] = np.tile(packed.times, part.runs)
    return columns | {name: spread(values, points) for name, values in packed.arrays.items()}


def _repeated(arrow: Any, value: Any, size: int) -> Any:
    return arrow.repeat(arrow.scalar(value, arrow.string() if value is None else None), size)


def _describe(key: str, part: Part, packed: Packed) -> dict[str, Any]:
    return {
        "key": key,
        "place": part.place,
        "kind": part.cell.kind,
        "first": part.first,
        "runs": part.runs,
        "points": len(packed.times),
        "clock": part.cell.clock,
        "columns": list(packed.arrays),
        "axes": part.cell.axes(),
        "facts": packed.facts,
    }


def read_slices(folder: Path) -> list[Slice]:
    """What the files of a folder have, by their footers."""
    return [found for path in sorted(folder.glob("*.parquet")) for found in _slices_in(path)]


def _slices_in(path: Path) -> list[Slice]:
    arrow, parquet = load_arrow()
    try:
        footer = json.loads((parquet.read_metadata(path).metadata or {})[FOOTER])
        schema = footer["schema"]
    except (arrow.ArrowInvalid, KeyError, ValueError) as error:
        raise BadInput(f"{path} is no file of a sweep: {error}") from None
    if schema != SCHEMA:
        raise BadInput(f"{path} was written by another version: schema {schema!r}, not {SCHEMA}")
    slices, begins = [], 0
    for facts in footer["slices"]:
        slices.append(Slice(path, begins, **facts))
        begins += facts["runs"] * facts["points"]
    return slices


def load_arrow() -> tuple[Any, Any]:
    """pyarrow and its parquet module."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("sweeps keep their results as Parquet: pip install 'duelist[parquet]'") from error
    return pyarrow, pyarrow.parquet
