"""Features brought to ranges of about 1 before training, and weights taken back to the features as they are.

|w|^2 makes a weight cost more, the smaller the numbers of its feature are. Unscaled, features of 1e-6
are never used and those of 1e4 drown the others. Ranges leave features alone that are already 0 to 1
within queries, or steps of 0 and 1; deviations would not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelist.core.memory import Floats, Ints

ROUNDING = 1e-12  # the share of a feature's size up to which differences are rounding errors


class Scaling(NamedTuple):
    """By feature: what is subtracted, and by what the rest is divided."""

    least: Floats
    ranges: Floats

    def apply(self, features: Floats) -> Floats:
        if not self.least.any() and (self.ranges == 1).all():
            return features  # no copy of what may be large
        return (features - self.least) / self.ranges

    def raw(self, weights: Floats) -> Floats:
        """Weights of the features as they were that put documents in the same order."""
        return np.asarray(weights / self.ranges)


def same_as_before(width: int) -> Scaling:
    return Scaling(np.zeros(width), np.ones(width))


def find_scaling(features: Floats, offsets: Ints) -> Scaling:
    """To begin at 0 and have a mean range of 1 within the queries in which the feature varies.

    A feature that varies in none stays as it is.

    >>> find_scaling(np.array([[2000.0, 5.0], [2004.0, 5.0], [2001.0, 5.0], [2007.0, 5.0]]), np.array([0, 2, 4]))
    Scaling(least=array([2000.,    0.]), ranges=array([5., 1.]))
    """
    least, most = np.minimum.reduceat(features, offsets[:-1]), np.maximum.reduceat(features, offsets[:-1])
    size = np.maximum(np.abs(least), np.abs(most)).max(0)
    spans = np.where(most - least > ROUNDING * size, most - least, 0.0)
    counts = (spans > 0).sum(0)
    return Scaling(
        np.where(counts > 0, least.min(0), 0.0),
        np.divide(spans.sum(0), counts, out=np.ones(features.shape[1]), where=counts > 0),
    )
