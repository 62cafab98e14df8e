"""A log whose clicks are weighed by what was learned elsewhere, or on other users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from duelist.analysis.debiased import DEBIASED
from duelist.analysis.outcomes import CLICKS, Outcome
from duelist.clicks.log import Log, Record
from duelist.core.errors import BadInput
from duelist.evidence.click_weights import ClickWeights
from duelist.evidence.weights import FEATURES, click_features


class Weighed(NamedTuple):
    """A log with learned credit, for `analyze`."""

    log: Log
    left_out: int  # impressions of users that the weights were learned from
    several: int  # impressions of more than two rankers, which are left out too


def weigh(log: Log, weights: ClickWeights) -> Weighed:
    """Credit by learned weights in place of clicks, without the users they were learned from.

    Rows that do not say who owns a slot stay as they are, without credit: if they were clicked, something is lost.

    >>> record = Record("1", "ann", "q", 0.0, ("a", "b"), (1,), ("new", "old"), (0, 1))
    >>> weights = ClickWeights((0.5,) + (0.0,) * 13, frozenset(), ())
    >>> weigh(Log((record,)), weights).log.records[0].credit
    (0.0, 0.5)
    """
    if len(weights.weights) != len(FEATURES):
        raise BadInput(f"weights of {len(FEATURES)} features of a click are needed, not of {len(weights.weights)}")
    strangers = [record for record in log.records if not weights.knows(record.user)]
    if not any(map(_is_told, strangers)):
        raise BadInput(
            f"none of the {len(log.records)} impressions can be weighed: {len(log.records) - len(strangers)} are of "
            f"users that the weights were learned from, {len(strangers)} have no teams or not two rankers"
        )
    records = tuple(_credited(record, weights) for record in strangers if len(record.rankers) <= 2)
    return Weighed(replace(log, records=records), len(log.records) - len(strangers), len(strangers) - len(records))


def check_weighed(outcomes: Sequence[str]) -> None:
    """An error where no outcome is clicks as they are: nothing else is weighed.

    >>> check_weighed(["purchase"])
    Traceback (most recent call last):
    duelist.core.errors.BadInput: weights are of clicks: one of the outcomes must be clicks, not purchase alone
    """
    if CLICKS not in [Outcome.read(name) for name in outcomes if name != DEBIASED]:  # which is not fitted yet
        raise BadInput(f"weights are of clicks: one of the outcomes must be clicks, not {' and '.join(outcomes)} alone")


def _is_told(record: Record) -> bool:
    """Whether two rankers are compared, and it is known who owns a slot."""
    return len(record.rankers) == 2 and len(record.teams) > 0


def _credited(record: Record, weights: ClickWeights) -> Record:
    """With the credit of its clicks, and where their times are known with what it was before each: some may be late."""
    if not _is_told(record):
        return replace(record, credit=(), earlier_credit=())
    timed = sorted(zip(record.click_times, record.clicks, strict=False), key=itemgetter(0))
    clicks = [click for _, click in timed] or list(record.clicks)
    parts = [clicks[:number] for number in range(len(timed))] + [clicks]
    preferences = weights.preferences(np.array([click_features(part, record.teams) for part in parts]))
    *before, credit = [(max(0.0, value), max(0.0, -value)) for value in preferences.tolist()]
    changes = tuple((time, earlier) for (time, _), earlier in zip(timed, before, strict=True))
    return replace(record, credit=credit, earlier_credit=changes)
