"""What people look at: every arm and pair with limits, the way to the verdict, what it cost, and its course.

`facts_of` copies what is needed while nobody folds; `insight_of` computes with the copy. Both cost arms^2 at most,
whatever the number of events.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from duelist.core.memory import Floats
from duelist.evidence.rates import always_valid_limits
from duelist.evidence.sequential import log_e_value
from duelist.evidence.winners import duels_to_decide
from duelist.live.definition import Definition
from duelist.live.kinds.arms import Arms
from duelist.live.questions import ways_out
from duelist.live.standing import Standing
from duelist.live.state import State
from duelist.ranking.strengths import Cells, fit_strengths

MOST_PLACED = 200  # arms whose strengths are fitted: the cost grows with the third power
MOST_PAIRED = 64  # arms whose pairs are told one by one: those with the best chances
TIES = 1.0  # that each arm is thought to have made with an average one, so that every arm has a strength


class Facts(NamedTuple):
    """What is copied of a state."""

    definition: Definition
    wins: Floats
    traffic: Floats
    leader: int  # the winner if there is one, and whoever has the best chance before
    ways: Floats  # of the leader, to be surely preferred to each other arm
    users: dict[tuple[int, int], int]  # who saw lists of both


def facts_of(state: State) -> Facts | None:
    """The facts of an experiment with arms."""
    definition = state.definition
    if definition.kind == "weights":
        return None
    wins = state.evidence.table()
    winner = state.decided()
    leader = Standing.of(wins).leader if winner is None else winner
    users = {pair: accounts.users for pair, accounts in state.evidence.accounts.items()}
    if isinstance(state, Arms) and state.questions is not None:  # an arm is out by whoever beats it
        by = ways_out(wins, definition.stop.alpha)[1].tolist()
        votes = [int(wins[one, arm] + wins[arm, one]) for arm, one in enumerate(by)]
        users = {(min(leader, arm), max(leader, arm)): count for arm, count in enumerate(votes) if arm != leader}
    return Facts(definition, wins, state.traffic().copy(), leader, state.ways(leader), users)


def insight_of(facts: Facts) -> dict[str, Any]:
    """Arms, pairs, evidence and regret, as plain values."""
    standing = Standing.of(facts.wins)
    size = len(facts.wins)
    alpha = facts.definition.stop.alpha / max(1, size * (size - 1) // 2)
    return {
        "arms": _arms(facts, standing, alpha),
        "pairs": _pairs(facts, standing, alpha),
        "evidence": _evidence(facts, standing),
        "regret": standing.regret(facts.traffic),
    }


def _arms(facts: Facts, standing: Standing, alpha: float) -> list[dict[str, Any]]:
    """Rates are against the other arms on average. Limits of all pairs hold together, and so do their means."""
    low, high = always_valid_limits(facts.wins, facts.wins.T, alpha)
    strengths = _strengths(facts.wins)
    shares = facts.traffic / max(1.0, facts.traffic.sum())
    return [
        {
            "name": name,
            "traffic": float(facts.traffic[arm]),
            "share": float(shares[arm]),
            "rate": _mean(standing.rate[arm], arm),
            "low": _mean(low[arm], arm),
            "high": _mean(high[arm], arm),
            "strength": None if strengths is None else float(strengths[arm]),
            "chance": float(standing.chance[arm]),
        }
        for arm, name in enumerate(facts.definition.arms)
    ]


def _mean(row: Floats, arm: int) -> float:
    return float(np.delete(row, arm).mean())


def _strengths(wins: Floats) -> Floats | None:
    """Bradley and Terry's, each arm held to the middle by a tie or so."""
    if len(wins) > MOST_PLACED or not wins.any():
        return None
    duels = np.triu(wins + wins.T, 1)
    won = np.triu(wins, 1)
    found = fit_strengths(Cells(duels, duels, won, (duels, won, won)), bias=False, prior=TIES)
    return None if found is None else found.strength


def _pairs(facts: Facts, standing: Standing, alpha: float) -> list[dict[str, Any]]:
    """Those that met, of the arms with the best chances."""
    wins, arms = facts.wins, facts.definition.arms
    chosen = sorted(np.argsort(-standing.chance, kind="stable")[:MOST_PAIRED].tolist())
    met = [(a, b) for a, b in combinations(chosen, 2) if wins[a, b] + wins[b, a] or (a, b) in facts.users]
    if not met:
        return []
    first, second = np.array(met).T
    low, high = always_valid_limits(wins[first, second], wins[second, first], alpha)
    return [
        {
            "first": arms[a],
            "second": arms[b],
            "wins": float(wins[a, b]),
            "losses": float(wins[b, a]),
            "rate": float(standing.rate[a, b]),
            "low": float(low[place]),
            "high": float(high[place]),
        }
        for place, (a, b) in enumerate(met)
    ]


def _evidence(facts: Facts, standing: Standing) -> dict[str, Any]:
    leader, definition = facts.leader, facts.definition
    ways = np.delete(facts.ways, leader)
    missing = _missing(facts, leader)
    return {
        "rule": definition.stop.rule,
        "alpha": definition.stop.alpha,
        "leader": definition.arms[leader],
        "chance": float(standing.chance[leader]),
        "way": float(ways.min()),
        "missing": round(missing) if math.isfinite(missing) else None,
        "rivals": [
            {"name": name, "way": float(facts.ways[arm])} for arm, name in enumerate(definition.arms) if arm != leader
        ],
    }


def _missing(facts: Facts, leader: int) -> float:
    """About how many more users, if they go on as they did; all lists of a multileave compare every two arms."""
    size = len(facts.wins)
    share = facts.definition.stop.alpha / max(1, size * (size - 1) // 2)
    needed = [_needed(facts, leader, other, share) for other in range(size) if other != leader]
    return float(max(needed) if facts.definition.kind == "multileave" else sum(needed))


def _needed(facts: Facts, arm: int, other: int, share: float) -> float:
    way, users = float(facts.ways[other]), facts.users.get((min(arm, other), max(arm, other)), 0)
    if way >= 1:
        return 0.0
    by_lists = users / way - users if users and way else math.inf
    won, lost = facts.wins[arm, other], facts.wins[other, arm]
    if users or not won + lost:  # lists say it, or nobody has said anything
        return by_lists
    rate = float((won + 1) / (won + lost + 2))
    return max(0.0, duels_to_decide(rate, share, log_e_value) - float(won + lost))
