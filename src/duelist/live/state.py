"""One version of an experiment: what its events came to. The only place where its state changes.

No clock, no luck, no input or output: the same events give the same state, one by one, in chunks, from a snapshot or
in another process. `fetch` reads an event that was applied before, by its number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, ClassVar

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.live.credit import credit_of
from duelist.live.definition import Definition
from duelist.live.duels import KEPT
from duelist.live.events import CLICKED, DRAWN, RANKED, SHOWN, STATE, TOLD, Clicked, Listed, body_of
from duelist.live.evidence import Evidence
from duelist.live.history import History
from duelist.live.impressions import COUNTED, LATE, REPEATED, UNKNOWN, Closed, Impressions, Open
from duelist.live.standing import Standing
from duelist.storage.journal import Event

STATES = ("draft", "running", "paused", "stopped")
MOVES = {"draft": {"running", "stopped"}, "running": {"paused", "stopped"}, "paused": {"running", "stopped"}}

OUTCOME = 2  # of an entry of `recent`
MOST_CHANGES = 100

Fetch = Callable[[int], Event | None]
Verdicts = dict[int, str]  # by the event's number: what became of those that were not counted


class State:
    """Base of the kinds of experiments."""

    kind: ClassVar[str] = ""

    def __init__(self, number: int, definition: Definition, version: int, fetch: Fetch) -> None:
        self.number, self.definition, self.version, self.fetch = number, definition, version, fetch
        self.phase, self.stopped_by = "draft", ""
        self.seq = self.at = 0  # of the last event applied
        self.events = 0
        self.impressions = Impressions(definition, self._closed)
        self.clicks = dict.fromkeys((COUNTED, REPEATED, LATE, UNKNOWN), 0)
        self.learnt = self.skipped = 0  # lists with clicks and without, closed
        self.late_by = 0  # a running mean in 1024ths: whole, so that it is the same everywhere
        size = len(definition.arms)
        self.shown, self.first_picks, self.slots = (np.zeros(size, np.int64) for _ in range(3))
        self.credit = np.zeros(size)
        self.evidence = Evidence(size)
        self.lists = np.zeros(size)  # of which each arm was a part, divided among their arms
        self.recent: deque[list[Any]] = deque(maxlen=KEPT)  # what was learnt from last: of, by, outcome, clicks
        self.changes: list[list[Any]] = []  # when, what and by whom
        self.history = self.new_history()

    # Written by each kind.

    def learn(self, closed: Closed, body: Any) -> None:
        """Learn from a list that was clicked (or silent, where silence says something)."""
        raise TypeError(f"{type(self).__name__} has no learn")

    def best(self) -> str | None:
        """What to use if one had to choose now; None where there is nothing to choose."""
        raise TypeError(f"{type(self).__name__} has no best")

    def new_history(self) -> History:
        """An empty one. A point costs arms^2, and that is not spent oftener than every so many events."""
        size = len(self.definition.arms)
        return History(3 + 2 * size, max(1, size * size // 64))

    def point(self) -> Floats:
        """What is kept of now: lessons, way to the verdict, regret, and of each arm chance and traffic."""
        standing, traffic = Standing.of(self.evidence.table()), self.traffic()
        way = self.way(standing.leader)
        return np.concatenate([[self.lessons_learnt(), way, standing.regret(traffic)], standing.chance, traffic])

    def parts(self) -> dict[str, Any]:
        """What else a snapshot holds."""
        return {}

    def restore_parts(self, record: dict[str, Any]) -> None:
        """Go on from what `parts` gave."""

    # Events.

    def apply(self, events: Sequence[Event]) -> Verdicts:
        """Apply events of this experiment, in their order."""
        verdicts: Verdicts = {}
        for duels, chunk in groupby(events, key=lambda event: event.kind in (DRAWN, TOLD)):
            apply, rest = self.apply_duels if duels else self._apply_others, list(chunk)
            while rest:  # a point of the history is due after a certain event, wherever chunks end
                left = self.history.left(self.events)
                verdicts |= apply(rest[:left])
                if len(rest) >= left:
                    self.history.add(self.at, self.events, self.point())
                rest = rest[left:]
        return verdicts

    def apply_duels(self, events: Sequence[Event]) -> Verdicts:
        """Apply drawn and told events; there are none unless a policy draws."""
        self._seen(events[-1], len(events))
        return {event.seq: UNKNOWN for event in events}

    def tick(self, at: int) -> None:
        """Time has passed."""
        self.at = max(self.at, at)
        self.impressions.advance(at)

    def due(self, now: int) -> bool:
        """Whether something is to be closed."""
        waiting = self.impressions.due
        return bool(waiting) and waiting[0][0] <= now

    def lag(self) -> float:
        """How many were shown between showing one and learning from it, of late."""
        return self.late_by / 1024

    def traffic(self) -> Floats:
        """What each arm was shown: a list or a duel is 1, divided among its arms."""
        return self.lists

    def lessons_learnt(self) -> int:
        """How many lists and duels are over."""
        return self.learnt + self.skipped

    def end(self, by: str) -> None:
        """Stop, by a rule or by what took its place."""
        self.phase, self.stopped_by = "stopped", by
        self.changed("stopped", by)

    def changed(self, what: str, by: str) -> None:
        """Note who did what to the experiment."""
        self.changes = [*self.changes, [self.at, what, by]][-MOST_CHANGES:]

    def _seen(self, event: Event, number: int) -> None:
        self.seq, self.at = event.seq, event.at
        self.events += number

    def _apply_others(self, events: Sequence[Event]) -> Verdicts:
        verdicts: Verdicts = {}
        for event in events:
            self.tick(event.at)
            self._seen(event, 1)
            body = body_of(event)
            if event.kind == CLICKED:
                verdict = self._click(event, body)
                self.clicks[verdict] += 1
                if verdict != COUNTED:
                    verdicts[event.seq] = verdict
            elif event.kind == SHOWN:
                self._show(event, body)
            elif event.kind == RANKED:
                self.impressions.add(event.seq, event.at, event.user)
            elif event.kind == STATE:
                self._move(body.state, body.by)
        return verdicts

    def _move(self, phase: str, by: str) -> None:
        if phase in MOVES.get(self.phase, ()):
            self.phase = phase
            self.changed(phase, by)
            self.stopped_by = "hand" if phase == "stopped" else ""

    def _show(self, event: Event, listed: Listed) -> None:
        if listed.page > 1:
            self.impressions.add_page(event.seq, listed.of, listed.begin)
            return
        self.impressions.add(event.seq, event.at, event.user, listed.arms)
        arms = np.array(listed.arms)
        self.shown[arms] += 1
        self.lists[arms] += 1 / len(arms)
        teams = [team for team in listed.shown.teams if team >= 0]
        if teams:
            self.first_picks[arms[teams[0]]] += 1
            np.add.at(self.slots, arms[teams], 1)

    def _click(self, event: Event, clicked: Clicked) -> str:
        if clicked.position < 0:  # whoever wrote it down found no such thing among what was shown
            return UNKNOWN
        verdict = self.impressions.click(clicked, event.at)
        if verdict == COUNTED and clicked.action != "click":
            for other in self.impressions.others(clicked.of):
                self._credit_too(other, clicked)
        return verdict

    def _credit_too(self, other: Open, clicked: Clicked) -> None:
        """What is bought counts for every open list of the user that showed it."""
        body = self.body(other.pages[-1][0])
        ranking = body.shown.ranking if isinstance(body, Listed) else body.documents
        if clicked.document in ranking:
            other.clicks.setdefault((ranking.index(clicked.document), clicked.action), clicked.value)

    def body(self, seq: int) -> Any:
        """What an event that was applied before says."""
        event = self.fetch(seq)
        if event is None:
            raise BadInput(f"event {seq} of experiment {self.definition.name!r} is not in the journal any more")
        return body_of(event)

    def _closed(self, closed: Closed) -> None:
        late = 1024 * (self.impressions.shown - closed.order - 1)
        self.late_by += (late - self.late_by) // min(100, 1 + self.learnt + self.skipped)
        clicks = [[place, action, value] for (place, action), value in closed.clicks.items()]
        self.recent.append([closed.seq, closed.last, None, clicks])
        if closed.clicks:
            self.learnt += 1
            self.learn(closed, self.body(closed.last))
        else:
            self.skipped += 1
            if self.definition.silence == "tie":
                self.learn(closed, self.body(closed.last))
            else:  # it says nothing to a policy, but was shown and preferred nobody
                self.evidence.add(self._whose(closed), closed.arms, np.zeros(len(closed.arms)))
        self.maybe_stop()

    def earn(self, closed: Closed, listed: Listed) -> Floats:
        """Credit the rankers of a list, and count it as evidence."""
        earned = credit_of(self.definition, listed.shown, closed.clicks)
        self.credit[list(listed.arms)] += earned
        self.evidence.add(self._whose(closed), listed.arms, earned)
        return earned

    @staticmethod
    def _whose(closed: Closed) -> bytes:
        """A list of nobody is a user of its own."""
        return closed.user or b"list %d" % closed.seq

    def maybe_stop(self) -> None:
        """Stop when the definition's rule says so."""
        rule = self.definition.stop.rule
        if rule == "hand" or self.phase != "running":
            return
        if rule == "evidence":
            over = self.answered()
        else:
            over = rule == "budget" and self.learnt + self.skipped >= self.definition.stop.budget
        if over:
            self.end(rule)

    def winner(self) -> str | None:
        """The arm that everybody gets once it is stopped."""
        decided = self.decided()
        return self.definition.arms[decided] if decided is not None else self.best()

    def decided(self) -> int | None:
        """The arm that is surely preferred to every other one."""
        return self.evidence.winner(self.definition.stop.alpha)

    def ways(self, arm: int) -> Floats:
        """How far it is until this arm is surely the one, against each other arm: from 0 to 1."""
        return self.evidence.ways(arm, self.definition.stop.alpha)

    def way(self, arm: int) -> float:
        """The shortest of them: at 1 it is decided."""
        return float(np.delete(self.ways(arm), arm).min())

    def answered(self) -> bool:
        """Whether it is sure what the experiment is to find."""
        return self.decided() is not None

    def rename(self, old: bytes, new: bytes) -> None:
        """Let a user go on under another hash; what is learnt does not change."""
        self.impressions.rename(old, new)
        self.evidence.rename(old, new)

    # As a value.

    def counts(self) -> dict[str, int]:
        """Where everything is: shown = open + learnt + skipped; clicks = counted + repeated + late + unknown."""
        lists = self.impressions
        return {
            "shown": lists.shown,
            "open": len(lists.open),
            "learnt": self.learnt,
            "skipped": self.skipped,
            "clicks": sum(self.clicks.values()),
            **self.clicks,
        }

    def record(self) -> dict[str, Any]:
        """All of it, as plain values and arrays."""
        return {
            "phase": [self.phase, self.stopped_by],
            "seq": [self.seq, self.at, self.events],
            "impressions": self.impressions.record(),
            "clicks": self.clicks,
            "closed": [self.learnt, self.skipped, self.late_by],
            "balance": [self.shown, self.first_picks, self.slots, self.credit],
            "evidence": self.evidence.record(),
            "course": [self.lists, list(self.recent), self.changes, self.history.record()],
            **self.parts(),
        }

    def restore(self, record: dict[str, Any]) -> None:
        """Go on from a record."""
        self.phase, self.stopped_by = record["phase"]
        self.seq, self.at, self.events = record["seq"]
        self.impressions.restore(record["impressions"])
        self.clicks = dict(record["clicks"])
        self.learnt, self.skipped, self.late_by = record["closed"]
        self.shown, self.first_picks, self.slots, self.credit = record["balance"]
        self.evidence.restore(record["evidence"])
        if "course" in record:  # not in those of older code, which may be adopted
            self.lists, recent, self.changes, history = record["course"]
            self.recent.extend(recent)
            self.history.restore(history)
        self.restore_parts(record)
