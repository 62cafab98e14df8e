"""The demo from start to end, without anybody looking; and what it shares with the one that people look at."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from duelist.client import AsyncClient
from duelist.demo.crowd import Crowd
from duelist.demo.experiments import ARMS, DRIFTING, definitions
from duelist.demo.inside import Inside, living
from duelist.demo.options import FEW, Options
from duelist.demo.report import Statuses, summary_of, table_of
from duelist.demo.standing import Watch
from duelist.demo.world import World
from duelist.present.tables import Table
from duelist.service.app import App
from duelist.service.settings import Settings

LOOK = 0.5  # seconds between looks at how it stands
PATIENCE = 60.0  # seconds for the last lists to be closed, and for any request on a busy machine
QUICK = 0.25  # seconds until a list is closed after its last click, where all visitors are simulated
SETTINGS: dict[str, Any] = {"tick": 0.2, "compile_apart": False, "log": "warning", "stop_seconds": 5}


class Demo(NamedTuple):
    """A demo under way."""

    crowd: Crowd
    watches: dict[str, Watch]  # of the experiments with rankers as arms

    @classmethod
    def of(cls, crowd: Crowd) -> Demo:
        """A demo that begins."""
        return cls(crowd, {name: Watch() for name in (ARMS, DRIFTING)})

    def standings(self) -> dict[str, str]:
        """How the experiments stood at the last look, in words."""
        return {name: watch.words for name, watch in self.watches.items()}

    async def look(self) -> Statuses:
        """How the experiments stand, by their service."""
        statuses = {name: await self.crowd.client[name].status() for name in self.crowd.ledgers}
        for name, watch in self.watches.items():
            self.crowd.arms[name] = [arm["name"] for arm in statuses[name]["arms"]]
            watch.look(statuses[name], self.crowd.visitors, self.crowd.changes)
        return statuses

    async def keep_looking(self, then: Callable[[], None]) -> None:
        """Look again and again, and do something after each look."""
        while True:
            await self.look()
            then()
            await asyncio.sleep(LOOK)

    async def settled(self) -> Statuses:
        """How they stand when everything that was clicked is learnt from."""
        deadline, ledger = time.monotonic() + PATIENCE, self.crowd.ledgers[ARMS]
        while time.monotonic() < deadline:
            statuses = await self.look()
            if statuses[ARMS]["counts"]["learnt"] >= ledger.clicked:
                break
            await asyncio.sleep(LOOK / 5)
        return statuses


class Result(NamedTuple):
    """A demo that is over."""

    demo: Demo
    statuses: Statuses
    seconds: float

    def summary(self) -> dict[str, Any]:
        """As values for JSON."""
        return summary_of(self.demo.crowd, self.demo.watches[ARMS], self.statuses, self.seconds)

    def table(self) -> Table:
        """For people."""
        return table_of(self.summary(), self.demo.crowd, self.statuses[ARMS])


def run_headless(
    options: Options, progress: Callable[[Demo], None] = lambda demo: None, world: World | None = None
) -> Result:
    """All visitors come as fast as they can; `progress` is called now and then."""
    began = time.perf_counter()
    demo, statuses = asyncio.run(_headless(options, progress, world or World()))
    return Result(demo, statuses, time.perf_counter() - began)


async def _headless(options: Options, progress: Callable[[Demo], None], world: World) -> tuple[Demo, Statuses]:
    with journal_of(options) as journal:
        app = App(Settings(journal=journal, **SETTINGS))
        transport = Inside(app)
        async with living(app), AsyncClient("http://inside", timeout=PATIENCE, transport=transport) as client:
            await begin(client, QUICK)
            demo = Demo.of(Crowd(world, client, options.taste, seed=options.seed))
            async with doing(demo.keep_looking(lambda: progress(demo))):
                await demo.crowd.run(options.visitors or FEW, options.change_after)
            statuses = await demo.settled()
    return demo, statuses


async def begin(client: AsyncClient, grace: float) -> None:
    """Define and start the experiments."""
    for definition in definitions(grace):
        experiment = await client.define(definition)
        await experiment.start()


@contextlib.contextmanager
def journal_of(options: Options) -> Iterator[str]:
    """The address of the journal; one of our own does not outlive the demo."""
    if options.journal is not None:
        yield options.journal
        return
    with TemporaryDirectory(prefix="duelist-demo-") as folder:
        yield f"sqlite:///{Path(folder, 'demo.db')}"


@asynccontextmanager
async def doing(work: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Task[None]]:
    """Do something beside the block, and no longer than it lasts."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
