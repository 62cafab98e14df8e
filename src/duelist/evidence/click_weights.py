"""Click weights that know whose clicks they were learned from, so that nobody is judged by their own clicks.

Weights that were learned from a user's clicks fit that user's taste. Tested on the same users they
find winners that are none, with fourteen features and firm tastes nearly always: learn them on other
users, or elsewhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.record import read_record, reading, write_record
from duelist.evidence.accounts import user_hash
from duelist.evidence.fixed import FixedTest, t_test
from duelist.evidence.weights import Learner, feature_rows, inverse_z_weights, totals_of

SCHEMA = 1
WHAT = "click weights"


class SameUsers(UserWarning):
    """Weights are tested on users they were learned from: the test proves nothing."""


@dataclass(frozen=True)
class ClickWeights:
    """Weights of the features of a click, the largest of size 1, and the users they were learned from.

    >>> pairs = {"new over old": [[1, 1], [1, -1], [1, 0], [-1, 1]]}
    >>> weights = ClickWeights.learn(pairs, {"new over old": ["ann", "bob", "cy", "ann"]})
    >>> [round(weight, 2) for weight in weights.weights], len(weights.learned_on)
    ([1.0, 0.78], 3)
    """

    weights: tuple[float, ...]
    learned_on: frozenset[int]  # hashes
    pairs: tuple[str, ...]

    @classmethod
    def learn(
        cls, pairs: Mapping[str, Any], users: Mapping[str, Sequence[str]], learn: Learner = inverse_z_weights
    ) -> ClickWeights:
        """From the features of impressions of pairs of known order, the better ranker first, and their users."""
        if not pairs:
            raise BadInput("click weights are learned on one pair of rankers or more, not on none")
        rows = [feature_rows(features, users[name]) for name, features in pairs.items()]
        weights = learn(np.concatenate(rows))
        scale = float(np.abs(weights).max()) or 1.0
        seen = {user_hash(str(user)) for name in pairs for user in users[name]}
        return cls(tuple((weights / scale).tolist()), frozenset(seen), tuple(pairs))

    def preferences(self, features: Any) -> Floats:
        """The preference of each impression."""
        rows = np.asarray(features, np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(self.weights):
            raise BadInput(f"features must have {len(self.weights)} columns, not the shape {rows.shape}")
        return np.asarray(rows @ np.array(self.weights))

    def knows(self, user: str) -> bool:
        """Whether they were learned from this user's clicks."""
        return user_hash(str(user)) in self.learned_on

    def test(self, features: Any, users: Sequence[str]) -> FixedTest:
        """The t-test of users' totals; warns where users are among those they were learned from."""
        if known := sum(map(self.knows, set(users))):
            told = f"{known} of {len(set(users))} users are among those that the weights were learned from"
            warnings.warn(f"{told}: this test proves nothing", SameUsers, stacklevel=2)
        return t_test(totals_of(self.preferences(features), users))

    def to_json(self) -> str:
        """To be kept beside a log."""
        record = {"schema": SCHEMA, "weights": self.weights, "pairs": self.pairs}
        return write_record({**record, "learned_on": sorted(self.learned_on)}, WHAT)

    @classmethod
    def from_json(cls, text: str | bytes) -> ClickWeights:
        """What `to_json` wrote."""
        record = read_record(text, WHAT, SCHEMA)
        with reading(WHAT):
            weights = tuple(map(float, record["weights"]))
            return cls(weights, frozenset(map(int, record["learned_on"])), tuple(map(str, record["pairs"])))
