"""A judge that costs something: nothing paid twice, nothing asked for nothing, stopped as told."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from concurrent import futures
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist import RUCB, DoubleThompson, RuleOut, SelfSparring, Uniform
from duelist.core.errors import BadInput
from duelist.core.spec import Spec
from duelist.judging import loop, run, run_async

ARMS = ["p0", "p1", "p2", "p3", "p4"]


class Judge:
    """Prefers the lower number in nine of ten, the first one named a little more; counts, and fails if told to.

    It fails every `fail`-th question, never a question twice unless it fails them all.
    """

    def __init__(self, fail: int = 0, slow: float = 0.0, left: float = 0.0) -> None:
        self.fail, self.slow, self.left = fail, slow, left
        self.asked: list[tuple[str, str]] = []
        self.failed: set[int] = set()  # threads whose last question failed; a retry comes from the same thread
        self.at_once = self.most = 0
        self.lock, self.luck = threading.Lock(), np.random.default_rng(1)

    def __call__(self, first: str, second: str) -> Any:
        with self.lock:
            self.asked.append((first, second))
            number, luck = len(self.asked), self.luck.random()
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        time.sleep(self.slow)
        with self.lock:
            self.at_once -= 1
        here = threading.get_ident()
        if self.fail == 1 or (self.fail and number % self.fail == 0 and here not in self.failed):
            self.failed.add(here)
            raise ConnectionError("the judge hung up")
        self.failed.discard(here)
        return first if luck < (0.9 if first < second else 0.1) + self.left else second


def test_it_stops_when_it_is_certain_and_ranks_what_was_judged() -> None:
    judge = Judge()
    judged = run(RUCB(arms=ARMS, seed=1), judge, budget=2000)
    assert (judged.best, judged.stopped_by) == ("p0", "certain")
    assert judged.certainty is not None
    assert judged.calls == len(judge.asked) < 600
    assert judged.leaderboard is not None
    assert judged.leaderboard.best == "p0"
    assert judged.leaderboard.duels == judged.calls
    assert not any(first == second for first, second in judge.asked)


@pytest.mark.parametrize("name", ["d-ts", "self-sparring", "rex3", "auto", "savage:horizon=5000", "if2:horizon=5000"])
def test_every_policy_gets_there_and_asks_nobody_about_one_arm(name: str) -> None:
    """In turn, so that the order is the same every time: of 60 orders self-sparring settles too soon in 2."""
    judge, turn = Judge(), asyncio.Lock()

    async def ask(first: str, second: str) -> Any:
        async with turn:
            for _ in range(5):  # until whoever was before is done with
                await asyncio.sleep(0)
            return judge(first, second)

    policy = Spec.read("policy", name).make(arms=ARMS, seed=1)
    judged = asyncio.run(run_async(policy, ask, budget=3000, concurrency=4))
    assert (judged.best, judged.stopped_by) == ("p0", "certain")
    assert not any(first == second for first, second in judge.asked)
    if name in ("d-ts", "self-sparring"):
        assert judged.settled > 0


def test_a_batch_is_spread_over_pairs() -> None:
    """Even those that would ask for the same pair eight times."""
    judge = Judge(slow=0.01)
    run(Spec.read("policy", "savage:horizon=1000").make(arms=ARMS, seed=1), judge, budget=8)
    assert len({frozenset(pair) for pair in judge.asked}) >= 4
    assert judge.most >= 4


def test_budget_time_and_settled_stop_it() -> None:
    judge = Judge()
    judged = run(Uniform(arms=ARMS, seed=1), judge, budget=21, sides="both")
    assert (judged.stopped_by, judged.calls) == ("budget", 20)
    assert run(Uniform(arms=ARMS, seed=1), Judge(slow=0.01), until=None, seconds=0.2).stopped_by == "time"
    settled = run(SelfSparring(arms=["a", "b"], seed=1), min, budget=500, until=None, concurrency=1)
    assert settled.stopped_by == "settled"
    assert settled.calls < 100
    with pytest.raises(BadInput, match="say when to stop"):
        run(Uniform(arms=ARMS), judge, until=None)


def test_failures_are_asked_again_and_a_broken_judge_ends_it() -> None:
    judged = run(RUCB(arms=ARMS, seed=1), Judge(fail=7), budget=2000, pause=0)
    assert (judged.best, judged.given_up) == ("p0", 0)
    assert "the judge hung up" in judged.error
    broken = run(RUCB(arms=ARMS, seed=1), Judge(fail=1), budget=2000, pause=0, concurrency=2)
    assert broken.stopped_by == "the judge failed"
    assert (broken.leaderboard, broken.best) == (None, None)
    assert broken.calls <= 3 * 12
    wrong = run(RUCB(arms=ARMS, seed=1), lambda first, second: "neither of them", budget=50, pause=0)
    assert "a judge answers with" in wrong.error


@pytest.mark.parametrize("budget", [60, None])
@pytest.mark.parametrize("awaited", [False, True])
def test_the_bar_says_who_leads_and_how_far_it_is(
    capsys: pytest.CaptureFixture[str], awaited: bool, budget: int | None
) -> None:
    judge, policy = Judge(), RUCB(arms=ARMS, seed=1)

    async def ask(first: str, second: str) -> Any:
        return judge(first, second)

    if awaited:
        asyncio.run(run_async(policy, ask, budget, concurrency=1, progress=True))
    else:
        run(policy, judge, budget, concurrency=1, progress=True)
    said = capsys.readouterr().err
    assert " leads, " in said
    assert any(words in said for words in ("more", "far from certain"))


def test_a_judge_who_likes_the_first_is_balanced_by_sides() -> None:
    for sides in ("coin", "both"):
        judged = run(DoubleThompson(arms=ARMS, seed=1), Judge(left=0.08), budget=3000, sides=sides)
        assert judged.best == "p0"
    judge = Judge()
    run(Uniform(arms=ARMS, seed=1), judge, budget=200, until=None)
    asked = Counter(pair[0] < pair[1] for pair in judge.asked)
    assert 70 < asked[True] < 130


def test_repeated_judgements_are_one_duel() -> None:
    policy = Uniform(arms=ARMS, seed=1)
    judged = run(policy, Judge(), budget=60, until=None, repeats=3, sides="both")
    assert (judged.calls, policy.told) == (60, 10)


def test_after_a_crash_nothing_is_paid_twice(tmp_path: Path) -> None:
    file = tmp_path / "paid.jsonl"
    first = Judge()
    early = run(RUCB(arms=ARMS, seed=1), first, budget=40, checkpoint=file, sides="both", concurrency=3)
    lines = file.read_text().splitlines()
    assert sum("outcome" in line for line in lines) == early.calls == 40
    last = max(place for place, line in enumerate(lines) if "outcome" in line)
    file.write_text("\n".join(lines[:last]) + "\n" + lines[last][:5])  # the last answer was cut off
    second = Judge()
    policy = RUCB(arms=ARMS, seed=1)
    late = run(policy, second, budget=2000, checkpoint=file, sides="both")
    assert late.best == "p0"
    assert late.calls == 39 + len(second.asked)
    answers = [json.loads(line) for line in file.read_text().splitlines() if "outcome" in line]
    assert len({(line["of"], line["place"]) for line in answers}) == len(answers) == late.calls
    again = run(RUCB(arms=ARMS, seed=1), never, budget=2000, checkpoint=file, sides="both")
    assert (again.calls, again.best, again.stopped_by) == (late.calls, "p0", "certain")


def never(first: str, second: str) -> Any:
    raise AssertionError("nobody is to be asked")


def test_a_checkpoint_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    file = tmp_path / "paid.jsonl"
    run(Uniform(arms=ARMS, seed=1), Judge(), budget=10, until=None, checkpoint=file)
    with pytest.raises(BadInput, match="is of another run: its policy is 'uniform', not 'rucb"):
        run(RUCB(arms=ARMS, seed=1), Judge(), budget=10, checkpoint=file)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:3], "{oops", *lines[4:]]) + "\n")
    with pytest.raises(BadInput, match="line 4 is no line of a checkpoint"):
        run(Uniform(arms=ARMS, seed=1), Judge(), budget=10, checkpoint=file)


def test_interrupted_it_returns_what_was_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, count = futures.wait, [0]

    def interrupting(*args: Any, **more: Any) -> Any:
        count[0] += 1
        if count[0] == 5:
            raise KeyboardInterrupt
        return whole(*args, **more)

    monkeypatch.setattr(loop, "wait", interrupting)
    judge = Judge(slow=0.01)
    judged = run(Uniform(arms=ARMS, seed=1), judge, budget=500, checkpoint=tmp_path / "paid.jsonl", concurrency=3)
    assert judged.stopped_by == "interrupted"
    lines = (tmp_path / "paid.jsonl").read_text().splitlines()
    assert sum("outcome" in line for line in lines) == len(judge.asked) == judged.calls


def test_awaited_judges() -> None:
    judge, open_now, most = Judge(fail=9), 0, 0

    async def ask(first: str, second: str) -> Any:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await asyncio.sleep(0.001)
        open_now -= 1
        return judge(first, second)

    judged = asyncio.run(run_async(RUCB(arms=ARMS, seed=1), ask, budget=2000, concurrency=5, pause=0))
    assert (judged.best, judged.stopped_by, most) == ("p0", "certain", 5)


def test_a_policy_that_is_certain_by_itself_ends_the_run() -> None:
    judged = run(RuleOut(arms=["a", "b", "c"], seed=1), min, until="own", concurrency=1)
    assert (judged.best, judged.stopped_by) == ("a", "certain")
    assert judged.certainty is not None
    assert judged.certainty.confidence == 0.95
    assert judged.calls < run(RuleOut(arms=["a", "b", "c"], seed=1), min, until=0.95, concurrency=1).calls
    with pytest.raises(BadInput, match="uniform is never certain by itself"):
        run(Uniform(arms=ARMS), min, until="own")
    with pytest.raises(BadInput, match="until must be a number between 0 and 1, 'own' or None, not 'mine'"):
        run(Uniform(arms=ARMS), min, until="mine")
