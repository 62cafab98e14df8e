from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from duelist.core.errors import BadInput, CannotStore, Overloaded
from duelist.live import events
from duelist.live.experiments import Experiments
from duelist.live.requests import Plan
from duelist.live.state import Verdicts
from duelist.service.door import Door
from duelist.storage import Draft, MemoryJournal, Place


class Slow(MemoryJournal):
    """Commits when it is allowed to, and notes how large the batches are."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = threading.Event()
        self.batches: list[int] = []
        self.fails: Exception | None = None
        self.most = 10_000  # drafts at once

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        assert self.allowed.wait(10)
        if any(draft.body == b"poison" for draft in drafts):
            raise ValueError("cannot be written")
        if len(drafts) > self.most:
            raise BadInput("too much at once")
        if self.fails is not None:
            failed, self.fails = self.fails, None
            raise failed
        self.batches.append(len(drafts))
        return super().append(drafts)


def plan(size: int = 1, body: bytes = b"") -> Plan:
    return Plan([Draft(9, "told", body)] * size, lambda places, verdicts: [place.seq for place in places])


async def opened(**more: Any) -> tuple[Slow, Door]:
    journal = Slow()
    return journal, Door(Experiments(journal), **more)


def test_what_comes_during_a_commit_goes_into_the_next() -> None:
    async def check() -> None:
        journal, door = await opened()
        tasks = [asyncio.create_task(door.carry_out(plan(1 + n % 2))) for n in range(10)]
        await asyncio.sleep(0.05)
        tasks += [asyncio.create_task(door.carry_out(plan())) for _ in range(5)]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in tasks)
        journal.allowed.set()
        numbers = await asyncio.gather(*tasks)
        assert journal.batches == [15, 5]
        assert [number for each in numbers for number in each] == list(range(1, 21))
        assert door.waiting == 0
        await door.close()

    asyncio.run(check())


def test_too_many_are_refused_at_once_and_nothing_is_lost() -> None:
    async def check() -> None:
        journal, door = await opened(limit=10)
        tasks = [asyncio.create_task(door.carry_out(plan())) for _ in range(30)]
        await asyncio.sleep(0.05)
        refused = [task for task in tasks if task.done() and isinstance(task.exception(), Overloaded)]
        assert len(refused) == 20
        journal.allowed.set()
        kept = [await task for task in tasks if task not in refused]
        assert kept == [[n] for n in range(1, 11)]
        assert await door.carry_out(plan()) == [11]
        await door.close()
        with pytest.raises(CannotStore, match="closing"):
            await door.carry_out(plan())

    asyncio.run(check())


def test_errors_reach_those_who_waited_and_nobody_else() -> None:
    async def check() -> None:
        journal, door = await opened()
        journal.allowed.set()
        journal.fails = CannotStore("the disk is full")
        first = await asyncio.gather(*(door.carry_out(plan()) for _ in range(3)), return_exceptions=True)
        assert [str(error) for error in first] == ["the disk is full"] * 3
        mixed = [door.carry_out(each) for each in (plan(), plan(body=b"poison"), plan(2))]
        good, bad, also = await asyncio.gather(*mixed, return_exceptions=True)
        assert (good, also) == ([1], [2, 3])
        assert isinstance(bad, ValueError)

        def broken(places: list[Place], verdicts: Verdicts) -> Any:
            raise CannotStore("mine")

        both = [door.carry_out(each) for each in (Plan([Draft(9, "told")], broken), plan())]
        found: list[Any] = await asyncio.gather(*both, return_exceptions=True)
        assert str(found[0]) == "mine"
        assert found[1] == [5]
        await door.close()

    asyncio.run(check())


def test_what_a_journal_does_not_take_at_once_goes_in_parts() -> None:
    async def check() -> None:
        journal, door = await opened()
        journal.most = 4
        tasks = [asyncio.create_task(door.carry_out(plan())) for _ in range(16)]
        await asyncio.sleep(0.05)
        journal.allowed.set()
        assert [number for task in tasks for number in await task] == list(range(1, 17))
        assert journal.batches == [4] * 4
        with pytest.raises(BadInput, match="too much at once"):
            await door.carry_out(plan(size=5))  # what belongs together is not parted
        await door.close()

    asyncio.run(check())


def test_a_fold_that_fails_is_done_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        journal, door = await opened()
        journal.allowed.set()
        experiments = door.experiments
        state, _ = await door.carry_out(experiments.plan_definition({"name": "a", "kind": "pair", "arms": ["x", "y"]}))
        apply = experiments.fold.apply

        def half(given: Any) -> Any:
            apply(given)
            experiments.fold.seq -= 1  # as if it had stopped in the middle
            raise OSError("a bad sector")

        monkeypatch.setattr(experiments.fold, "apply", half)
        with pytest.raises(OSError, match="sector"):
            await door.carry_out(experiments.plan_step("a", "start"))
        click = Plan([events.draft(state.number, events.CLICKED, events.Clicked(1))], lambda places, verdicts: verdicts)
        assert await door.carry_out(click) == {3: "unknown"}
        assert (experiments.state("a").phase, experiments.state("a").events, experiments.fold.seq) == ("running", 2, 3)
        await door.close()

    asyncio.run(check())


def test_who_has_gone_disturbs_nobody() -> None:
    async def check() -> None:
        journal, door = await opened()
        task, other = (asyncio.create_task(door.carry_out(plan())) for _ in range(2))
        await asyncio.sleep(0.02)
        task.cancel()
        journal.allowed.set()
        assert await other == [2]
        await door.close()

    asyncio.run(check())


class Disk(MemoryJournal):
    """Takes its time."""

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        time.sleep(0.005)
        return super().append(drafts)


def test_those_who_come_back_at_once_share_a_commit_and_one_alone_never_waits() -> None:
    async def client(door: Door, rounds: int, timers: list[object]) -> None:
        for _ in range(rounds):
            task = asyncio.create_task(door.carry_out(plan()))
            await asyncio.sleep(0)
            timers.append(door._timer)
            await task

    async def check() -> None:
        door = Door(Experiments(Disk()))
        alone: list[object] = []
        await client(door, 5, alone)
        assert (alone, door.commits) == ([None] * 5, 5)
        late = [asyncio.create_task(client(door, 20, [])) for _ in range(4)]
        await asyncio.sleep(0.002)  # two groups, which would go on taking turns
        late += [asyncio.create_task(client(door, 20, [])) for _ in range(4)]
        await asyncio.gather(*late)
        assert door.commits - 5 < 30
        await door.close()

    asyncio.run(check())
