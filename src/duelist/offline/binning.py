"""Features cut into steps, so that a linear ranker is a piecewise-constant function of each.

Thesis, section 3.3.2.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from duelist.core.errors import BadInput, MissingExtra
from duelist.core.memory import Floats
from duelist.offline.queries import number_queries

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtra("binning needs scikit-learn: pip install 'duelist[offline]'") from None


class PiecewiseConstant(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """One column for each feature and cut: 1 where the feature is above the cut, else 0.

    bins: cuts a feature; equal ones count once. spacing: "quantile", as many values between any two
    cuts, or "even", from the smallest to the largest value seen. A feature gets no cut if it is constant.

    >>> steps = PiecewiseConstant(bins=2, spacing="even").fit([[0.0], [3.0]])
    >>> steps.cuts_, steps.transform([[0.5], [1.5], [9.0]])
    ([array([1., 2.])], array([[0., 0.],
           [1., 0.],
           [1., 1.]]))
    """

    def __init__(self, bins: int = 50, spacing: Literal["quantile", "even"] = "quantile") -> None:
        self.bins, self.spacing = bins, spacing

    def fit(self, X: Any, y: Any = None) -> PiecewiseConstant:  # noqa: N803
        """Choose the cuts."""
        check_bins(self.bins)
        if self.spacing not in ("quantile", "even"):
            raise BadInput(f"spacing must be 'quantile' or 'even', not {self.spacing!r}")
        features = _numbers(self, X, reset=True)
        shares = even_cuts(self.bins)
        if self.spacing == "even":
            least, most = features.min(0), features.max(0)
            cuts = least + shares[:, None] * (most - least)
        else:
            cuts = np.quantile(features, shares, axis=0, method="lower")
        # A cut at or above the largest value would be above no document.
        self.cuts_ = [np.unique(own[own < most]) for own, most in zip(cuts.T, features.max(0), strict=True)]
        return self

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """The columns of the first feature, then those of the second, and so on."""
        check_is_fitted(self)
        return cut(_numbers(self, X, reset=False), self.cuts_)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """feature>cut, for every column."""
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", [f"x{n}" for n in range(self.n_features_in_)])
        names = known if input_features is None else input_features
        if len(names) != self.n_features_in_:
            raise BadInput(f"input_features should have length equal to {self.n_features_in_}, not {len(names)}")
        if input_features is not None and not np.array_equal(names, known) and hasattr(self, "feature_names_in_"):
            raise BadInput("input_features is not equal to feature_names_in_")
        return np.array(
            [f"{name}>{value:g}" for name, cuts in zip(names, self.cuts_, strict=True) for value in cuts], object
        )


def check_bins(bins: int) -> None:
    if not isinstance(bins, int | np.integer) or bins < 1:
        raise BadInput(f"bins must be a whole number of at least 1, not {bins!r}")


def even_cuts(bins: int) -> Floats:
    """Evenly spaced numbers between 0 and 1, neither included: both ends would tell nothing."""
    return np.linspace(0.0, 1.0, bins + 2)[1:-1]


def cut(features: Floats, cuts: list[Floats]) -> Floats:
    """1 where a feature is above its cut."""
    columns = [features[:, [number]] > own for number, own in enumerate(cuts)]
    return np.hstack(columns).astype(np.float64)


def percentiles(features: Floats, qid: Any) -> Floats:
    """The share of the query's documents that have at most this value of a feature.

    >>> percentiles(np.array([[5.0], [7.0], [7.0], [9.0]]), None)[:, 0]
    array([0.25, 0.75, 0.75, 1.  ])
    """
    numbers = number_queries(qid, len(features))
    lengths = np.bincount(numbers)
    ends, found = np.cumsum(lengths), np.empty_like(features)
    for column in range(features.shape[1]):
        order = np.lexsort((features[:, column], numbers))
        values, own = features[order, column], numbers[order]
        # The last document with the same value, in the order by query and value.
        new = np.append((np.diff(values) != 0) | (np.diff(own) != 0), True)
        last = np.flatnonzero(new)[np.cumsum(new) - new]
        found[order, column] = (last + 1 - (ends - lengths)[own]) / lengths[own]
    return found


def ranges(features: Floats, qid: Any) -> Floats:
    """Every feature from 0 to 1 within each query; one that is constant within a query is 0 there.

    >>> ranges(np.array([[0.2], [0.6], [0.7]]), None)[:, 0].round(2)
    array([0. , 0.8, 1. ])
    """
    numbers = number_queries(qid, len(features))
    order = np.argsort(numbers, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(numbers))[:-1]])
    least = np.minimum.reduceat(features[order], starts)[numbers]
    span = np.maximum.reduceat(features[order], starts)[numbers] - least
    return np.asarray(np.divide(features - least, span, out=np.zeros_like(features), where=span > 0))


def _numbers(owner: Any, X: Any, reset: bool) -> Floats:  # noqa: N803
    try:
        features: Floats = validate_data(owner, X, dtype=np.float64, reset=reset)
    except ValueError as error:
        raise BadInput(str(error)) from None
    return features
