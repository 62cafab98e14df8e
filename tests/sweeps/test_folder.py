"""Results on disk: whole files only, exact numbers, more runs later."""

from __future__ import annotations

import io
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet
import pytest

from duelist.core.errors import BadInput
from duelist.sweeps import Folder, Here, run_cells
from duelist.sweeps import folder as folder_module
from duelist.sweeps.folder import SCHEMA, read_slices

from .conftest import assert_all_there


class Small(Here):
    """In this process, in tasks of two runs."""

    chunk: float | None = 2.0


def test_what_was_made_is_found_again_and_not_made_again(toys: ModuleType, tmp_path: Path) -> None:
    cells = [toys.Toy(number, runs=5) for number in range(3)]
    assert run_cells(cells, Folder(tmp_path, cells), Small()) == []
    again = Folder(tmp_path, cells)
    assert_all_there(again, cells)
    broken = [toys.Toy(number, runs=5, act="fail") for number in range(3)]  # would fail if it ran
    told: list[int] = []
    assert run_cells(broken, Folder(tmp_path, broken), Small(), finished=told.append) == []
    assert told == [0, 1, 2]


@pytest.mark.parametrize(("first", "then"), [(3, 8), (8, 3)])
def test_a_plan_may_ask_for_more_runs_later_or_for_fewer(
    toys: ModuleType, tmp_path: Path, first: int, then: int
) -> None:
    for runs in (first, then):
        cells = [toys.Toy(7, runs=runs)]
        run_cells(cells, kept := Folder(tmp_path, cells), Small())
        assert_all_there(kept, cells)
        assert_all_there(Folder(tmp_path, cells), cells)


def test_runs_that_are_there_twice_count_once(toys: ModuleType, tmp_path: Path) -> None:
    cells = [toys.Toy(7, runs=6)]
    kept, late = Folder(tmp_path, cells), Folder(tmp_path, cells)  # two who do not know of each other
    run_cells(cells, kept, Small())
    run_cells(cells, late, Here())
    found = Folder(tmp_path, cells)
    assert sum(part.runs for part in read_slices(tmp_path)) == 12
    assert_all_there(found, cells)


def test_a_write_that_was_cut_short_leaves_nothing_that_is_read(
    toys: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [toys.Toy(7, runs=4)]

    def killed(path: Path, data: bytes) -> None:
        (path.parent / f".{path.name}.x1y2").write_bytes(data[: len(data) // 2])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder_module, "replace_file", killed)
        with pytest.raises(KeyboardInterrupt):
            run_cells(cells, Folder(tmp_path, cells), Small())
    assert Folder(tmp_path, cells).done() == [[]]
    run_cells(cells, kept := Folder(tmp_path, cells), Small())
    assert_all_there(kept, cells)


def test_files_of_others_are_named(toys: ModuleType, tmp_path: Path) -> None:
    cells = [toys.Toy(7, runs=1)]
    run_cells(cells, Folder(tmp_path, cells), Small())
    (mine,) = tmp_path.glob("*.parquet")
    whole = mine.read_bytes()
    mine.write_bytes(whole[:-20])
    with pytest.raises(BadInput, match=rf"{mine.name} is no file of a sweep"):
        Folder(tmp_path, cells)
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"x": [1]}), file)
    mine.write_bytes(file.getvalue())
    with pytest.raises(BadInput, match=rf"{mine.name} is no file of a sweep"):
        Folder(tmp_path, cells)
    mine.write_bytes(whole.replace(f'"schema": {SCHEMA}'.encode(), b'"schema": 9'))
    with pytest.raises(BadInput, match=f"another version: schema 9, not {SCHEMA}"):
        Folder(tmp_path, cells)


def test_rows_say_themselves_what_they_are_of(toys: ModuleType, tmp_path: Path) -> None:
    cells = [toys.Toy(number, runs=3) for number in (5, 6)]
    run_cells(cells, Folder(tmp_path, cells), Small())
    tables = [pyarrow.parquet.read_table(path).to_pylist() for path in tmp_path.glob("*.parquet")]
    rows: list[Any] = [row for table in tables for row in table]
    assert len(rows) == 2 * 3 * 2
    assert {"cell": cells[1].key, "toy": 6, "run": 2, "steps": 10, "value": 2.0, "last": 2 / 3} in rows


def test_whoever_resumes_ten_thousand_cells_reads_footers_alone(
    toys: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [toys.Toy(number, runs=1) for number in range(10_000)]
    engine = Here()
    engine.chunk = 100.5  # of a hundred cells
    run_cells(cells, Folder(tmp_path, cells), engine)
    broken = [toys.Toy(number, runs=1, act="fail") for number in range(10_000)]
    monkeypatch.setattr(folder_module, "read_table", None)  # `duelist bench scale` says how many seconds it takes
    told: list[int] = []
    assert run_cells(broken, Folder(tmp_path, broken), engine, finished=told.append) == []
    assert told == list(range(10_000))
    assert len(list(tmp_path.iterdir())) == 100
