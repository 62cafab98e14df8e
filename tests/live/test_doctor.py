from __future__ import annotations

import json
from pathlib import Path

import pytest

from duelist.live import open_experiments
from duelist.live.doctor import examine
from duelist.storage import Draft, SQLiteJournal

from .helpers import definition


def make(path: Path, rounds: int = 30) -> str:
    url = f"sqlite:///{path}"
    with open_experiments(url) as living:
        search = living.define(definition(policy="rucb"))
        search.start()
        for _ in range(rounds):
            asked = search.ask()
            assert asked.id
            search.tell(asked.id, outcome=0.5)
    return url


def levels(path: Path) -> dict[str, str]:
    with SQLiteJournal(path) as journal:
        return {finding.what: finding.level for finding in examine(journal)}


def test_a_healthy_journal_is_called_healthy(tmp_path: Path) -> None:
    make(tmp_path / "live.db")
    found = levels(tmp_path / "live.db")
    assert not {"error", "warning"} & set(found.values())
    assert "62 events, in order and readable" in found


@pytest.mark.parametrize(
    ("draft", "complaint"),
    [
        (Draft(1, "told", b"short"), "cannot be read"),
        (Draft(1, "strange"), "of kind 'strange' cannot be read"),
        (Draft(77, "clicked", b"\x91\x01"), "experiment 77, which was never defined"),
        (Draft(0, "defined", b"\x92\x81\xa4name\xa1x\x01"), "defines what cannot be"),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, draft: Draft, complaint: str) -> None:
    make(tmp_path / "live.db")
    with SQLiteJournal(tmp_path / "live.db") as journal:
        journal.append([draft])
    (error,) = [what for what, level in levels(tmp_path / "live.db").items() if level == "error"]
    assert "1 of 63 events are wrong" in error
    assert complaint in error


def test_a_damaged_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    make(path, rounds=2000)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = b"\0" * 4096
    path.write_bytes(data)
    assert "error" in levels(path).values()


def test_the_commands(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from duelist.cli import app

    url, runner = make(tmp_path / "live.db"), CliRunner()
    done = runner.invoke(app, ["replay", url, "--json"])
    found = json.loads(done.stdout)
    assert done.exit_code == 0
    assert found["events"] == 62
    assert [each["equal"] for each in found["experiments"]] == [True]
    old = tmp_path / "old.jsonl"
    moved = runner.invoke(app, ["export", url, str(old), "--remove"])
    assert "events moved to" in moved.stdout
    assert runner.invoke(app, ["doctor", url]).exit_code == 0
    again = runner.invoke(app, ["replay", url, "--with", str(old), "--json"])
    assert json.loads(again.stdout)["experiments"][0]["hash"] == found["experiments"][0]["hash"]
    assert "ok " in runner.invoke(app, ["doctor", str(old)]).stdout
