"""A disk that is full or cannot be written to: nothing is acknowledged that is not there, and it goes on by itself."""

from __future__ import annotations

import asyncio
import resource
import time
from pathlib import Path

import pytest

from duelist.bench.promises import Load, check_promises, define
from duelist.service.settings import Settings

from .helpers import ONE, RANKINGS, Http, served, server

ROOM = 100_000  # bytes


def allow(process: int, size: int) -> None:
    """Let no file of a process grow beyond a size."""
    resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs prlimit, of Linux")
def test_a_full_disk_refuses_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with server(path, DUELIST_TICK="0.1", DUELIST_SNAPSHOT_SECONDS="0.1") as one:
        define(one.url)
        with Load(one.url) as load:
            load.wait(more=10)
            allow(one.process.pid, Path(f"{path}-wal").stat().st_size + ROOM)
            deadline = time.monotonic() + 30
            while load.refused < 20:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            with load.held():
                check_promises(f"sqlite:///{path}", [load])
                assert one.runs
            allow(one.process.pid, resource.RLIM_INFINITY)
            load.wait(more=10)
        check_promises(f"sqlite:///{path}", [load], [one.url])


def test_a_disk_that_cannot_be_written_to_refuses_and_goes_on(tmp_path: Path) -> None:
    async def check() -> None:
        async with served(Settings(journal=f"sqlite:///{tmp_path}/live.db", compile_apart=False, tick=0.05)) as http:
            await http.running()
            page = await http.post(f"{ONE}/interleave", {"rankings": RANKINGS})
            await check_refused(http, page["id"])
            assert (await http.post(f"{ONE}/ask", {}))["id"] == "1-4"
            tally = await http.post("/v1/events", {"impression": page["id"], "position": 0})
            assert tally["accepted"] == 1

    asyncio.run(check())


async def check_refused(http: Http, page: str) -> None:
    writer = http.service.experiments.journal._writer  # type: ignore[attr-defined]
    writer.execute("PRAGMA query_only=ON")
    for path, body in (
        (f"{ONE}/ask", {}),
        (f"{ONE}/interleave", {"rankings": RANKINGS}),
        ("/v1/events", {"impression": page, "position": 0}),
        (f"{ONE}/pause", None),
    ):
        answer = await http("POST", path, body)
        assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "journal", "1")
        assert "nothing was written: attempt to write a readonly database" in answer.body["error"]["message"]
    status = await http.get(ONE)  # what is known is still said
    assert (status["seq"], status["state"], status["counts"]["clicks"]) == (3, "running", 0)
    writer.execute("PRAGMA query_only=OFF")
