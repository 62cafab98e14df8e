"""What a policy is given, looked at before anything happens."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np

from duelist.core.errors import BadInput


def check_arms(who: str, n_arms: SupportsIndex | None, arms: Sequence[Hashable] | None) -> Sequence[Any]:
    """Names, or numbers if there are none."""
    if (n_arms is None) == (arms is None):
        raise BadInput(f"{who} needs either n_arms, a whole number of at least 2, or arms, a list of names")
    if arms is None:
        if not isinstance(n_arms, int | np.integer) or isinstance(n_arms, bool) or n_arms < 2:
            raise BadInput(f"{who}: n_arms must be a whole number of at least 2, not {n_arms!r}")
        return range(int(n_arms))
    names = list(arms)
    if len(names) < 2:
        raise BadInput(f"{who}: arms must be at least 2 names, not {names!r}")
    if repeated := [name for i, name in enumerate(names) if name in names[:i]]:
        raise BadInput(f"{who}: arms must differ, but {repeated[0]!r} comes twice")
    return names


def check_outcome(duel: Any, outcome: SupportsFloat | None, winner: Any) -> float:
    """From 0 to 1, whichever way it was said."""
    if (outcome is None) == (winner is None):
        raise BadInput("tell needs either an outcome from 0 to 1 or winner=arm")
    if outcome is None:
        if winner not in (duel.left, duel.right):
            raise BadInput(f"the winner must be {duel.left!r} or {duel.right!r}, not {winner!r}")
        return 1.0 if winner == duel.left else 0.0
    try:
        value = float(outcome)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise BadInput(f"an outcome must be a number from 0 (right wins) to 1 (left wins), not {outcome!r}")
    return value


def listed(arms: Sequence[Any]) -> str:
    """The first ten, for a message."""
    shown = ", ".join(repr(arm) for arm in arms[:10])
    return shown if len(arms) <= 10 else f"{shown}, ... ({len(arms)} in all)"
