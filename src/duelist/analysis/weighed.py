"""A log whose clicks are weighed by what was learned elsewhere, or on other users."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from duelist.clicks.log import Log, Record
from duelist.core.errors import BadInput
from duelist.evidence.click_weights import ClickWeights
from duelist.evidence.weights import FEATURES, click_features


class Weighed(NamedTuple):
    """A log with learned credit, for `analyze`."""

    log: Log
    left_out: int  # impressions of users that the weights were learned from
    unknown: int  # impressions that do not say who owns a slot, or compare other than two rankers


def weigh(log: Log, weights: ClickWeights) -> Weighed:
    """Credit by learned weights in place of clicks, without the users they were learned from.

    >>> record = Record("1", "ann", "q", 0.0, ("a", "b"), (1,), ("new", "old"), (0, 1))
    >>> weights = ClickWeights((0.5,) + (0.0,) * 13, frozenset(), ())
    >>> weigh(Log((record,)), weights).log.records[0].credit
    (0.0, 0.5)
    """
    if len(weights.weights) != len(FEATURES):
        raise BadInput(f"weights of {len(FEATURES)} features of a click are needed, not of {len(weights.weights)}")
    strangers = [record for record in log.records if not weights.knows(record.user)]
    usable = [record for record in strangers if len(record.rankers) == 2 and record.teams]
    if not usable:
        raise BadInput(
            f"none of the {len(log.records)} impressions can be weighed: {len(log.records) - len(strangers)} are of "
            f"users that the weights were learned from, {len(strangers)} have no teams or not two rankers"
        )
    preferences = weights.preferences(np.array([click_features(record.clicks, record.teams) for record in usable]))
    records = [_credited(record, value) for record, value in zip(usable, preferences.tolist(), strict=True)]
    weighed = replace(log, records=tuple(records))
    return Weighed(weighed, len(log.records) - len(strangers), len(strangers) - len(usable))


def _credited(record: Record, preference: float) -> Record:
    return replace(record, credit=(max(0.0, preference), max(0.0, -preference)), earlier_credit=())
