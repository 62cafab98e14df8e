from __future__ import annotations

import json
from pathlib import Path

import pytest

from duelist.live import LocalExperiments
from duelist.storage import open_journal

from .conftest import Command, Run


@pytest.fixture
def duels(tmp_path: Path) -> Path:
    path = tmp_path / "duels.csv"
    rows = ["new,old,left"] * 30 + ["old,new,left"] * 12 + ["new,old,tie"] * 5 + ["new,old,nobody"]
    path.write_text("a,b,winner\n" + "\n".join(rows) + "\n")
    return path


def test_a_board_in_words_and_as_json(run: Run, duels: Path) -> None:
    options = (duels, "--column", "left=a", "--column", "right=b", "--pairs")
    text = run("rank", *options)
    assert "line 49: column winner: 'nobody' is neither 'new' nor 'old'" in text
    assert "wins over" in text
    found = json.loads(run("rank", *options, "--json", "--kind", "always-valid"))
    assert found["kind"] == "always-valid"
    assert [row["arm"] for row in found["standings"]] == ["new", "old"]


def test_what_is_wrong_is_one_line(command: Command, duels: Path) -> None:
    done = command("rank", duels)
    assert done.returncode == 2
    assert "must have the columns left, right and winner or outcome" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_journal_and_what_was_exported_of_it(run: Run, tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/live.db"
    with LocalExperiments(open_journal(address)) as living:
        search = living.define({"name": "search", "kind": "arms", "arms": ["old", "new", "third"], "policy": "rucb"})
        search.start()
        for visitor in range(60):
            asked = search.ask(user=f"u{visitor % 20}")
            assert asked.id is not None
            search.tell(asked.id, outcome=0.7 if asked.left == "new" else 0.3 if asked.right == "new" else 0.5)
    run("export", address, tmp_path / "events.jsonl")
    texts = [run("rank", where, "--json") for where in (address, tmp_path / "events.jsonl")]
    assert texts[0] == texts[1]
    found = json.loads(texts[0])
    assert found["standings"][0]["arm"] == "new"
    assert found["duels"] + found["settled"] == 60
    assert found["users"] <= 20


def test_a_parquet_file_with_as_many_columns_as_events_have_is_one_of_duels(
    run: Run, command: Command, tmp_path: Path
) -> None:
    """Once it was taken for a journal: event 1 is missing."""
    polars = pytest.importorskip("polars")
    names = ("left", "right", "winner", "weight", "user", "time", "context")
    rows = [
        ("a", "b", "a", 1.0, "u", 1.0, "x"),
        ("b", "a", "b", 1.0, "v", 2.0, "y"),
        ("a", "b", "a", 1.0, "w", 3.0, "x"),
    ]
    polars.DataFrame(rows, schema=names, orient="row").write_parquet(tmp_path / "duels.parquet")
    assert json.loads(run("rank", tmp_path / "duels.parquet", "--json"))["duels"] == 3
    done = command("replay", tmp_path / "duels.parquet")
    assert "its columns are left, right, winner" in done.stderr
