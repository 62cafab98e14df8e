from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelist.analysis import analyze
from duelist.cli import app
from duelist.live import LocalExperiments
from duelist.live.log import log_of
from duelist.storage import SQLiteJournal

from .helpers import Time, definition

RANKINGS = {"old": ["a", "b", "c", "d"], "new": ["c", "d", "e", "f"]}


def play(path: Path, users: int = 400) -> LocalExperiments:
    """Visitors who like what is new, on a journal."""
    clock, luck = Time(), np.random.default_rng(0)
    living = LocalExperiments(SQLiteJournal(path, clock), np.random.default_rng(1))
    for name in ("search", "other"):
        living.define({**definition("pair"), "name": name}).start()
        for number in range(users if name == "search" else 20):
            page = living[name].interleave(RANKINGS, user=f"u{number}", length=4)
            for place, document in enumerate(page.ranking):
                if luck.random() < (0.4 if document in "cd" else 0.2):
                    living[name].click(page.id, position=place)
            clock.pass_by(30)
    clock.pass_by(3600)
    living.tick()
    return living


def test_a_journal_is_analysed_as_a_log(tmp_path: Path) -> None:
    with play(tmp_path / "live.db") as living:
        status = living["search"].status()
        log = log_of(living.journal.events())
        own = [record for record in log.records if record.experiment == "search"]
        assert len(own) == 400 == status["counts"]["shown"]
        assert sum(len(record.clicks) for record in own) == status["counts"]["counted"]
        live = status["pairs"][0]["lists"]
        assert live["impressions"] == 400
        found = analyze(type(log)(tuple(own)), ended=True)
        pair = found.comparisons[0]
        sign = 1 if pair.first == "old" else -1
        wins = (live["wins"], live["losses"]) if sign > 0 else (live["losses"], live["wins"])
        assert pair.wins[:2] == wins
        assert abs(pair.preference) == pytest.approx(abs(live["mean"]))
        assert sorted(map(abs, pair.limits)) == pytest.approx(sorted(map(abs, (live["low"], live["high"]))))
        assert found.winner == status["evidence"]["winner"] == "new"
    done = CliRunner().invoke(app, ["analyze", f"sqlite:///{tmp_path / 'live.db'}", "--experiment", "search", "--json"])
    assert json.loads(done.stdout)["impressions"] == 400


def test_what_goes_out_as_ubi_says_the_same_when_it_is_read(tmp_path: Path) -> None:
    play(tmp_path / "live.db").close()
    address, queries, events = f"sqlite:///{tmp_path / 'live.db'}", tmp_path / "q.jsonl", tmp_path / "e.jsonl"
    runner = CliRunner()
    done = runner.invoke(app, ["export", address, str(queries), "--ubi", str(events)])
    assert done.stdout.startswith("420 lists in ")
    assert {"query_id", "client_id", "query_response_hit_ids"} <= json.loads(queries.read_text().splitlines()[0]).keys()
    said = []
    for source in ([address], [str(queries), "--events", str(events)]):
        found = json.loads(
            runner.invoke(app, ["analyze", *source, "--experiment", "search", "--ended", "--json"]).stdout
        )
        said.append((found["winner"], found["impressions"], found["comparisons"][0]["preference"]))
    assert said[0] == said[1]
    assert said[0][:2] == ("new", 400)
    for more in (["--days", "3"], ["--remove"]):
        refused = runner.invoke(app, ["export", address, str(tmp_path / "x"), "--ubi", str(tmp_path / "y"), *more])
        assert "--ubi copies all lists" in str(refused.exception)
