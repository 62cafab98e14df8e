"""Choosing documents that cover the subtopics of a query, learned by a structural SVM.

Yue, Joachims. Predicting Diverse Subsets Using Structural SVMs. ICML 2008. Thesis, chapter 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

import numpy as np

from duelist.core.errors import BadInput, MissingExtra, Unsolved
from duelist.core.memory import Floats, Ints
from duelist.offline.diversity.candidates import Candidates
from duelist.offline.diversity.coverage import FIELD, THRESHOLDS, Features, word_coverage
from duelist.offline.diversity.distances import pair_distances
from duelist.offline.diversity.greedy import check_size, choose_greedily
from duelist.offline.diversity.training import Discriminant, Example, GreedyOracle, solve_greedily
from duelist.offline.structural import Planes, check_settings

try:
    from sklearn.base import BaseEstimator, clone
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise MissingExtra("SVM-div needs scikit-learn: pip install 'duelist[offline]'") from None

COSTS = (1e-4, 1e-3, 1e-2, 1e-1)
DISCRIMINANTS = ("words", "distances")


class SVMDiv(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Chooses k documents of a query that cover much together; what is worth covering is learned.

    C: the price of the risk against |w|^2 / 2. k: how many documents are chosen, in training too.
    thresholds: of the share of documents with a word. tolerance: the gap at which training stops, in
    units of C, so as a loss. max_planes: more are an error. nonnegative: nothing is worth less than
    nothing, so that a greedy choice is worth at least 1 - 1/e of the best one; the features are then by
    bands of shares instead of all thresholds reached. discriminant: what a choice is described by, the "words" that
    it covers or the "distances" of its documents from each other and from the rest (thesis 4.5.1). fields: parts of
    the documents, as `candidates` was told of them, in each of which a word may be covered (4.5.3).

    After `fit`: coef_, primal_, dual_, gap_, n_planes_, n_queries_. The best objective is above dual_ for
    certain; primal_ is only as high as greedy choices could find, so that a small gap_ proves nothing.

    Departs: the truth is itself among the choices that bound the risk (its loss is not 0 where k documents
    cannot cover all), so that primal_ is at least C times the mean loss of the truth.

    >>> from duelist.offline.diversity import synthetic_queries
    >>> queries = synthetic_queries(queries=20, documents=30, seed=1)
    >>> model = SVMDiv(C=0.001, k=3).fit(queries[:10])
    >>> len(model.predict(queries[10])), round(model.loss(queries[10:]), 1)
    (3, 0.4)
    """

    levels: ClassVar[tuple[str, ...]] = ("occurs", "5 times", "5 %", "title")

    def __init__(
        self,
        C: float = 0.001,  # noqa: N803 - the name it has everywhere
        k: int = 5,
        thresholds: Sequence[float] = THRESHOLDS,
        tolerance: float = 0.01,
        max_planes: int = 10_000,
        nonnegative: bool = False,
        discriminant: Literal["words", "distances"] = "words",
        fields: Sequence[str] = (),
    ) -> None:
        self.C, self.k, self.thresholds = C, k, thresholds
        self.tolerance, self.max_planes, self.nonnegative = tolerance, max_planes, nonnegative
        self.discriminant, self.fields = discriminant, fields

    @property
    def all_levels(self) -> tuple[str, ...]:
        """At which a word may be covered."""
        return (*self.levels, *(FIELD + name for name in self.fields))

    @property
    def features(self) -> Features:
        return Features(self.all_levels, tuple(self.thresholds), bands=self.nonnegative)

    def describe(self, query: Candidates) -> Discriminant:
        """What choices of its documents are worth, by weights."""
        if self.discriminant not in DISCRIMINANTS:
            raise BadInput(f"discriminant must be one of {', '.join(DISCRIMINANTS)}, not {self.discriminant!r}")
        if self.discriminant == "distances":
            return pair_distances(query, self.all_levels)
        return word_coverage(query, self.features)

    def fit(self, queries: Sequence[Candidates]) -> SVMDiv:
        """Learn from queries with subtopics; those with nothing to choose are left out."""
        self._learn(self._oracle(queries), None)
        return self

    def _oracle(self, queries: Sequence[Candidates]) -> GreedyOracle:
        check_size(self.k)
        useful = [query for query in queries if query.n_documents > self.k and query.subtopics.shape[1] > 0]
        if not useful:
            raise BadInput(f"none of {len(queries)} queries has subtopics and more than k={self.k} documents")
        self._check_features(useful, useful[0].features.shape[1])
        return GreedyOracle([Example(self.describe(query), self.k) for query in useful])

    def _learn(self, oracle: GreedyOracle, start: Planes | None) -> Planes:
        check_settings(self.C, self.tolerance, self.max_planes)
        found = solve_greedily(oracle, self.C, self.tolerance, self.max_planes, start, self.nonnegative)
        self.coef_, self.n_queries_, self.n_planes_ = found.weights, len(oracle.examples), found.rounds
        self.n_features_in_ = oracle.examples[0].query.features.shape[1]
        self.primal_, self.dual_, self.gap_ = found.primal, found.dual, found.gap
        return found.planes

    def predict(self, query: Candidates, k: int | None = None) -> Ints:
        """The documents to show, in the order they were chosen (Algorithm 3); a larger k only adds to them."""
        check_is_fitted(self)
        self._check_features([query], self.n_features_in_)
        worth, weights, size = self.describe(query), self.coef_, check_size(self.k if k is None else k)
        return choose_greedily(
            worth.cover, worth.benefits(weights), size, worth.bonus(weights), worth.distances(weights)
        )

    def loss(self, queries: Iterable[Candidates]) -> float:
        """The mean weighted subtopic loss of what is predicted."""
        return float(np.mean([query.loss(self.predict(query)) for query in queries]))

    def word_benefits(self) -> dict[tuple[str, str], Floats]:
        """By (level, other level): what a word covered at the level earns for its share of documents at the other.

        There is a number for each threshold, for shares from there to the next. What the word is worth
        is the sum over other levels.
        """
        check_is_fitted(self)
        if self.discriminant != "words":
            raise BadInput(f"{self!r} does not look at words")
        table = self.features.by_band(self.coef_).reshape(self.features.shape)
        names = enumerate(self.all_levels)
        return {(own, other): table[i, j] for i, own in names for j, other in enumerate(self.all_levels)}

    def _check_features(self, queries: Sequence[Candidates], width: int) -> None:
        for query in queries:
            if query.features.shape[1] != width:
                raise BadInput(
                    f"documents must have {width} features, as the others have, not {query.features.shape[1]}"
                )
            if self.nonnegative and (query.features < 0).any():
                raise BadInput("with nonnegative=True the features of documents must not be below 0")


class SVMDiv2(SVMDiv):
    """SVM-div with one level more: the 5 words of a document with the largest TFIDF."""

    levels: ClassVar[tuple[str, ...]] = (*SVMDiv.levels, "top TFIDF")


def fit_best(
    model: SVMDiv, queries: Sequence[Candidates], validation: Sequence[Candidates], costs: Iterable[float] = COSTS
) -> SVMDiv:
    """A copy of `model` with the C of the lowest loss on other queries; of equal ones the smallest.

    A C at which training comes to no end is left out, with a warning; if all do, that is an error.

    >>> from duelist.offline.diversity import synthetic_queries
    >>> queries = synthetic_queries(queries=20, documents=30, seed=1)
    >>> round(fit_best(SVMDiv(k=3), queries[:10], queries[10:]).loss(queries[10:]), 1)
    0.4
    """
    if not validation:
        raise BadInput("C is chosen on other queries: validation must not be empty")
    wanted = sorted(costs)
    if not wanted:
        raise BadInput("costs must name one C at least")
    oracle, planes, fitted, left_out = model._oracle(queries), None, [], []
    for cost in wanted:
        copy = clone(model).set_params(C=cost)
        try:
            planes = copy._learn(oracle, planes)
        except Unsolved as error:
            left_out.append(f"C={cost:g} is left out: {error}")
        else:
            fitted.append(copy)
    if not fitted:
        raise Unsolved("; ".join(left_out))
    for sentence in left_out:
        warnings.warn(sentence, stacklevel=2)
    best: SVMDiv = min(fitted, key=lambda each: each.loss(validation))
    return best
