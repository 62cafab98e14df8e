"""The demo without anybody looking: what it says is what its journal has."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from duelist.cli import app as command_line
from duelist.client import AsyncClient
from duelist.core.errors import AlreadyDefined, BadInput
from duelist.demo import run, start
from duelist.demo.crowd import Crowd
from duelist.demo.experiments import ARMS, DRIFTING, WEIGHTS, definitions
from duelist.demo.inside import Inside, living
from duelist.demo.options import Options
from duelist.demo.run import Demo, Result, run_headless
from duelist.demo.world import World
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.simulate import simulate
from duelist.live import LocalExperiments
from duelist.live.definition import Definition
from duelist.live.events import CLICKED, SHOWN, body_of
from duelist.search.engine import RANKERS
from duelist.service.app import App
from duelist.service.settings import Settings
from duelist.storage.journal import open_journal

VISITORS = 60
NEEDED = {"best", "certain", "visitors", "duels", "regret", "evidence", "seconds"}


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('demo') / 'demo.db'}"


@pytest.fixture(scope="module")
def result(small: World, journal: str) -> Result:
    return run_headless(Options(visitors=VISITORS, seed=5, journal=journal), world=small)


def test_every_visitor_comes_and_every_click_is_learnt_from(result: Result) -> None:
    summary = result.summary()
    assert summary.keys() >= NEEDED
    assert json.loads(json.dumps(summary)) == summary
    assert summary["visitors"] == VISITORS
    for name in (ARMS, DRIFTING, WEIGHTS):
        counts, ledger = result.statuses[name]["counts"], result.demo.crowd.ledgers[name]
        assert counts["shown"] == ledger.lists == VISITORS
        assert counts["clicks"] == counts["counted"]
    assert summary["duels"] == result.demo.crowd.ledgers[ARMS].clicked
    assert 0 < summary["duels"] <= VISITORS
    assert result.statuses[ARMS]["health"]["healthy"]


def test_regret_is_that_of_the_lists_in_the_journal(result: Result, journal: str) -> None:
    truth = result.demo.crowd.need.truth
    opened = open_journal(journal)
    events = opened.read(0, 10_000)
    with LocalExperiments(opened) as experiments:
        number = experiments.state(ARMS).number
    pairs = [body_of(event).pair for event in events if event.kind == SHOWN and event.experiment == number]
    best = truth.preference[truth.best]
    assert len(pairs) == VISITORS
    lost = sum((best[pair.left] + best[pair.right] - 1) / 2 for pair in pairs)
    assert result.summary()["regret"] == pytest.approx(lost, abs=1e-3)
    assert sum(event.kind == CLICKED for event in events) == sum(
        status["counts"]["clicks"] for status in result.statuses.values()
    )


def test_the_table_has_every_ranker_and_says_what_was_learnt(result: Result) -> None:
    text = str(result.table())
    assert all(ranker in text for ranker in RANKERS)
    assert f"{VISITORS} visitors searched {len(result.demo.crowd.world.engine.documents)} pages" in text
    assert f"the truth: {result.summary()['right']}" in text


def test_taste_changes_when_it_should(small: World) -> None:
    result = run_headless(Options(visitors=20, change_after=10, journal="memory://"), world=small)
    assert (result.demo.crowd.need.taste, result.demo.crowd.changes) == ("names", 1)
    assert result.summary()["right"] == RANKERS[small.need("names").truth.best]


def test_a_policy_of_the_demo_finds_the_best_ranker_of_both_tastes(world: World) -> None:
    policies = {each["name"]: Definition.read(each).agent for each in definitions(1.0) if each["kind"] == "arms"}
    for taste in ("overviews", "names"):
        truth = world.need(taste).truth
        found = simulate(policies[ARMS], Matrix(truth.preference), horizon=3_000, runs=200, seed=1)
        assert found.best_arm_rate >= 0.9


def test_the_command_prints_json(
    small: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "World", lambda: small)
    command = ["demo", "--headless", "--json", "--visitors", "20", "--seed", "3", "--journal", "memory://"]
    command_line(command, standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["visitors"] == 20
    command_line(["demo", "--visitors", "20", "--journal", "memory://"], standalone_mode=False)  # in a pipe it ends too
    said = capsys.readouterr().out
    assert "20 visitors searched" in said
    assert "duelist demo --no-browser" in said


def test_visitors_survive_a_version_that_is_not_started(small: World) -> None:
    async def whole(strict: bool) -> Crowd:
        app = App(Settings(journal="memory://", **run.SETTINGS))
        async with living(app), AsyncClient("http://here", timeout=60, transport=Inside(app)) as client:
            await run.begin(client, 60.0)
            await client[ARMS].new_version({"kind": "arms", "arms": ["bm25", "vectors"], "policy": "d-ts"})
            crowd = Crowd(small, client, "names", strict=strict)
            await crowd.run(3)
            await client[ARMS].start()
            await Demo.of(crowd).look()  # the version has fewer arms
            await crowd.run(3)
            return crowd

    crowd = asyncio.run(whole(strict=False))
    assert (crowd.visitors, crowd.failed) == (3, 3)
    with pytest.raises(AlreadyDefined, match="draft"):
        asyncio.run(whole(strict=True))


def test_a_bad_taste_is_said_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "World", None)
    with pytest.raises(LookupError, match="names, overviews"):
        start.start(Options(taste="music"), headless=True, as_json=False, browser=None)


def test_a_journal_that_cannot_be_opened_is_one_sentence(small: World, tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        run_headless(Options(visitors=1, journal=f"nothing://{tmp_path}"), world=small)
