"""The loop around a judge: several questions open at a time, answers paid once, stopped when it is certain."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.dueling.answers import Certainty
from duelist.dueling.policy import Policy
from duelist.judging.checkpoint import Checkpoint
from duelist.judging.session import OWN, Job, Rules, Session, read_answer
from duelist.ranking import DuelLog, Leaderboard, duel_log, leaderboard

PAUSE = 1.0  # seconds before the first retry; twice as many before each further one


@dataclass(frozen=True)
class Judged:
    """What a run came to."""

    leaderboard: Leaderboard | None  # None if nothing was answered
    log: DuelLog | None  # every answer, the arms as the judge saw them
    certainty: Certainty | None
    stopped_by: str  # certain, budget, time, settled, interrupted, or the judge failed
    calls: int  # of the judge, those of an earlier run that the checkpoint kept included
    settled: int  # duels of an arm with itself, for which nobody was asked
    given_up: int  # duels whose judge failed after all retries
    error: str  # the last failure

    @property
    def best(self) -> Any:
        """The arm that is certain, or else the strongest."""
        if self.certainty is not None:
            return self.certainty.arm
        return None if self.leaderboard is None else self.leaderboard.best


def run(
    policy: Policy,
    compare: Callable[[Any, Any], Any],
    budget: int | None = None,
    until: float | str | None = 0.95,
    concurrency: int = 8,
    *,
    target: str = "condorcet",
    k: int = 1,
    sides: str = "coin",
    repeats: int = 1,
    retries: int = 2,
    pause: float = PAUSE,
    seconds: float | None = None,
    checkpoint: str | Path | None = None,
    progress: bool | None = None,
    seed: int = 0,
) -> Judged:
    """Ask `compare(left, right)` until it is certain who wins, or `budget` calls are spent.

    `compare` returns the winner, "tie", or a number from 0 (right) to 1 (left); it is called from `concurrency` threads
    and may be slow or fail. `sides`: a coin decides who is named first; "both" asks both ways; "as-drawn" leaves it to
    the policy. A duel is judged `repeats` times. `checkpoint` keeps every answer: run again with a fresh policy, and
    nothing is paid twice. `until="own"`: until the policy itself is certain, for those that ever are.

    >>> from duelist import RUCB
    >>> judged = run(RUCB(arms=["worse", "better", "good"], seed=1), min, budget=200, concurrency=1)
    >>> judged.best, judged.stopped_by, judged.calls
    ('better', 'certain', 26)
    """
    session = _session(
        policy, Rules(budget, until, target, k, sides, repeats, retries, seconds), checkpoint, seed, concurrency
    )
    pool = ThreadPoolExecutor(concurrency)
    running: dict[Any, Job] = {}
    try:
        with progress_bar("judging", budget, progress) as advance:
            while True:
                while len(running) < concurrency and (job := session.next_job()) is not None:
                    running[pool.submit(_judge, session, job, compare, pause)] = job
                if not running:
                    break
                before = session.calls
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    done.result()
                    session.close(running.pop(done))
                advance(session.calls - before, session.leader)
    except KeyboardInterrupt:
        session.stopped_by = "interrupted"
    finally:
        session.stopped_by = session.stopped_by or "an error"
        pool.shutdown(wait=True, cancel_futures=True)
        session.checkpoint.close()
    return _judged(session)


async def run_async(
    policy: Policy,
    compare: Callable[[Any, Any], Awaitable[Any]],
    budget: int | None = None,
    until: float | str | None = 0.95,
    concurrency: int = 8,
    *,
    target: str = "condorcet",
    k: int = 1,
    sides: str = "coin",
    repeats: int = 1,
    retries: int = 2,
    pause: float = PAUSE,
    seconds: float | None = None,
    checkpoint: str | Path | None = None,
    progress: bool | None = None,
    seed: int = 0,
) -> Judged:
    """`run` for a `compare` that is awaited. Cancelled, it raises: what was answered is in the policy and on disk.

    >>> from duelist import RUCB
    >>> async def judge(left, right):
    ...     return min(left, right)
    >>> asyncio.run(run_async(RUCB(arms=["worse", "better", "good"], seed=1), judge, budget=200)).best
    'better'
    """
    session = _session(
        policy, Rules(budget, until, target, k, sides, repeats, retries, seconds), checkpoint, seed, concurrency
    )
    running: dict[Any, Job] = {}
    try:
        with progress_bar("judging", budget, progress) as advance:
            while True:
                while len(running) < concurrency and (job := session.next_job()) is not None:
                    running[asyncio.create_task(_judge_async(session, job, compare, pause))] = job
                if not running:
                    break
                before = session.calls
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for each in done:
                    each.result()
                    session.close(running.pop(each))
                advance(session.calls - before, session.leader)
    finally:
        for task in running:
            task.cancel()
        session.checkpoint.close()
    return _judged(session)


def _session(policy: Policy, rules: Rules, path: Any, seed: int, concurrency: int) -> Session:
    if concurrency < 1:
        raise BadInput(f"concurrency must be at least 1, not {concurrency!r}")
    if rules.until == OWN and type(policy).own_certainty is Policy.own_certainty:
        raise BadInput(f"{policy.name} is never certain by itself: say until as a number, such as 0.95")
    known = {"policy": str(policy.spec), "arms": list(policy.arms), "told": policy.told}
    identity = {**known, "sides": rules.sides, "repeats": rules.repeats}
    return Session(policy, rules, Checkpoint(path, identity), seed)


def _judge(session: Session, job: Job, compare: Callable[[Any, Any], Any], pause: float) -> None:
    """Ask all questions of a duel that are open; what fails is asked again."""
    for place in job.open:
        for attempt in range(session.rules.retries + 1):
            if session.stopped_by == "interrupted" or not session.spend():
                return
            try:
                outcome = read_answer(compare(*job.arms(place)), *job.arms(place))
            except Exception as error:  # whatever the user's function raises
                session.missed(error)
                if attempt < session.rules.retries:
                    time.sleep(pause * 2**attempt)
            else:
                session.note(job, place, outcome)
                break
        else:
            return


async def _judge_async(session: Session, job: Job, compare: Callable[[Any, Any], Awaitable[Any]], pause: float) -> None:
    for place in job.open:
        for attempt in range(session.rules.retries + 1):
            if not session.spend():
                return
            try:
                outcome = read_answer(await compare(*job.arms(place)), *job.arms(place))
            except Exception as error:
                session.missed(error)
                if attempt < session.rules.retries:
                    await asyncio.sleep(pause * 2**attempt)
            else:
                session.note(job, place, outcome)
                break
        else:
            return


def _confidence(session: Session) -> float:
    if session.certainty is not None:
        return session.certainty.confidence
    return session.rules.until if isinstance(session.rules.until, float) else 0.95


def _judged(session: Session) -> Judged:
    log = board = None
    if session.rows:
        log = duel_log(dict(zip(("left", "right", "outcome"), zip(*session.rows, strict=True), strict=True)))
        board = leaderboard(log, kind="always-valid", confidence=_confidence(session), prior=1.0)
    return Judged(
        board,
        log,
        session.certainty,
        session.stopped_by,
        session.calls,
        session.settled,
        session.given_up,
        session.error,
    )
