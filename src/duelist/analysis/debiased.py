"""Clicks counted by how seldom their position is looked at, as a click model that was fitted to the log says."""

from __future__ import annotations

from collections.abc import Iterable

from duelist.analysis.outcomes import Outcome
from duelist.clicks.position_based import PositionBased
from duelist.clicks.records import CLICK, Record
from duelist.core.errors import BadInput

DEBIASED = "clicks:debiased"
TOLERANCE = 0.01  # of the log likelihood: far below what luck does to it
STRENGTH = 0.1  # impressions that the prior is worth: more makes positions look too much alike


def debiased_clicks(records: Iterable[Record]) -> str:
    """The outcome for `analyze`, from the position-based model that fits the records best.

    Examination is known from documents that were shown, for the same query, at several positions.

    >>> import numpy as np
    >>> users, luck = PositionBased({("q", "a"): 0.8, ("q", "b"): 0.4}, [1.0, 0.5]), np.random.default_rng(0)
    >>> lists = [("a", "b"), ("b", "a")] * 2000
    >>> clicks = [tuple(users.clicks(shown, luck, "q")) for shown in lists]
    >>> rows = [Record(str(i), "ann", "q", 0.0, lists[i], clicks[i], ("x", "y"), (0, 1)) for i in range(4000)]
    >>> debiased_clicks(rows)
    'clicks:debiased=1+0.5066'
    """
    usable = [record for record in records if record.teams and len(record.rankers) > 1]
    if not any(record.clicks for record in usable):
        raise BadInput(f"{DEBIASED} needs clicks on lists that say who owns a slot (teams); none has both")
    if not _moves(usable):
        raise BadInput(f"{DEBIASED} needs documents that were shown for the same query at several positions; none was")
    examination = PositionBased.fit(usable, STRENGTH, tolerance=TOLERANCE).examination
    return str(Outcome(CLICK, examination=tuple(examination.tolist())))


def _moves(records: Iterable[Record]) -> bool:
    """Whether any document was shown at two positions for its query."""
    places: dict[tuple[str, str], int] = {}
    return any(
        places.setdefault((record.query, document), place) != place
        for record in records
        for place, document in enumerate(record.shown)
    )
