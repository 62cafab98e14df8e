"""What goes on while nobody asks, and when the journal fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from duelist.core.errors import BadInput, CannotStore
from duelist.service.settings import Settings

from .helpers import ONE, PAIR, Http, served, serving


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.01)


@serving(tick=0.02)
async def test_lists_are_closed_when_their_time_has_come(http: Http) -> None:
    path = await http.running({**PAIR, "session": {"timeout": 0.2, "grace": 0.0}})
    page = await http.post(f"{path}/interleave", {"rankings": {"old": ["a", "b"], "new": ["b", "a"]}})
    await http.post("/v1/events", {"impression": page["id"], "position": 0})
    state = http.service.experiments.state("pair")
    await until(lambda: state.learnt == 1)
    late = await http.post("/v1/events", {"impression": page["id"], "position": 1})
    assert (late["late"], late["accepted"]) == (1, 0)


@serving(tick=0.02, snapshot_events=3)
async def test_snapshots_are_saved_now_and_then(http: Http) -> None:
    await http.running()
    journal = http.service.experiments.journal
    await until(lambda: http.service.experiments.fold.seq == 2)
    assert journal.load_snapshot(0) is None  # not enough happened
    await http.post(f"{ONE}/ask", {})
    await until(lambda: journal.load_snapshot(0) is not None)


@serving(tick=0.02)
async def test_a_disk_that_fails_is_said_and_it_goes_on_by_itself(http: Http) -> None:
    await http.running()
    journal = http.service.experiments.journal
    append = journal.append

    def full(drafts: Any) -> Any:
        raise CannotStore("the disk is full")

    journal.append = full  # type: ignore[method-assign]
    answer = await http("POST", f"{ONE}/ask", {})
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "journal", "1")
    assert (await http("GET", "/readyz")).status == 200
    journal.append = append  # type: ignore[method-assign]
    assert (await http.post(f"{ONE}/ask", {}))["id"] == "1-3"


def test_an_experiment_that_cannot_be_rehearsed_does_not_keep_the_service_away(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(journal=f"sqlite:///{tmp_path}/live.db", compile_apart=False)

    async def check() -> None:
        async with served(settings) as http:
            await http.running()

        def fails(definition: Any) -> None:
            raise BadInput("not today")

        monkeypatch.setattr("duelist.service.service.rehearse", fails)
        async with served(settings) as http:
            assert (await http.post(f"{ONE}/ask", {}))["id"] == "1-3"

    asyncio.run(check())


def test_what_another_process_defined_is_known_to_everybody_who_comes_at_once(tmp_path: Any) -> None:
    settings = Settings(journal=f"sqlite:///{tmp_path}/live.db", compile_apart=False, tick=60)

    async def check() -> None:
        async with served(settings) as one, served(settings) as two:
            await one.running()
            answers = await asyncio.gather(*(two("POST", f"{ONE}/ask", {}) for _ in range(20)))
            assert {answer.status for answer in answers} == {200}

    asyncio.run(check())
