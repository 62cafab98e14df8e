"""The experiments of the demo: two policies over the same rankers, and a learner that weighs them."""

from __future__ import annotations

from typing import Any

from duelist.demo.truth import LENGTH
from duelist.search.engine import RANKERS

ARMS, DRIFTING, WEIGHTS = "rankers", "rankers-drifting", "weights"
WINDOW = 1_000  # duels that the drifting policy remembers, at most
FLOOR = 0.03  # of the duels for each ranker: a policy soon leaves the bad ones alone, and evidence needs some of all


def definitions(grace: float) -> list[dict[str, Any]]:
    """All of them; lists are closed `grace` seconds after their last click.

    >>> [each["name"] for each in definitions(1.0)]
    ['rankers', 'rankers-drifting', 'weights']
    """
    shared = {"length": LENGTH, "session": {"timeout": 600.0, "grace": grace}}
    arms = {"kind": "arms", "arms": list(RANKERS), "floor": FLOOR, **shared}
    forgetful = {"policy": "window", "parameters": {"base": "d-ts", "size": WINDOW}}
    return [
        {"name": ARMS, "policy": "d-ts", **arms},
        {"name": DRIFTING, **forgetful, **arms},
        {"name": WEIGHTS, "kind": "weights", "features": list(RANKERS), "learner": "pdgd", **shared},
    ]
