"""What is asked next, what was answered, and when to stop: all that a loop around a judge decides, without the loop."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.dueling.answers import Certainty
from duelist.dueling.batch import spread
from duelist.dueling.policy import Duel, Policy
from duelist.evidence.winners import open_pairs
from duelist.judging.checkpoint import Checkpoint
from duelist.ranking.log import TIES

GIVEN_UP = 10  # duels in a row that could not be judged, after which the judge is taken to be broken
OWN = "own"  # until the policy itself is certain
SIDES = ("coin", "both", "as-drawn")


@dataclass(frozen=True)
class Rules:
    """What the user wants."""

    budget: int | None  # calls of the judge
    until: float | str | None  # certainty: so much of it, or that of the policy itself
    target: str
    k: int
    sides: str
    repeats: int
    retries: int
    seconds: float | None

    def __post_init__(self) -> None:
        if self.sides not in SIDES:
            raise BadInput(f"sides must be one of {', '.join(SIDES)}, not {self.sides!r}")
        for name, least in (("repeats", 1), ("retries", 0)):
            if getattr(self, name) < least:
                raise BadInput(f"{name} must be at least {least}, not {getattr(self, name)!r}")
        if isinstance(self.until, str) and self.until != OWN:
            raise BadInput(f"until must be a number between 0 and 1, {OWN!r} or None, not {self.until!r}")
        if self.budget is None and self.until is None and self.seconds is None:
            raise BadInput("say when to stop: budget (calls), until (certainty) or seconds")


@dataclass
class Job:
    """A duel that is judged: each of `swapped` is one question, the right arm first where it says so."""

    number: int
    duel: Duel
    own: bool  # whether the policy drew it
    swapped: tuple[bool, ...]
    answers: dict[int, float] = field(default_factory=dict)  # for the first arm named, by the place in `swapped`

    @property
    def open(self) -> list[int]:
        """The questions that nobody has answered."""
        return [place for place in range(len(self.swapped)) if place not in self.answers]

    def arms(self, place: int) -> tuple[Any, Any]:
        """In the order in which the judge sees them."""
        pair = (self.duel.left, self.duel.right)
        return pair[::-1] if self.swapped[place] else pair

    @property
    def outcome(self) -> float:
        """The mean over its questions, for the left arm."""
        told = [1 - self.answers[i] if swapped else self.answers[i] for i, swapped in enumerate(self.swapped)]
        return float(np.mean(told))


class Session:
    """One run. Its methods may be called from several threads."""

    def __init__(self, policy: Policy, rules: Rules, checkpoint: Checkpoint, seed: int) -> None:
        self.policy, self.rules, self.checkpoint = policy, rules, checkpoint
        self.luck = np.random.default_rng(seed)
        self.lock = threading.RLock()
        self.began = time.monotonic()
        self.calls = self.pending = 0  # all calls, and those of them that are not over
        self.settled = self.given_up = self.failures = self.begun = 0
        self.rows: list[tuple[Any, Any, float]] = []  # as the judge saw them
        self.waiting: list[Job] = []  # begun by an earlier run, and not finished
        self.flying: dict[int, Job] = {}
        self.stopped_by, self.error = "", ""
        self.certainty: Certainty | None = None
        self._resume()

    def next_job(self) -> Job | None:
        """The next duel to judge; None if none is to be begun now."""
        with self.lock:
            if self._stop():
                return None
            if self.waiting:
                job = self.waiting.pop(0)
            else:
                drawn = self._draw()
                if drawn is None:
                    self.stopped_by = "" if self.flying else "settled"
                    return None
                job = self._begin(*drawn)
            self.flying[job.number] = job
            return job

    def leader(self) -> str:
        """Who is ahead, and how far it is to certainty, in a few words."""
        with self.lock:
            ahead, until = self.policy.best(), self.rules.until
            if until is None or isinstance(until, str):
                return f"{ahead} leads"
            needed = self.policy.duels_needed(until, self.rules.target, self.rules.k)
        left = "certain" if not needed else f"about {needed:,.0f} more" if math.isfinite(needed) else "far from certain"
        return f"{ahead} leads, {left}"

    def spend(self) -> bool:
        """Whether one more call may be made; it is counted."""
        with self.lock:
            if self.rules.budget is not None and self.calls >= self.rules.budget:
                return False
            self.calls += 1
            self.pending += 1
            return True

    def note(self, job: Job, place: int, outcome: float) -> None:
        """An answer came, for the first arm named; it is on disk before anything is learnt from it."""
        with self.lock:
            self.pending -= 1
            self.checkpoint.append({"of": job.number, "place": place, "outcome": outcome})
            self._take(job, place, outcome)

    def missed(self, error: Exception) -> None:
        """A call failed."""
        with self.lock:
            self.pending -= 1
            self.error = f"{type(error).__name__}: {error}"

    def close(self, job: Job) -> None:
        """A duel is judged, or was given up."""
        with self.lock:
            del self.flying[job.number]
            if not job.open:
                self.failures = 0
                self.checkpoint.append({"told": job.number})  # in this order it is learnt again
                self._teach(job)
            elif self.rules.budget is None or self.calls < self.rules.budget:
                self.given_up += 1
                self.failures += 1
                self.checkpoint.append({"given_up": job.number})
                if self.failures >= GIVEN_UP:
                    self.stopped_by = "the judge failed"

    def _stop(self) -> bool:
        rules = self.rules
        if not self.stopped_by:
            if self.certainty is not None:
                self.stopped_by = "certain"
            elif rules.seconds is not None and time.monotonic() - self.began >= rules.seconds:
                self.stopped_by = "time"
            elif rules.budget is not None:
                promised = sum(len(job.open) for job in self.flying.values())
                questions = rules.repeats * (2 if rules.sides == "both" else 1)
                if self.calls - self.pending + promised + questions > rules.budget:
                    self.stopped_by = "budget"
        return bool(self.stopped_by)

    def _draw(self) -> tuple[Duel, bool] | None:
        """A pair that nobody judges at the moment, if there is one; by the policy, or one that is still open."""
        flying: set[frozenset[object]] = {frozenset((job.duel.left, job.duel.right)) for job in self.flying.values()}
        drawn, again = spread(self.policy, self.luck, self._settle, flying)
        if drawn is not None:
            return drawn, True
        if isinstance(self.rules.until, float):
            pairs = self._open_pairs()
            fresh = [pair for pair in pairs if frozenset(pair) not in flying]
            if fresh or (pairs and again is None):
                return Duel(*(fresh or pairs)[0], self.policy.told + 1), False
        return None if again is None else (again, True)

    def _settle(self, duel: Duel) -> None:
        """An arm against itself: nobody is asked, and the policy's time goes on."""
        self.policy.apply(duel, 0.5)
        self.settled += 1

    def _open_pairs(self) -> list[tuple[Any, Any]]:
        rules, policy = self.rules, self.policy
        assert isinstance(rules.until, float)
        found = open_pairs(policy.met.table(policy.n_arms), rules.until, rules.target, rules.k)
        return [(policy.arms[one], policy.arms[other]) for one, other in found]

    def _begin(self, duel: Duel, own: bool) -> Job:
        times = self.rules.repeats
        if self.rules.sides == "both":
            swapped: Sequence[bool] = (False, True) * times
        else:
            swapped = [self.rules.sides == "coin" and bool(self.luck.random() < 0.5) for _ in range(times)]
        self.begun += 1
        job = Job(self.begun, duel, own, tuple(swapped))
        self.checkpoint.append({"duel": job.number, "pair": list(duel[:5]), "own": own, "swapped": job.swapped})
        return job

    def _take(self, job: Job, place: int, outcome: float) -> None:
        job.answers[place] = outcome
        self.rows.append((*job.arms(place), outcome))

    def _teach(self, job: Job) -> None:
        policy, duel = self.policy, job.duel
        if job.own or policy.lessons() != "drawn":
            policy.apply(duel, job.outcome)
        else:
            policy.met.add(policy.numbers[duel.left], policy.numbers[duel.right], job.outcome)
        # Certain once is certain: the promise covers every look, and answers still on their way do not undo it.
        if self.rules.until is not None and self.certainty is None:
            asked = None if isinstance(self.rules.until, str) else self.rules.until
            self.certainty = policy.certain(asked, self.rules.target, self.rules.k)

    def _resume(self) -> None:
        """Take over what an earlier run paid for."""
        jobs: dict[int, Job] = {}
        for line in self.checkpoint.lines:
            if "duel" in line:
                job = Job(line["duel"], Duel(*line["pair"]), line["own"], tuple(line["swapped"]))
                jobs[job.number] = job
                self.begun = max(self.begun, job.number)
            elif "given_up" in line:
                jobs.pop(line["given_up"], None)
            elif "told" in line:
                self._teach(jobs.pop(line["told"]))
            else:
                self._take(jobs[line["of"]], line["place"], line["outcome"])
                self.calls += 1
        self.waiting = list(jobs.values())


def read_answer(answer: Any, first: Any, second: Any) -> float:
    """What a judge said as an outcome for the first arm: a winner, a tie, or a number from 0 to 1.

    >>> [read_answer(said, "a", "b") for said in ("a", "b", "tie", 0.8, True)]
    [1.0, 0.0, 0.5, 0.8, 1.0]
    """
    if not isinstance(answer, float | bool):
        if answer == first:
            return 1.0
        if answer == second:
            return 0.0
        if isinstance(answer, str) and answer.strip().lower() in TIES:
            return 0.5
    if isinstance(answer, int | float | np.number) and 0 <= answer <= 1:
        return float(answer)
    raise BadInput(
        f"a judge answers with {first!r}, {second!r}, 'tie' or a number from 0 ({second!r} wins) to 1, not {answer!r}"
    )
