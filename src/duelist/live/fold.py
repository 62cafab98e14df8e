"""From the events of a journal to the state of every experiment in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from duelist.live.definition import Definition
from duelist.live.events import DEFINED, EVERYWHERE, FORGOT, TICK, Defined, body_of
from duelist.live.kinds import make_state
from duelist.live.kinds.arms import Arms
from duelist.live.kinds.weights import Weights
from duelist.live.state import Fetch, State, Verdicts
from duelist.storage.journal import Event

History = Callable[[int, int], Iterator[Event]]  # the events of an experiment before a number


class Fold:
    """All experiments of a journal, as far as they were folded."""

    def __init__(self, fetch: Fetch, history: History) -> None:
        self.fetch, self.history = fetch, history
        self.states: dict[int, State] = {}  # by number: the place of the event that defined it
        self.versions: dict[str, list[int]] = {}  # numbers of an experiment's versions, by its name
        self.seq = self.at = 0
        self.forgot = 0  # the last event that a user was erased with

    def apply(self, events: Sequence[Event]) -> Verdicts:
        """Apply the next events of the journal; what became of those that were not counted, by number."""
        verdicts: Verdicts = {}
        mine: dict[int, list[Event]] = {}
        for event in events:
            if event.experiment == EVERYWHERE:  # all that came before it must be applied first
                verdicts |= self._apply_each(mine)
                mine = {}
                self._apply_everywhere(event)
            else:
                mine.setdefault(event.experiment, []).append(event)
        verdicts |= self._apply_each(mine)
        if events:
            self.seq, self.at = events[-1].seq, events[-1].at
        return verdicts

    def current(self, name: str) -> State | None:
        """The last version of an experiment."""
        numbers = self.versions.get(name)
        return self.states[numbers[-1]] if numbers else None

    def _apply_each(self, mine: dict[int, list[Event]]) -> Verdicts:
        verdicts: Verdicts = {}
        for number, events in mine.items():
            state = self.states.get(number)
            if state is not None:
                verdicts |= state.apply(events)
            else:
                verdicts |= {event.seq: "unknown" for event in events}
        return verdicts

    def _apply_everywhere(self, event: Event) -> None:
        if event.kind == TICK:
            for state in self.states.values():
                state.tick(event.at)
        elif event.kind == DEFINED:
            self._define(event, body_of(event))
        elif event.kind == FORGOT:
            self.forgot = event.seq

    def _define(self, event: Event, defined: Defined) -> None:
        definition = Definition.read(defined.definition)
        before = self.current(definition.name)
        state = self.add(event.seq, definition, defined.version)
        state.seq, state.at = event.seq, event.at
        state.changed("defined", defined.by)
        if defined.warm:
            self._warm(state, defined.before, event.seq)
        if before is not None:
            before.at = event.at
            before.end("a new version")

    def add(self, number: int, definition: Definition, version: int) -> State:
        """An experiment without events, the last version by its name."""
        state = self.states[number] = make_state(number, definition, version, self.fetch)
        self.versions.setdefault(definition.name, []).append(number)
        return state

    def _warm(self, state: State, before: int, until: int) -> None:
        """Let a new version learn all that the one before it learnt, of the arms that are still there."""
        old = self.states.get(before)
        if isinstance(old, Arms) and isinstance(state, Arms):
            again = make_state(before, old.definition, old.version, self.fetch)
            assert isinstance(again, Arms)
            for duel, outcome in again.lessons_of(self.history(before, until)):
                if duel.left in state.definition.arms and duel.right in state.definition.arms:
                    state.policy.apply(duel, outcome)
        elif isinstance(old, Weights) and isinstance(state, Weights):
            state.learner.start_at(old.learner)
