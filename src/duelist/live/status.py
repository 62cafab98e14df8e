"""What is known of an experiment, as plain values for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.evidence.balance import check_balance
from duelist.live.kinds.arms import Arms
from duelist.live.kinds.weights import Weights
from duelist.live.standing import Standing
from duelist.live.state import State

LOST = 0.05  # of clicks that may be late or unknown in a healthy experiment
ENOUGH = 100  # clicks to judge by


def summary_of(state: State) -> dict[str, Any]:
    """One line of the list of experiments."""
    decided = state.decided()
    standing = Standing.of(state.evidence.table()) if state.definition.arms else None
    way = None
    if standing is not None:
        way = state.way(standing.leader if decided is None else decided)
    return {
        "name": state.definition.name,
        "kind": state.definition.kind,
        "version": state.version,
        "state": state.phase,
        "best": state.winner() if state.phase == "stopped" else state.best(),
        "certain": state.answered() or (isinstance(state, Arms) and state.policy.certain() is not None),
        "events": state.events,
        "healthy": health_of(state)["healthy"],
        "chance": None if standing is None else float(standing.chance.max()),
        "way": way,
        "shown": state.impressions.shown + (state.duels.drawn if isinstance(state, Arms) else 0),
        "at": state.at,
    }


def status_of(state: State) -> dict[str, Any]:
    """The whole of it."""
    definition, alpha = state.definition, state.definition.stop.alpha
    pairs = state.evidence.pairs(alpha / max(1, len(definition.arms) * (len(definition.arms) - 1) // 2))
    for row in pairs:
        row["first"], row["second"] = definition.arms[row["first"]], definition.arms[row["second"]]
    decided = state.decided()
    document = definition.document()
    document.pop("contents", None)  # which may be large
    return {
        **summary_of(state),
        "stopped_by": state.stopped_by,
        "definition": document,
        "questions": state.questions.prompts if isinstance(state, Arms) and state.questions else 0,
        "arms": _arms(state),
        "pairs": pairs,
        "evidence": {"alpha": alpha, "winner": None if decided is None else definition.arms[decided]},
        "health": health_of(state),
        "counts": state.counts(),
        "lag": state.lag(),
        "weights": state.learner.weights[0].tolist() if isinstance(state, Weights) else None,
    }


def _arms(state: State) -> list[dict[str, Any]]:
    wins = state.evidence.wins
    duels = wins + wins.T
    return [
        {
            "name": name,
            "shown": int(state.shown[place]) + int(duels[place].sum()),
            "wins": float(wins[place].sum()),
            "credit": float(state.credit[place]),
        }
        for place, name in enumerate(state.definition.arms)
    ]


def health_of(state: State) -> dict[str, Any]:
    """Whether what it says may be believed, and why not."""
    problems = []
    if state.definition.kind in ("pair", "multileave") and state.slots.sum():
        checks = check_balance({"first picks": state.first_picks.tolist(), "slots": state.slots.tolist()})
        problems += [f"{check.name} are not balanced: {list(check.counts)}" for check in checks if not check.healthy]
    clicks = state.clicks
    total = sum(clicks.values())
    lost = clicks["late"] + clicks["unknown"]
    if total >= ENOUGH and lost > LOST * total:
        problems.append(f"{lost} of {total} clicks came late or belong to nothing that was shown")
    if not np.isfinite(state.credit).all():
        problems.append("credit is not finite")
    return {"healthy": not problems, "problems": problems}
