"""Experiments as people look at them. What is folded is copied under the lock, and computed with outside it."""

from __future__ import annotations

from typing import Any

from duelist.live.course import health_details, history_of, version_line, weights_of
from duelist.live.experiments import Experiments
from duelist.live.explain import entries_of, explain, recent
from duelist.live.insight import facts_of, insight_of
from duelist.live.status import summary_of

MOST_VERSIONS = 100  # that are told of
NOTHING: dict[str, Any] = {"arms": [], "pairs": [], "evidence": None, "regret": None}  # where there are no arms


class Views:
    """Looks at the experiments of a process."""

    def __init__(self, experiments: Experiments) -> None:
        self.experiments = experiments
        self._known: dict[str, tuple[Any, dict[str, Any]]] = {}  # summaries, and of what

    def summary(self, name: str) -> dict[str, Any]:
        """A line of the list of experiments; where nothing has happened the same as the last time."""
        with self.experiments.lock:
            state = self.experiments.state(name)
            seen = (state.number, state.events, state.lessons_learnt(), state.phase)
            known = self._known.get(name)
            if known is None or known[0] != seen:
                known = self._known[name] = (seen, summary_of(state))
            return known[1]

    def insight(self, name: str) -> dict[str, Any]:
        """Everything about one."""
        with self.experiments.lock:
            state, fold = self.experiments.state(name), self.experiments.fold
            facts, found = facts_of(state), dict(self.summary(name))
            document = state.definition.document()
            contents = document.pop("contents", None)  # which may be large
            versions = [fold.states[number] for number in fold.versions[name][-MOST_VERSIONS:]]
            found |= {
                "definition": document,
                "contents": bool(contents),
                "stopped_by": state.stopped_by,
                "health": health_details(state),
                "weights": weights_of(state),
                "versions": [version_line(each) for each in versions],
                "seq": fold.seq,
            }
        return found | (NOTHING if facts is None else insight_of(facts))

    def history(self, name: str) -> dict[str, Any]:
        """How it came to be so, by columns."""
        with self.experiments.lock:
            return history_of(self.experiments.state(name))

    def recent(self, name: str) -> list[dict[str, Any]]:
        """The last lists and duels."""
        with self.experiments.lock:
            state = self.experiments.state(name)
            entries = entries_of(state)
        return recent(state, entries)

    def explain(self, name: str, id: str) -> dict[str, Any]:
        """One of them, step by step."""
        with self.experiments.lock:
            state = self.experiments.state(name)
            entries = entries_of(state)
        return explain(state, entries, id)
