"""What people do with an experiment, each as a plan: events to append, and the answer once they are safe.

A plan is made without waiting for anything, so the same verbs serve threads and event loops.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.live import events
from duelist.live.events import Clicked, Listed, Pair, Ranked, View, body_of, id_of, view_of
from duelist.live.kinds.weights import Weights
from duelist.live.pages import Wanted, plan_page
from duelist.live.requests import Asked, Page, Plan, Question, Requests, Told, check_documents, now
from duelist.live.state import Verdicts
from duelist.storage.journal import Event, Place

LARGEST = 1e15  # of a value


class Verbs(Requests):
    """The verbs of one experiment."""

    def ask(self, user: str | None = None, key: str | None = None, allowed: Collection[str] | None = None) -> Plan:
        """A pair of arms to show."""
        state = self.arms()
        if state.questions is not None:
            plan = self.question(user, key, allowed)
            return Plan(plan.drafts, lambda places, verdicts: Asked(*plan.answer(places, verdicts)[:3]))
        chosen = self.check_allowed(allowed)
        fixed = self.fixed(user)
        if fixed is not None:
            return now(Asked(None, fixed, fixed))
        pair = state.draw(self.luck, chosen)
        draft = events.drawn(state.number, pair, self.hashed(user), self.key(key))

        def answer(places: list[Place], verdicts: Verdicts) -> Asked:
            known: Pair = self.repeated(places[0], events.DRAWN) or pair
            left, right = (self.definition.arms[arm] for arm in known[:2])
            if self.definition.shadow:
                left = right = self.definition.default
            return Asked(id_of(state.number, places[0].seq), left, right)

        return Plan([draft], answer)

    def question(self, user: str | None = None, key: str | None = None, allowed: Collection[str] | None = None) -> Plan:
        """Two arms for somebody who votes: each side by a coin, and nothing that this user was asked before."""
        state, whose, key = self.arms(), self.hashed(user), self.key(key)
        if state.questions is None:
            raise BadInput(f"experiment {self.definition.name!r} has no contents to vote on")
        chosen = self.check_allowed(allowed)
        fixed = self.fixed(user)
        if fixed is not None:
            return now(Question(None, fixed, fixed))
        drawn = state.draw_question(self.luck, chosen, whose)
        if drawn is None:  # nothing is left, but what was asked by this key may still be open
            known = self.find(state.number, key) if key else None
            best = state.best() or ""
            return now(Question(None, best, best) if known is None else self._shown(known.seq, *_drawn(known)))

        def answer(places: list[Place], verdicts: Verdicts) -> Question:
            seq = places[0].seq
            known = self.repeated(places[0], events.DRAWN) and self.fetch(seq)
            return self._shown(seq, *(_drawn(known) if known else drawn))

        return Plan([events.drawn(state.number, drawn[0], whose, key, drawn[1])], answer)

    def _shown(self, seq: int, pair: Pair, view: View) -> Question:
        left, right = (self.definition.arms[arm] for arm in pair[:2])
        sides = (right, left) if view.swapped else (left, right)
        return Question(id_of(self.state.number, seq), *sides, view.prompt)

    def tell(self, id: str | None, winner: str | None = None, outcome: float | None = None) -> Plan:
        """How a duel ended: who won, or an outcome from 0 (right wins) to 1 (left wins)."""
        if id is None:  # as ask answered: there is nothing to learn
            return now(Told(None, False))
        seq = self.place(id)
        pair, view = self._drawn(seq, id)
        value = self._outcome(pair, winner, outcome)
        if view.swapped and outcome is not None:
            value = 1 - value

        def answer(places: list[Place], verdicts: Verdicts) -> Told:
            verdict = verdicts.get(places[0].seq)
            return Told(id, verdict in (None, "repeated"), verdict == "repeated")

        return Plan([events.told(self.state.number, seq, value)], answer)

    def _drawn(self, seq: int, id: str) -> tuple[Pair, View]:
        """The pair of an ask, and how it was shown."""
        duels = self.arms().duels
        row = duels.find(seq) if self.arms().questions is None else -1
        if row >= 0:
            table = duels.table
            return Pair(int(table.left[row]), int(table.right[row]), 0, 1.0, 1.0), View()
        event = self.fetch(seq)
        if event is None or event.kind != events.DRAWN or event.experiment != self.state.number:
            raise UnknownName(f"there is no ask {id!r} in experiment {self.definition.name!r}")
        return _drawn(event)

    def _outcome(self, pair: Pair, winner: str | None, outcome: float | None) -> float:
        if (winner is None) == (outcome is None):
            raise BadInput("tell needs either winner or outcome")
        if outcome is not None:
            if isinstance(outcome, bool) or not isinstance(outcome, int | float) or not 0 <= outcome <= 1:
                raise BadInput(f"outcome must be from 0 (right wins) to 1 (left wins), not {outcome!r}")
            return float(outcome)
        left, right = self.definition.arms[pair.left], self.definition.arms[pair.right]
        if winner not in (left, right):
            raise BadInput(f"winner must be {left!r} or {right!r}, not {winner!r}")
        return 0.5 if left == right else float(winner == left)

    def interleave(
        self,
        rankings: Mapping[str, Sequence[Any]],
        user: str | None = None,
        query: str = "",
        of: str | None = None,
        length: int | None = None,
        page: int = 1,
        key: str | None = None,
    ) -> Plan:
        """A list of several rankers' documents, or its next page."""
        name, kind = self.definition.name, self.definition.kind
        if kind == "weights":
            raise BadInput(f"experiment {name!r} is of kind {kind!r}: it ranks, and interleaves nothing")
        if isinstance(page, bool) or not isinstance(page, int) or page < 1:
            raise BadInput(f"page must be a whole number of at least 1, not {page!r}")
        checked = {arm: check_documents(arm, ranking) for arm, ranking in rankings.items()}
        allowed = self.check_allowed(checked)
        wanted = Wanted(checked, allowed, user, query, of, self.length(length), page, self.key(key))
        return plan_page(self, wanted)

    def rank(
        self,
        documents: Sequence[tuple[Any, Sequence[float]]],
        user: str | None = None,
        query: str = "",
        length: int | None = None,
        key: str | None = None,
    ) -> Plan:
        """A list of documents, given as (id, features), by a learner."""
        state = self.state
        if not isinstance(state, Weights):
            raise BadInput(f"experiment {self.definition.name!r} is of kind {self.definition.kind!r}: it ranks nothing")
        ids = check_documents("documents", [document for document, _ in documents])
        features = state.check_features([each for _, each in documents])
        size = self.length(length)
        if self.fixed(user) is not None:
            order = np.argsort(-state.learner.score(features), kind="stable")
            return now(Page(None, tuple(ids[place] for place in order[:size]), 1, ()))
        body = state.draw(ids, features, query, size, self.luck)
        draft = events.draft(state.number, events.RANKED, body, self.hashed(user), self.key(key))

        def answer(places: list[Place], verdicts: Verdicts) -> Page:
            ranked: Ranked = self.repeated(places[0], events.RANKED) or body
            return Page(id_of(state.number, places[0].seq), ranked.documents, 1, ())

        return Plan([draft], answer)

    def click(
        self,
        id: str | None,
        document: Any = None,
        position: int | None = None,
        action: str = "click",
        value: float = 1.0,
        at: int = 0,
    ) -> Plan:
        """Somebody clicked, bought, ... a document of a page: accepted, repeated, late or unknown."""
        if id is None:  # a list of one ranker, for everybody: its clicks are nobody's
            return now("unknown")
        if (document is None) == (position is None):
            raise BadInput("a click needs either document or position")
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
            raise BadInput(f"value must be a number below {LARGEST:g}, not {value!r}")
        body = self._clicked(self.place(id), document, position)
        body.action, body.value, body.at = action, float(value), at
        draft = events.draft(self.state.number, events.CLICKED, body)
        return Plan([draft], lambda places, verdicts: verdicts.get(places[0].seq, "accepted"))

    def _clicked(self, seq: int, document: Any, position: int | None) -> Clicked:
        """Which document of which list it is; position -1 if there is no such thing."""
        event = self.fetch(seq)
        if event is None or event.kind not in (events.SHOWN, events.RANKED) or event.experiment != self.state.number:
            return Clicked(seq)
        body = body_of(event)
        ranking = body.shown.ranking[body.begin :] if isinstance(body, Listed) else body.documents
        if position is None:
            position = ranking.index(document) if document in ranking else -1
        return Clicked(seq, position, ranking[position]) if 0 <= position < len(ranking) else Clicked(seq)


def _drawn(event: Event) -> tuple[Pair, View]:
    if event.kind != events.DRAWN:
        raise BadInput("this key was used for something else before")
    return body_of(event), view_of(event)
