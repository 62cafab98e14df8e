"""The demo that people look at: a site on a port of this machine, and a line in the terminal, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import socket
import sys
import time
import webbrowser

from duelist.client import AsyncClient
from duelist.demo.crowd import Crowd
from duelist.demo.experiments import ARMS, DRIFTING
from duelist.demo.options import MANY, Options
from duelist.demo.pace import Pace
from duelist.demo.run import PATIENCE, SETTINGS, Demo, Result, begin, doing, journal_of
from duelist.demo.serving import HOST, Beside, bind, serving
from duelist.demo.site.app import Site
from duelist.demo.site.pages import ROOT
from duelist.demo.tastes import TASTES
from duelist.demo.world import World
from duelist.present.tables import show as print_table
from duelist.service.app import App
from duelist.service.logs import set_up
from duelist.service.settings import Settings

GRACE = 2.0  # seconds until a list is closed after its last click: people may want a second one
FEW = 4  # visitors at once: enough for the highest speed


def show(options: Options, open_browser: bool) -> None:
    """Serve until somebody presses Ctrl-C; then say what came of it."""
    set_up(str(SETTINGS["log"]))
    with bind(options.port) as bound:
        print("Reading the documentation of this Python; the first start also compiles ...", flush=True)
        world = World()
        for taste in TASTES:
            world.need(taste)
        result = asyncio.run(_show(options, world, bound, open_browser))
    print_table("\nWhat the visitors taught", result.table())


async def _show(options: Options, world: World, bound: socket.socket, open_browser: bool) -> Result:
    began, over = time.perf_counter(), _until_stopped()
    url = f"http://{HOST}:{bound.getsockname()[1]}"
    with journal_of(options) as journal:
        app = App(Settings(journal=journal, **SETTINGS))
        async with AsyncClient(url, timeout=PATIENCE) as client:
            crowd = Crowd(
                world, client, options.taste, seed=options.seed, pace=Pace(options.speed), at_once=FEW, strict=False
            )
            demo = Demo.of(crowd)
            async with serving(Beside(app, ROOT, Site(demo).app()), bound) as server:
                app.service.leaving = lambda: server.should_exit  # so that open dashboards let go
                await begin(client, GRACE)
                _say_where(url, open_browser)
                visitors = crowd.run(options.visitors or MANY, options.change_after)
                async with doing(visitors) as coming, doing(demo.keep_looking(Line(demo).show)):
                    await _either(over, coming)
                statuses = await demo.look()
    return Result(demo, statuses, time.perf_counter() - began)


def _until_stopped() -> asyncio.Event:
    """Set when somebody wants to stop; a second Ctrl-C is the usual one."""
    over, loop = asyncio.Event(), asyncio.get_running_loop()

    def stop() -> None:
        over.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    with contextlib.suppress(NotImplementedError):  # elsewhere Ctrl-C is an exception, which ends it too
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
    return over


async def _either(over: asyncio.Event, coming: asyncio.Task[None]) -> None:
    """Wait until somebody stops it, however many visitors came; but not if these cannot be served."""
    waiting = asyncio.create_task(over.wait())
    await asyncio.wait([waiting, coming], return_when=asyncio.FIRST_COMPLETED)
    if coming.done():
        coming.result()
        await waiting
    waiting.cancel()


def _say_where(url: str, open_browser: bool) -> None:
    print(f"\n  dashboard  {url}/\n  search     {url}{ROOT}\n  API        {url}/openapi.json\n", flush=True)
    print("Ctrl-C ends it.", flush=True)
    if open_browser:
        webbrowser.open(f"{url}{ROOT}")


class Line:
    """What is said while visitors come: one line that changes; where it cannot, a line when who leads does."""

    def __init__(self, demo: Demo) -> None:
        self.demo, self.said = demo, ""

    def show(self) -> None:
        """Say how it stands."""
        standings, crowd = self.demo.standings(), self.demo.crowd
        news = f"{standings[ARMS]} (or, forgetting: {standings[DRIFTING]})"
        failed = f" and {crowd.failed:,} who got no answer" if crowd.failed else ""
        line = f"{crowd.visitors:,} visitors{failed}, {crowd.need.taste}: {news}"
        if sys.stdout.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[2K{line[:width]}", end="", flush=True)
        elif news != self.said:
            print(line, flush=True)
        self.said = news
