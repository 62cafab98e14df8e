"""Made-up duels, for examples and tests: prompts that people judged two at a time."""

from __future__ import annotations

import numpy as np

from duelist.ranking.log import DuelLog, duel_log

STRENGTHS = {
    "terse": 0.9,
    "polite": 0.6,
    "steps": 0.5,
    "expert": 0.2,
    "examples": 0.0,
    "schema": -0.3,
    "critic": -0.6,
    "plain": -1.3,
}


def demo_duels(duels: int = 1200, users: int = 60, left: float = 0.3, ties: float = 0.1, seed: int = 0) -> DuelLog:
    """Pairs drawn evenly from eight prompts; the left side gains `left` log-odds.

    >>> log = demo_duels(100)
    >>> len(log), len(log.arms), float(log.outcome.mean())
    (100, 8, 0.455)
    """
    rng, names = np.random.default_rng(seed), list(STRENGTHS)
    first = rng.integers(0, len(names), duels)
    second = (first + rng.integers(1, len(names), duels)) % len(names)
    strength = np.array(list(STRENGTHS.values()))
    chance = 1 / (1 + np.exp(-(strength[first] - strength[second] + left)))
    outcome = np.where(rng.random(duels) < ties, 0.5, rng.random(duels) < chance)
    columns = {
        "left": [names[arm] for arm in first],
        "right": [names[arm] for arm in second],
        "outcome": outcome.tolist(),
        "user": [f"u{user}" for user in rng.integers(0, users, duels)],
    }
    return duel_log(columns)
