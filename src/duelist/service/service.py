"""What runs behind the routes: experiments, the door to their journal, and what is done in the background."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from duelist.core.errors import CannotStore, DuelistError
from duelist.core.garbage import SELDOM
from duelist.live.definition import Definition
from duelist.live.experiments import Experiments
from duelist.live.requests import Plan
from duelist.live.state import State
from duelist.live.verbs import Verbs
from duelist.live.views import Views
from duelist.service.auth import Doorkeeper
from duelist.service.clicks import Clicks
from duelist.service.door import Door
from duelist.service.errors import LOG, Refused
from duelist.service.metrics import Metrics, open_of
from duelist.service.rehearsal import compile_apart, kernels_of, rehearse
from duelist.service.settings import Settings
from duelist.storage.journal import machine_clock, open_journal

T = TypeVar("T")


class Service:
    """One process of the service. `start` and `stop` belong to one event loop."""

    experiments: Experiments
    door: Door
    clicks: Clicks
    views: Views

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.doorkeeper = Doorkeeper(settings.tokens)
        self.metrics = Metrics()
        self.ready = False
        self.leaving: Callable[[], bool] = lambda: False  # whether the server is to stop: streams end then
        self.streams = 0
        self._collect = gc.get_threshold()
        self._side = ThreadPoolExecutor(2, "side")  # for what takes long and may run beside commits
        self._rehearsed: set[Any] = set()
        self._defining = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the journal, fold it, warm up."""
        began = time.perf_counter()
        self.experiments = await self.aside(lambda: Experiments(open_journal(self.settings.journal)))
        self.door = Door(self.experiments, self.settings.waiting)
        self.clicks = Clicks(self.experiments)
        self.views = Views(self.experiments)
        await self.aside(self._warm_up)
        gc.collect()
        gc.freeze()  # a full collection over the compiler's heap takes longer than many requests
        gc.set_threshold(*SELDOM)
        self._background = asyncio.create_task(self._look_after())
        self.ready = True
        LOG.info(
            "started",
            extra={
                "experiments": len(self.experiments.names()),
                "seq": self.experiments.fold.seq,
                "seconds": round(time.perf_counter() - began, 3),
            },
        )

    async def stop(self) -> None:
        """Answer what waits, save a snapshot, let the journal go."""
        self.ready = False
        if self._background is not None:
            self._background.cancel()
            await asyncio.gather(self._background, return_exceptions=True)
        await self.door.close()
        try:
            await self.aside(self.experiments.save)
        except CannotStore as error:  # the events are safe; the next start folds more of them
            LOG.warning("no snapshot", extra={"reason": str(error)})
        await self.aside(self.experiments.journal.close)
        self._side.shutdown()
        gc.unfreeze()
        gc.set_threshold(*self._collect)
        LOG.info("stopped", extra={"seq": self.experiments.fold.seq})

    async def aside(self, work: Callable[[], T]) -> T:
        """Do something that may take long, outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._side, work)

    # Plans.

    async def carry_out(self, make: Callable[[], Plan]) -> Any:
        """Make a plan and carry it out; once more if other processes know more than this one."""
        self.door.check()
        known = self.experiments.fold.seq
        try:
            with self.experiments.lock:
                plan = make()
        except DuelistError:
            await self.catch_up()
            if self.experiments.fold.seq == known:  # whoever has caught up: two may fail at once
                raise
            with self.experiments.lock:
                plan = make()
        return await self.door.carry_out(plan)

    async def catch_up(self) -> None:
        """Fold what others have appended."""
        await self.door.run(self._catch_up)

    def _catch_up(self) -> None:
        self.metrics.head = self.experiments.journal.head().seq
        if self.metrics.head > self.experiments.fold.seq:
            self.experiments.catch_up()

    def verbs(self, name: str) -> Verbs:
        """The verbs of an experiment that has begun."""
        verbs = self.experiments.verbs(name)
        if verbs.state.phase == "draft":
            raise Refused(409, "conflict", f"experiment {name!r} is a draft; start it first")
        return verbs

    def verbs_to_draw(self, name: str) -> Verbs:
        """The same, unless too much is open already."""
        verbs = self.verbs(name)
        if open_of(verbs.state) >= self.settings.max_open:
            raise Refused(429, "limit", f"{self.settings.max_open} lists and duels of {name!r} are open")
        return verbs

    async def define(self, definition: Definition, by: str, warm: bool | None) -> tuple[State, bool]:
        """A new experiment or version, and whether it is new. Nobody else waits while it is compiled."""
        async with self._defining:
            await self.catch_up()
            known = self.experiments.fold.current(definition.name)
            if known is not None and known.definition == definition:
                return known, False
            if known is None and len(self.experiments.names()) >= self.settings.max_experiments:
                raise Refused(429, "limit", f"there are {self.settings.max_experiments} experiments, the most allowed")
            await self._rehearse(definition)
            plan = self.experiments.plan_definition
            state, new = await self.carry_out(lambda: plan(definition, by, warm))
        LOG.info("defined", extra={"experiment": definition.name, "version": state.version, "by": by})
        return state, new

    async def _rehearse(self, definition: Definition) -> None:
        kernels = kernels_of(definition)
        if self.settings.compile_apart and kernels not in self._rehearsed:
            await compile_apart(definition)
        await self.aside(lambda: rehearse(definition))
        self._rehearsed.add(kernels)

    # In the background.

    def _warm_up(self) -> None:
        """Whatever is compiled or loaded at first use is used now."""
        for name in self.experiments.names():
            definition = self.experiments.state(name).definition
            if kernels_of(definition) in self._rehearsed:
                continue
            try:
                rehearse(definition)
                self._rehearsed.add(kernels_of(definition))
            except DuelistError as error:  # it is there, and may do better than its rehearsal
                LOG.warning("not warm", extra={"experiment": name, "reason": str(error)})

    async def _look_after(self) -> None:
        saved, saved_at = self.experiments.fold.seq, time.monotonic()
        while True:
            await asyncio.sleep(self.settings.tick)
            try:
                await self.catch_up()
                await self.door.carry_out(self.experiments.plan_tick(machine_clock()))
                fresh = self.experiments.fold.seq - saved
                old = time.monotonic() - saved_at >= self.settings.snapshot_seconds
                if fresh and (old or fresh >= self.settings.snapshot_events):
                    saved, saved_at = self.experiments.fold.seq, time.monotonic()
                    await self.aside(self.experiments.save)
            except Exception as error:  # whatever it is, it is tried again in a second
                known = isinstance(error, CannotStore)
                LOG.warning("background", exc_info=None if known else error, extra={"reason": repr(error)})
