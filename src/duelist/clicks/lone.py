"""Logs of clicks alone: every row a click and the ranker whose document it was, or lists whose events say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from duelist.clicks.impressions import NO_TEAMS, Impressions
from duelist.clicks.portions import Part, Portions


def is_clicks_alone(log: Portions) -> bool:
    """Whether nobody knows how often rankers were shown: rows are clicks, or events name rankers and lists no teams."""
    if not log.head.given.shape[1]:
        return False
    if log.head.losses.labelled:
        return not any(((portion.sizes > 0) & (portion.firsts > NO_TEAMS)).any() for portion in log.portions())
    setups = log.head.setup_names
    return all(
        not portion.sizes.any() and all(len(setups[number]) == 1 for number in np.unique(portion.setups).tolist())
        for portion in log.portions()
    )


def without_labels(log: Portions) -> Portions:
    """The same without the credit that events gave to their rankers, beside lists that have teams.

    Only clicked lists have any, so that these would count and others not: they are lists that lack their teams.
    """
    if not log.head.losses.labelled:
        return log

    def teams_alone(portion: Impressions) -> Impressions:
        bare = (portion.sizes > 0) & (portion.firsts == NO_TEAMS)
        return replace(portion, given=np.where(bare[:, None], np.nan, portion.given))

    return Part(log, teams_alone)


def with_rankers(log: Portions) -> Portions:
    """The same with every click as a comparison of all rankers that are named anywhere, of which one is credited.

    Where events name their rankers, the lists that have such clicks.
    """
    if log.head.losses.labelled:
        return Part(log, lambda portion: portion.take(np.asarray(~np.isnan(portion.given).all(1))))
    setups = log.head.setup_names
    used = {number for portion in log.portions() for number in np.unique(portion.setups).tolist()}
    names = tuple(sorted({setups[number][0] for number in used}))
    column = np.array([names.index(setup[0]) if setup and setup[0] in names else -1 for setup in setups])

    def compared(portion: Impressions) -> Impressions:
        given = np.zeros((len(portion), len(names)))
        given[np.arange(len(portion)), column[portion.setups]] = 1.0
        return replace(portion, given=given, setups=np.zeros(len(portion), np.int32), setup_names=(names,))

    return Part(log, compared)
