"""A policy chooses pairs of arms; they duel directly, or as rankers in an interleaved list."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.dueling.policy import Duel, Policy
from duelist.live.contents import prompts_of
from duelist.live.credit import decides, method_of, outcome_of
from duelist.live.definition import Definition
from duelist.live.duels import DRAWN_COUNT, EXPIRED, REPEATED, TOLD_COUNT, Duels, duel_at
from duelist.live.events import Listed, Pair, View, body_of
from duelist.live.evidence import Witnessed
from duelist.live.impressions import LATE, SECOND, Closed
from duelist.live.impressions import REPEATED as TOLD_AGAIN
from duelist.live.questions import Questions, sure_best, sure_order, ways_out
from duelist.live.state import OUTCOME, Fetch, State, Verdicts
from duelist.storage.journal import Event

TRIES = 16  # draws of a policy until one is allowed; then the allowed arms are drawn evenly


class Arms(State):
    """Kind `arms`."""

    def __init__(self, number: int, definition: Definition, version: int, fetch: Fetch) -> None:
        super().__init__(number, definition, version, fetch)
        if not decides(method_of(definition.method)):
            raise BadInput(
                f"method: one list of {definition.method!r} does not say who won without a bias; "
                "arms need team-draft, competitive-pair, probabilistic or optimized"
            )
        self.policy: Policy = definition.agent.make(arms=definition.arms, seed=definition.seed)
        self.policy.met = Witnessed(self.evidence)
        self.duels = Duels(self.policy, round(definition.session.timeout * SECOND))
        contents, target = definition.contents, definition.target or "best"
        self.questions = Questions(len(prompts_of(contents)), target) if contents else None
        self.late = 0  # tells of duels that had expired
        self.lessons: list[tuple[Duel, float]] | None = None  # what the policy learns, where somebody wants to know

    def draw(self, luck: np.random.Generator, allowed: Collection[str] = ()) -> Pair:
        """A pair to show; of `allowed` arms only, where a request says so."""
        arms = self.definition.arms
        chosen = [place for place, arm in enumerate(arms) if not allowed or arm in allowed]
        if self.definition.floor and luck.random() < self.definition.floor * len(arms):
            return self._evenly(chosen, luck)
        for _ in range(TRIES):
            duel = self.policy.draw(luck)
            pair = Pair(arms.index(duel.left), arms.index(duel.right), duel.t, duel.left_p, duel.right_p)
            if len(chosen) == len(arms) or (pair.left in chosen and pair.right in chosen):
                return pair
        return self._evenly(chosen, luck)

    def draw_question(
        self, luck: np.random.Generator, allowed: Collection[str], user: bytes
    ) -> tuple[Pair, View] | None:
        """What to ask somebody who votes; None if nothing is left to ask them, or anybody."""
        assert self.questions is not None
        if self.answered():
            return None
        arms = self.definition.arms
        chosen = [place for place, arm in enumerate(arms) if arm in allowed]
        standing = self.evidence.wins, self.definition.stop.alpha, arms.index(self.best() or arms[0])
        found = self.questions.draw(lambda: self.draw(luck, allowed), chosen, standing, user, luck)
        return found and (found[0]._replace(t=self.policy.told + 1), found[1])

    def _evenly(self, chosen: Sequence[int], luck: np.random.Generator) -> Pair:
        left, right = (chosen[int(luck.integers(len(chosen)))] for _ in range(2))
        return Pair(left, right, self.policy.told + 1, 1 / len(chosen), 1 / len(chosen))

    def apply_duels(self, events: Sequence[Event]) -> Verdicts:
        # Where something else may happen between two duels, they are taken one by one: chunks must not matter.
        looks = self.definition.stop.rule != "hand" and self.phase == "running"
        if len(events) > 1 and (looks or self.impressions.open or self.lessons is not None):
            return {seq: how for event in events for seq, how in self.apply_duels([event]).items()}
        if self.impressions.open:
            self.impressions.advance(events[0].at)
        if self.questions is not None:
            self.questions.note(events)
        told_before = int(self.duels.numbers[TOLD_COUNT])
        repeated, missing, told = self.duels.fold(events, self.evidence.wins)
        self._seen(events[-1], len(events))
        verdicts = {events[place].seq: TOLD_AGAIN for place in repeated}
        verdicts |= {events[place].seq: LATE for place in missing}
        self.late += len(missing)
        for of, by, outcome in told:
            self.recent.append([of, by, outcome, []])
        if self.duels.numbers[TOLD_COUNT] != told_before:
            self.maybe_stop()
            if self.lessons is not None:
                of, outcome = body_of(events[0])
                duel = duel_at(self.duels.table, self.duels.find(of), self.definition.arms)
                self.lessons.append((duel._replace(id=of), outcome))
        return verdicts

    def lessons_of(self, events: Iterator[Event]) -> Iterator[tuple[Duel, float]]:
        """What the policy learns from events that were not applied yet, in that order; ids are those of the asks."""
        self.lessons = []
        for event in events:
            if event.experiment == self.number:
                self.apply([event])
            else:
                self.tick(event.at)
            yield from self.lessons
            self.lessons.clear()

    def due(self, now: int) -> bool:
        return super().due(now) or self.duels.due(now)

    def lag(self) -> float:
        return max(super().lag(), self.duels.lag)

    def tick(self, at: int) -> None:
        super().tick(at)
        self.duels.advance(at)

    def traffic(self) -> Floats:
        return super().traffic() + self.duels.shown / 2

    def lessons_learnt(self) -> int:
        return super().lessons_learnt() + int(self.duels.numbers[TOLD_COUNT])

    def learn(self, closed: Closed, body: Any) -> None:
        assert isinstance(body, Listed)
        pair = body.pair
        assert pair is not None
        if pair.left == pair.right:  # settled: nothing is compared, and the policy's time goes on
            self._teach(closed, body, 0.5)
            return
        earned = self.earn(closed, body)
        difference = float(earned[0] - earned[1]) * (1 if body.arms[0] == pair.left else -1)
        self._teach(closed, body, outcome_of(body.shown, difference, len(closed.clicks)))

    def _teach(self, closed: Closed, body: Listed, outcome: float) -> None:
        pair, arms = body.pair, self.definition.arms
        assert pair is not None
        self.recent[-1][OUTCOME] = outcome
        if body.of:  # an ask of its own, which may have been told or have expired
            row = self.duels.find(body.of)
            if row < 0 or self.duels.table.told_by[row]:
                return
            self.duels.close(row, closed.last)
        duel = Duel(arms[pair.left], arms[pair.right], *pair[2:])
        self.policy.apply(duel, outcome)
        if self.lessons is not None:
            self.lessons.append((duel._replace(id=body.of or closed.seq), outcome))

    def maybe_stop(self) -> None:
        super().maybe_stop()
        stop = self.definition.stop
        if self.phase != "running":
            return
        if (stop.rule == "certain" and self.policy.certain() is not None) or (
            stop.rule == "budget" and self.lessons_learnt() >= stop.budget
        ):
            self.end(stop.rule)

    def decided(self) -> int | None:
        if self.questions is None:
            return super().decided()
        return sure_best(self.evidence.wins, self.definition.stop.alpha)

    def ways(self, arm: int) -> Floats:
        if self.questions is None:
            return super().ways(arm)
        ways, _ = ways_out(self.evidence.wins, self.definition.stop.alpha)
        most = 0.99 if ways[arm] >= 1 else math.inf  # who is out is no winner, whoever else is
        ways[arm] = 1.0
        return np.minimum(ways, most)

    def answered(self) -> bool:
        if self.questions is None or self.questions.target == "best":
            return super().answered()
        return sure_order(self.evidence.wins, self.definition.stop.alpha) is not None

    def rename(self, old: bytes, new: bytes) -> None:
        super().rename(old, new)
        if self.questions is not None:
            self.questions.rename(old, new)

    def best(self) -> str | None:
        """The policy's; the default as long as nothing is known."""
        return str(self.policy.best()) if self.policy.told else self.definition.default

    def counts(self) -> dict[str, int]:
        """Of duels too: drawn = open + told + expired."""
        numbers = self.duels.numbers.tolist()
        duels = {
            "drawn": numbers[DRAWN_COUNT],
            "asked_open": self.duels.open,
            "told": numbers[TOLD_COUNT],
            "expired": numbers[EXPIRED],
            "told_again": numbers[REPEATED],
            "told_late": self.late,
        }
        return super().counts() | duels

    def parts(self) -> dict[str, Any]:
        # Of the pairs that met the evidence keeps account.
        left_out = ("open", "closed", "met")
        kept = {name: value for name, value in self.policy.record().items() if name not in left_out}
        asked = {"asked": self.questions.record()} if self.questions is not None else {}
        return {"policy": kept, "duels": self.duels.record(), "late": self.late, **asked}

    def restore_parts(self, record: dict[str, Any]) -> None:
        self.policy = Policy.from_json({**record["policy"], "open": {}, "closed": {}})
        self.policy.met = Witnessed(self.evidence)
        self.duels = Duels(self.policy, self.duels.timeout)
        self.duels.restore(record["duels"])
        self.late = record["late"]
        if self.questions is not None:
            self.questions.restore(record["asked"])
