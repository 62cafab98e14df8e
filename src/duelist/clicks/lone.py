"""Logs of clicks alone: every row a click and the ranker whose document it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from duelist.clicks.impressions import Impressions


def is_clicks_alone(log: Impressions) -> bool:
    """Whether a log has nothing but clicks, each with one ranker and a credit for it."""
    named = {names for number, names in enumerate(log.setup_names) if (log.setups == number).any()}
    return bool(len(log) and log.given.shape[1] and not log.sizes.any() and all(len(names) == 1 for names in named))


def with_rankers(log: Impressions) -> Impressions:
    """The same with every click as a comparison of all rankers that are named anywhere, of which one is credited."""
    names = tuple(sorted({log.setup_names[number][0] for number in np.unique(log.setups).tolist()}))
    column = np.array([names.index(setup[0]) if setup and setup[0] in names else -1 for setup in log.setup_names])
    given = np.zeros((len(log), len(names)))
    given[np.arange(len(log)), column[log.setups]] = 1.0
    return replace(log, given=given, setups=np.zeros(len(log), np.int16), setup_names=(names,))
