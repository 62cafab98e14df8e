"""Simulated visitors, who search through the service like anybody else.

A visitor searches once in each experiment for the same thing, clicks, and leaves. Who wants what depends on the seed
and the visitor's number alone; what is shown is the service's own luck.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

import numpy as np

from duelist.client import AsyncClient, Page
from duelist.core.errors import DuelistError
from duelist.demo.experiments import ARMS, DRIFTING, WEIGHTS
from duelist.demo.pace import Pace
from duelist.demo.tastes import TASTES, Task
from duelist.demo.truth import visitor
from duelist.demo.world import World
from duelist.search.engine import RANKERS


class Ledger:
    """What one experiment has shown, and what that has cost."""

    def __init__(self) -> None:
        self.lists = self.clicked = 0
        self.regret = 0.0


class Crowd:
    """All visitors. The taste may be changed at any time, and so may the pace."""

    def __init__(
        self,
        world: World,
        client: AsyncClient,
        taste: str,
        *,
        seed: int = 0,
        pace: Pace | None = None,
        at_once: int = 16,
        strict: bool = True,
    ) -> None:
        self.world, self.client, self.seed = world, client, seed
        self.pace, self.at_once = pace or Pace(), at_once
        self.strict = strict  # otherwise visits may fail: where people look they also change experiments
        self.need = world.need(taste)
        self.visitors = self.failed = self.changes = 0
        self.ledgers = {name: Ledger() for name in (ARMS, DRIFTING, WEIGHTS)}
        self.arms: dict[str, Collection[str]] = dict.fromkeys((ARMS, DRIFTING), RANKERS)  # a new version may have fewer
        self._model = visitor()

    def change_taste(self, taste: str | None = None) -> None:
        """From now on visitors look for something else; without a name, of the next taste."""
        names = list(TASTES)
        self.changes += 1
        self.need = self.world.need(taste or names[(names.index(self.need.taste) + 1) % len(names)])

    def rankings(self, experiment: str, query: str) -> dict[str, tuple[str, ...]]:
        """What the rankers that take part in an experiment have for a query."""
        found = self.world.engine.rankings(query)
        return {arm: ranking for arm, ranking in found.items() if arm in self.arms[experiment]}

    async def run(self, visitors: int, change_after: int | None = None) -> None:
        """Let visitors come, several at once, until all were there."""
        places = asyncio.Semaphore(self.at_once)
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(visitors):
                    await self.pace.turn()
                    await places.acquire()
                    if number == change_after:
                        self.change_taste()
                    group.create_task(self._come(number)).add_done_callback(lambda _: places.release())
        except* DuelistError as errors:
            raise errors.exceptions[0] from None

    async def _come(self, number: int) -> None:
        try:
            await self._visit(number)
        except DuelistError:
            if self.strict:
                raise
            self.failed += 1
        else:
            self.visitors += 1

    async def _visit(self, number: int) -> None:
        luck = np.random.default_rng([self.seed, number])
        need, user = self.need, f"visitor {number}"
        task = need.tasks[int(luck.integers(len(need.tasks)))]
        given = {"user": user, "query": task.query}
        clicks = []
        for name in (ARMS, DRIFTING):
            page = await self.client[name].interleave(self.rankings(name, task.query), **given)
            left, right = (page.arms * 2)[:2]
            self.ledgers[name].regret += need.truth.regret(left, right)
            clicks += self._clicks(name, page, task, luck)
        features = self.world.engine.features(task.query).items()
        page = await self.client[WEIGHTS].rank(features, **given)
        clicks += self._clicks(WEIGHTS, page, task, luck)
        if clicks:
            await self.client.events(clicks)

    def _clicks(self, name: str, page: Page, task: Task, luck: np.random.Generator) -> list[dict[str, Any]]:
        """What this visitor clicks on a page, as events."""
        if page.id is None:  # paused or stopped: everybody gets one list, and its clicks are nobody's
            return []
        labels = [task.label(self.world.engine.by_name[document]) for document in page.ranking]
        places = self._model.clicks(labels, luck)
        self.ledgers[name].lists += 1
        self.ledgers[name].clicked += bool(places)
        return [{"impression": page.id, "document": page.ranking[place]} for place in places]
