"""The course of an experiment: its history by columns, its weights, its health and its versions, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.evidence.balance import check_balance
from duelist.live.history import AT, EVENTS
from duelist.live.kinds.weights import Weights
from duelist.live.state import State
from duelist.live.status import health_of

MOST_WEIGHTS = 32  # that are told of: the largest


def history_of(state: State) -> dict[str, Any]:
    """The points of its history and of now, by columns."""
    now = np.concatenate([[state.at, state.events], state.point()])
    table = np.vstack([state.history.table(), now]) if state.events else np.zeros((0, len(now)))
    columns: dict[str, Any] = {
        "at": table[:, AT].astype(np.int64).tolist(),
        "events": table[:, EVENTS].astype(np.int64).tolist(),
        "lessons": table[:, 2].astype(np.int64).tolist(),
    } | {"way": [], "regret": [], "chance": {}, "traffic": {}, "weights": {}, "alike": []}
    if isinstance(state, Weights):
        largest, names = _largest(state)
        weights, last = table[:, 3:], state.learner.weights[0]
        return columns | {
            "weights": {names[place]: weights[:, place].tolist() for place in largest},
            "alike": [_cosine(row, last) for row in weights],
        }
    size = len(state.definition.arms)
    return columns | {
        "way": table[:, 3].tolist(),
        "regret": table[:, 4].tolist(),
        "chance": _by_arm(state, table[:, 5 : 5 + size]),
        "traffic": _by_arm(state, table[:, 5 + size :]),
    }


def _by_arm(state: State, table: Floats) -> dict[str, list[float]]:
    return {name: table[:, arm].tolist() for arm, name in enumerate(state.definition.arms)}


def _largest(state: Weights) -> tuple[list[int], list[str]]:
    """The places of the largest weights, and the names of all features."""
    given = state.definition.features
    names = [f"feature {place + 1}" for place in range(given)] if isinstance(given, int) else list(given)
    order = np.argsort(-np.abs(state.learner.weights[0]), kind="stable")[:MOST_WEIGHTS]
    return order.tolist(), names


def _cosine(one: Floats, other: Floats) -> float | None:
    """How alike two directions are: 1 the same, 0 nothing to do with each other; None where one is zero."""
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length else None


def weights_of(state: State) -> list[dict[str, Any]]:
    """The largest weights, by name."""
    if not isinstance(state, Weights):
        return []
    largest, names = _largest(state)
    return [{"name": names[place], "weight": float(state.learner.weights[0][place])} for place in largest]


def health_details(state: State) -> dict[str, Any]:
    """Everything that health is judged by."""
    counts = state.counts()
    checks = []
    if state.definition.kind in ("pair", "multileave") and state.slots.sum():
        rows = {"first picks": state.first_picks.tolist(), "slots": state.slots.tolist()}
        checks = [
            {
                "name": check.name,
                "counts": list(check.counts),
                "e_value": check.e_value,
                "threshold": check.threshold,
                "healthy": check.healthy,
            }
            for check in check_balance(rows)
        ]
    over = state.learnt + state.skipped
    return {
        **health_of(state),
        "balance": checks,
        "counts": counts,
        "lag": state.lag(),
        "silence": state.skipped / over if over else None,
        "at": state.at,
    }


def version_line(state: State) -> dict[str, Any]:
    """A version, and who did what to it."""
    changes = [{"at": at, "what": what, "by": by} for at, what, by in state.changes]
    return {"version": state.version, "state": state.phase, "events": state.events, "changes": changes}
