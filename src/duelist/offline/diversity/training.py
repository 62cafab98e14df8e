"""What SVM-div learns from: for each query the truth, and the choices that come too close to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from duelist.core.memory import Floats, Ints
from duelist.offline.diversity.candidates import Candidates
from duelist.offline.diversity.greedy import Cover, choose_greedily, make_cover, pairs_of
from duelist.offline.structural import Plane, Planes, Solution, solve

Chooser = Callable[..., Ints]  # choose_greedily, or choose_exactly in tests


class Discriminant(Protocol):
    """What a choice of documents of a query is worth by some weights: w.Psi, part by part."""

    @property
    def query(self) -> Candidates: ...

    @property
    def cover(self) -> Cover: ...

    @property
    def n_features(self) -> int: ...

    def benefits(self, weights: Floats) -> Floats:
        """Of each item covered."""

    def bonus(self, weights: Floats) -> Floats:
        """Of each document chosen."""

    def distances(self, weights: Floats) -> Floats | None:
        """Of each pair chosen, if distances count."""

    def joint_features(self, chosen: Ints) -> Floats:
        """Psi(x, y)."""


class Example:
    """A training query; its truth is the greedy choice with the subtopics known."""

    def __init__(self, worth: Discriminant, k: int) -> None:
        self.worth, self.query, self.k = worth, worth.query, k
        self.prices = self.query.subtopic_weights()
        subtopics, cover = self.query.subtopic_cover(), worth.cover
        self.truth = choose_greedily(subtopics, self.prices, k)
        self.truth_features = worth.joint_features(self.truth)
        (owners, items), (others, topics) = pairs_of(cover), pairs_of(subtopics)
        self.items_and_subtopics = make_cover(
            np.concatenate([owners, others]),
            np.concatenate([items, topics + int(items.max(initial=-1)) + 1]),
            self.query.n_documents,
        )

    def most_violated(self, weights: Floats, choose: Chooser = choose_greedily) -> Ints:
        """The choice of the largest loss + w.Psi, (4.6): subtopics are items that it costs to cover."""
        benefits = np.concatenate([self.worth.benefits(weights), -self.prices])
        bonus, distances = self.worth.bonus(weights), self.worth.distances(weights)
        return choose(self.items_and_subtopics, benefits, self.k, bonus, distances)

    def plane(self, chosen: Ints) -> Plane:
        """What the choice says about the weights: risk >= loss - w.(Psi(truth) - Psi(choice))."""
        return Plane(self.truth_features - self.worth.joint_features(chosen), self.query.loss(chosen))


class GreedyOracle:
    """The mean over queries of the most violated plane that is known.

    The greedy choice has no guarantee here. So each query's earlier choices are kept, and one of them is
    taken when it is worse than what greed finds now.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples
        self.directions = np.zeros((16, len(examples), examples[0].worth.n_features))
        self.losses = np.zeros((16, len(examples)))
        self.size = 0
        self.learn([example.plane(example.truth) for example in examples])

    @property
    def n_features(self) -> int:
        return self.directions.shape[2]

    def learn(self, planes: Sequence[Plane]) -> None:
        """One more plane for each query."""
        if self.size == len(self.losses):
            self.directions = np.concatenate([self.directions, np.zeros_like(self.directions)])
            self.losses = np.concatenate([self.losses, np.zeros_like(self.losses)])
        for place, plane in enumerate(planes):
            self.directions[self.size, place], self.losses[self.size, place] = plane
        self.size += 1

    def __call__(self, weights: Floats) -> Plane:
        self.learn([example.plane(example.most_violated(weights)) for example in self.examples])
        return self.worst_known(weights)

    def worst_known(self, weights: Floats) -> Plane:
        """The most violated plane among those known, on the mean over queries."""
        worst = (self.losses[: self.size] - self.directions[: self.size] @ weights).argmax(0)
        own = np.arange(len(worst))
        return Plane(self.directions[worst, own].mean(0), float(self.losses[worst, own].mean()))


def solve_greedily(
    oracle: GreedyOracle, cost: float, tolerance: float, max_planes: int, start: Planes | None, nonnegative: bool
) -> Solution:
    """Weights with a gap of at most tolerance * cost, by all planes that are known at the end.

    The solver keeps the objective that an oracle told it. Greed may tell less than what it finds later at
    other weights; then the solver goes on.
    """
    rounds, enough = 0, tolerance * cost
    while True:
        found = solve(
            oracle,
            oracle.n_features,
            cost,
            tolerance,
            max_planes - rounds,
            enough=enough,
            start=start,
            nonnegative=nonnegative,
        )
        rounds += found.rounds
        direction, loss = oracle.worst_known(found.weights)
        primal = float(found.weights @ found.weights / 2 + cost * (loss - found.weights @ direction))
        if primal - found.dual <= enough:
            return replace(found, primal=primal, rounds=rounds)
        start = found.planes
