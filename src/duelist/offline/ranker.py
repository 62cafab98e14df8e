"""What all linear rankers share: fit, predict, rank and score, as scikit-learn's estimators have them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from duelist.core.errors import BadInput, MissingExtra
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.registry import find_family
from duelist.core.spec import Spec
from duelist.data import Linear, evaluate, mean
from duelist.offline.queries import Queries, as_dataset, group, number_queries, select
from duelist.offline.scaling import Scaling, find_scaling, same_as_before
from duelist.offline.structural import Plane, Solution, check_settings, solve

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtra("offline rankers need scikit-learn: pip install 'duelist[offline]'") from None


class Untrained(UserWarning):
    """A fit has ended without weights: all documents have the same score."""


class Ranker(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Something that scores documents so that sorting by score ranks them.

    Rows of one query need not stand together; without `qid` all rows are one query.
    """

    measure: ClassVar[str] = "map"  # what `score` is the mean of

    @property
    def spec(self) -> Spec:
        """Its name and parameters, as data; of several names the one that says most."""
        family, settings = find_family("ranker"), self.get_params()
        found = [(name, entry.fixed) for name, entry in family.known.items() if entry.maker is type(self)]
        fitting = [(name, fixed) for name, fixed in found if fixed.items() <= settings.items()]
        if not fitting:
            raise BadInput(f"{type(self).__name__} has no name among rankers; known: {', '.join(family)}")
        name, fixed = max(fitting, key=lambda each: len(each[1]))
        return Spec("ranker", name, {n: value for n, value in settings.items() if n not in fixed})

    def predict(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """One score a document."""
        raise NotImplementedError

    def rank(self, X: Any, qid: Any = None) -> Ints:  # noqa: N803
        """The rows best first, query after query; documents with equal scores keep their order."""
        scores = self.scores(X, qid)
        return np.lexsort((-scores, number_queries(qid, len(scores))))

    def score(self, X: Any, y: Any, qid: Any = None) -> float:  # noqa: N803
        """The mean over queries of `measure`; queries without relevant documents count 0."""
        scores, labels = self.scores(X, qid), np.asarray(y, np.float64)
        data, order, least = as_dataset(labels, qid, self.relevant)
        settings = self.get_params()
        measure, gain = self.measure.format(**settings), settings.get("gain", "exponential")
        return mean(evaluate(data, scores[order], [measure], gain=gain, relevant=least), data)[measure]

    def scores(self, X: Any, qid: Any) -> Floats:  # noqa: N803
        """`predict`, for rankers that need to know the queries too."""
        return self.predict(X)

    def checked(self, X: Any, y: Any) -> tuple[Floats, Floats]:  # noqa: N803
        """Features and labels as arrays of finite numbers."""
        try:
            features, labels = validate_data(self, X, y, dtype=np.float64, order="C", y_numeric=True)
        except ValueError as error:
            raise BadInput(str(error)) from None
        return features, labels.astype(np.float64)

    def checked_again(self, X: Any) -> Floats:  # noqa: N803
        """Features of the kind that the ranker was fitted with."""
        check_is_fitted(self)
        try:
            features: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        except ValueError as error:
            raise BadInput(str(error)) from None
        return features


FREE = {"C", "tolerance", "max_planes", "warm_start"}  # settings that planes do not depend on

# Given scores, writes down the coefficient that each document has in the mean over queries of
# Psi(truth) - Psi(most violated ranking), and returns the mean loss of those rankings.
Finder = Callable[[Floats, Floats], float]


class LinearRanker(Ranker):
    """A ranker whose scores are weights times features, trained by cutting planes.

    C: the price of the risk against |w|^2 / 2. tolerance: training stops when no more than this share can
    be missed of what weights gain over none, in the objective. max_planes: more are an error. relevant:
    the least label that counts as relevant. warm_start: begin with the planes of the last fit, if that
    was of the same data, as when C changes. rescale: train on features whose mean range is 1 (within
    queries, or over all documents where queries share a threshold), so that units do not matter; |w|^2
    is then of these.

    After `fit`: coef_ (the weights of the features as they are given), trained_ (False if all are 0, which
    `Untrained` warns of), primal_, dual_ and gap_ (the objective, its lower bound and their difference),
    n_planes_ (how many were made), n_queries_ (how many queries had something to learn).
    """

    across_queries: ClassVar[bool] = False  # whether queries share a threshold

    def __init__(
        self,
        C: float = 1.0,  # noqa: N803
        tolerance: float = 5e-3,
        max_planes: int = 10_000,
        relevant: float = 1,
        warm_start: bool = False,
        rescale: bool = True,
    ) -> None:
        self.C, self.tolerance, self.max_planes = C, tolerance, max_planes
        self.relevant, self.warm_start, self.rescale = relevant, warm_start, rescale

    def fit(self, X: Any, y: Any, qid: Any = None) -> LinearRanker:  # noqa: N803
        """Learn from labelled documents; queries with nothing to learn from are left out."""
        check_settings(self.C, self.tolerance, self.max_planes)
        features, labels = self.checked(X, y)
        queries = group(self.converted(features, qid), labels, qid)
        useful = self.useful(queries)
        self.n_queries_ = int(useful.sum())
        if self.n_queries_ == 0:
            raise BadInput(self.nothing_to_learn(labels))
        kept = queries if useful.all() else select(queries, useful)
        scaling = self.scaling(kept)
        solution = self.solve(kept._replace(features=scaling.apply(kept.features)))
        self.primal_, self.dual_, self.gap_ = solution.primal, solution.dual, solution.gap
        self.n_planes_ = solution.rounds
        self.keep(solution.weights, scaling)
        self.say_if_untrained()
        return self

    @property
    def trained_(self) -> bool:
        """Whether any document can score more than another."""
        return bool(self.coef_.any())

    @property
    def ranker(self) -> Linear:
        """The weights as a value: to be saved, exported to a search engine, or started at by an online learner."""
        weights = getattr(self, "coef_", None)
        if weights is None or len(weights) != getattr(self, "n_features_in_", len(weights)):
            raise BadInput(f"{self!r} has no weights of its features: only fitted linear rankers do")
        return Linear(np.array(weights, np.float64), source=str(self.spec))

    def say_if_untrained(self) -> None:
        if not self.trained_:
            reason = "its weights are all 0, because none are better on these data, at whatever C; try another ranker"
            warnings.warn(f"{self!r} is untrained: {reason}", Untrained, stacklevel=3)

    def scaling(self, queries: Queries) -> Scaling:
        """How features are brought to like ranges, if they are."""
        if not self.rescale:
            return same_as_before(queries.features.shape[1])
        ends = queries.offsets[[0, -1]] if self.across_queries else queries.offsets
        return find_scaling(queries.features, ends)

    def keep(self, weights: Floats, scaling: Scaling) -> None:
        """Weights of scaled features become those of features as they are."""
        self.coef_ = scaling.raw(weights)

    def converted(self, features: Floats, qid: Any) -> Floats:
        """What the weights are weights of."""
        return features

    def solve(self, queries: Queries) -> Solution:
        """The best weights, from the planes of the last fit where that helps."""
        find, coefficients = self.finder(queries), np.empty(len(queries.labels))

        def oracle(weights: Floats) -> Plane:
            loss = find(queries.features @ weights, coefficients)
            return Plane(coefficients @ queries.features, loss)

        digest = self.digest(queries) if self.warm_start else ""
        start = getattr(self, "_planes", None) if digest and digest == getattr(self, "_digest", None) else None
        width = queries.features.shape[1]
        solution = solve(oracle, width, self.C, self.tolerance, self.max_planes, start=start)
        if self.warm_start:
            self._planes, self._digest = solution.planes, digest
        return solution

    def digest(self, queries: Queries) -> str:
        """Changes when planes of one fit would be wrong in another."""
        settings = self.get_params()
        text = repr([(name, settings[name]) for name in sorted(settings) if name not in FREE]).encode()
        return hashlib.blake2b(b"".join([text, *(array.tobytes() for array in queries)])).hexdigest()

    def useful(self, queries: Queries) -> Flags:
        """The queries with something to learn: relevant documents and others."""
        counts = queries.relevant(self.relevant)
        return np.asarray((counts > 0) & (counts < np.diff(queries.offsets)))

    def nothing_to_learn(self, labels: Floats) -> str:
        """Why no query is useful."""
        return (
            f"no query has both documents with a label of at least relevant={self.relevant:g} and others; "
            f"the labels are {labels.min():g} to {labels.max():g}, n_samples={len(labels)}"
        )

    def finder(self, queries: Queries) -> Finder:
        """Finds the most violated rankings of these queries."""
        raise NotImplementedError

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """One score a document."""
        features = self.checked_again(X)
        return np.asarray(features @ self.coef_)
