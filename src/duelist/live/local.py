"""Experiments without a service: the same verbs, for threads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

import numpy as np

from duelist.live.definition import Definition
from duelist.live.experiments import Experiments
from duelist.live.requests import Asked, Page, Plan, Question, Told
from duelist.live.state import Verdicts
from duelist.storage.group import Group
from duelist.storage.journal import Draft, Journal, Place, machine_clock, open_journal


class LocalExperiments(Experiments):
    """Experiments of a journal that this process opened; `experiments["search"]` is one of them."""

    def __init__(self, journal: Journal, luck: np.random.Generator | None = None) -> None:
        super().__init__(journal, luck)
        self._results: dict[int, str] = {}
        self.group = Group(journal, then=self._then)

    def define(self, definition: Mapping[str, Any] | Definition, by: str = "") -> Experiment:
        """An experiment by its definition; the same definition again is the same experiment."""
        state, _ = self.carry_out(self.plan_definition(definition, by))
        return Experiment(self, state.definition.name)

    def __getitem__(self, name: str) -> Experiment:
        self.state(name)
        return Experiment(self, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: Any) -> None:
        self.close()

    def close(self) -> None:
        """Write a snapshot and let the journal go."""
        self.group.close()
        self.save()
        self.journal.close()

    def tick(self) -> bool:
        """Close what is due, where nobody comes: call it now and then."""
        return bool(self.carry_out(self.plan_tick(machine_clock())))

    def carry_out(self, plan: Plan) -> Any:
        """Append a plan's events, wait until they are safe and folded, and answer."""
        if not plan.drafts:
            return plan.answer([], {})
        places = self.group.append(plan.drafts)
        verdicts: Verdicts = {p.seq: self._results.pop(p.seq) for p in places if p.seq in self._results}
        with self.lock:
            return plan.answer(places, verdicts)

    def _then(self, drafts: list[Draft], places: list[Place]) -> None:
        """Before those who wait go on: what they have written is folded, and they learn what became of it."""
        mine = {place.seq for place in places}
        self._results |= {seq: how for seq, how in self.absorb(drafts, places).items() if seq in mine}


class Experiment:
    """One experiment by its name; whichever version is the last."""

    def __init__(self, experiments: LocalExperiments, name: str) -> None:
        self.experiments, self.name = experiments, name

    def start(self, by: str = "") -> None:
        """Let people in."""
        self._step("start", by)

    def pause(self, by: str = "") -> None:
        """Show the default to everybody, for a while."""
        self._step("pause", by)

    def stop(self, by: str = "") -> None:
        """End it; from now on everybody gets the winner."""
        self._step("stop", by)

    def new_version(self, definition: Mapping[str, Any], warm: bool = True, by: str = "") -> None:
        """Change it: arms may come and go. `warm`: what was learnt of the others is kept."""
        plan = self.experiments.plan_definition({**definition, "name": self.name}, by, warm)
        self.experiments.carry_out(plan)

    def ask(self, user: str | None = None, key: str | None = None, allowed: Collection[str] | None = None) -> Asked:
        """Two arms to show."""
        return self._do("ask", user, key, allowed)  # type: ignore[no-any-return]

    def question(self, user: str | None = None, key: str | None = None) -> Question:
        """Two arms to show to somebody who votes, where arms have contents."""
        return self._do("question", user, key)  # type: ignore[no-any-return]

    def tell(self, id: str | None, winner: str | None = None, outcome: float | None = None) -> Told:
        """How a duel ended."""
        return self._do("tell", id, winner, outcome)  # type: ignore[no-any-return]

    def interleave(self, rankings: Mapping[str, Sequence[Any]], **given: Any) -> Page:
        """A page of several rankers' documents: user, query, of (an ask, or an earlier page), length, page, key."""
        return self._do("interleave", rankings, **given)  # type: ignore[no-any-return]

    def rank(self, documents: Sequence[tuple[Any, Sequence[float]]], **given: Any) -> Page:
        """A page of documents, each (id, features), by a learner: user, query, length, key."""
        return self._do("rank", documents, **given)  # type: ignore[no-any-return]

    def click(self, id: str | None, document: Any = None, position: int | None = None, **given: Any) -> str:
        """What became of a click, or of another action with a value: accepted, repeated, late or unknown."""
        return self._do("click", id, document, position, **given)  # type: ignore[no-any-return]

    def status(self) -> dict[str, Any]:
        """What is known, as plain values; what other processes have appended included."""
        self.experiments.catch_up()
        return self.experiments.status(self.name)

    def _step(self, step: str, by: str) -> None:
        self.experiments.carry_out(self.experiments.plan_step(self.name, step, by))

    def _do(self, verb: str, *args: Any, **given: Any) -> Any:
        with self.experiments.lock:
            plan: Plan = getattr(self.experiments.verbs(self.name), verb)(*args, **given)
        return self.experiments.carry_out(plan)


def open_experiments(url: str) -> LocalExperiments:
    """The experiments of the journal at an address: sqlite:///..., postgresql://..., nats://..., memory://."""
    return LocalExperiments(open_journal(url))
