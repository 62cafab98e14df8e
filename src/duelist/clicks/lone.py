"""Logs of clicks alone: every row a click and the ranker whose document it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from duelist.clicks.impressions import Impressions
from duelist.clicks.portions import Part, Portions


def is_clicks_alone(log: Portions) -> bool:
    """Whether a log has nothing but clicks, each with one ranker and a credit for it."""
    if not log.head.given.shape[1]:
        return False
    setups = log.head.setup_names
    return all(
        not portion.sizes.any() and all(len(setups[number]) == 1 for number in np.unique(portion.setups).tolist())
        for portion in log.portions()
    )


def with_rankers(log: Portions) -> Portions:
    """The same with every click as a comparison of all rankers that are named anywhere, of which one is credited."""
    setups = log.head.setup_names
    used = {number for portion in log.portions() for number in np.unique(portion.setups).tolist()}
    names = tuple(sorted({setups[number][0] for number in used}))
    column = np.array([names.index(setup[0]) if setup and setup[0] in names else -1 for setup in setups])

    def compared(portion: Impressions) -> Impressions:
        given = np.zeros((len(portion), len(names)))
        given[np.arange(len(portion)), column[portion.setups]] = 1.0
        return replace(portion, given=given, setups=np.zeros(len(portion), np.int32), setup_names=(names,))

    return Part(log, compared)
