"""Environments by name: the instances of the papers, and matrices from files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats
from duelist.core.named import named
from duelist.core.parameters import limits, meant
from duelist.core.spec import Spec
from duelist.dueling.environment import ENVIRONMENTS, Environment
from duelist.dueling.environments.drifting import Deceptive, Drifting
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.environments.utility import Utilities

Arms = Annotated[int, limits("how many", low=2)]
Gap = Annotated[float, limits("how far from 1/2 a probability is", low=-0.5, high=0.5)]
Chances = Annotated[tuple[float, ...], limits("from 0 to 1", each=float, low=0, high=1)]
Stretch = Annotated[int, limits("duels between two changes", low=1)]
Changes = Annotated[int, limits("how often another arm becomes the best", low=1)]
Seed = Annotated[int, limits("of what is drawn", low=0)]
Lead = Annotated[float, limits("of the best arm, in utility", above=0, high=1)]


def from_upper(n_arms: int, chance: Callable[[int, int], float]) -> Floats:
    """The matrix whose cells above the diagonal are chance(i, j)."""
    matrix = np.full((n_arms, n_arms), 0.5)
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            matrix[i, j] = chance(i, j)
            matrix[j, i] = 1 - matrix[i, j]
    return matrix


def _numbers(values: Any) -> Floats:
    """As floats; nan when they are not numbers, which no check lets pass."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array([np.nan])


def bradley_terry(weights: Any) -> Matrix:
    """Arm i beats j with probability w_i / (w_i + w_j).

    >>> float(bradley_terry([3, 1]).preference[0, 1])
    0.75
    """
    w = _numbers(weights)
    if w.ndim != 1 or not (w > 0).all() or not np.isfinite(w).all():
        raise BadInput(f"Bradley-Terry weights must be positive numbers, not {weights!r}")
    return Matrix(w[:, None] / (w[:, None] + w[None, :]), "bradley-terry")


def gaussian(means: Any, deviation: float = 1.0) -> Matrix:
    """Arms draw from normal distributions of one deviation; the higher draw wins (Thurstone).

    >>> round(float(gaussian([1, 0]).preference[0, 1]), 4)
    0.7602
    """
    m = _numbers(means)
    if m.ndim != 1 or not np.isfinite(m).all() or not deviation > 0:
        raise BadInput(f"Gaussian arms need finite means and a positive deviation, not {means!r} and {deviation!r}")
    lead = (m[:, None] - m[None, :]) / (2 * deviation)
    return Matrix(0.5 * (1 + np.vectorize(math.erf)(lead)), "gaussian")


@named(ENVIRONMENTS, "arxiv")
def arxiv() -> Matrix:
    """Six rankers on arXiv's search; Yue and Joachims, ICML 2011."""
    rows = (
        (0.50, 0.55, 0.55, 0.54, 0.61, 0.61),
        (0.45, 0.50, 0.55, 0.55, 0.58, 0.60),
        (0.45, 0.45, 0.50, 0.54, 0.51, 0.56),
        (0.46, 0.45, 0.46, 0.50, 0.54, 0.50),
        (0.39, 0.42, 0.49, 0.46, 0.50, 0.51),
        (0.39, 0.40, 0.44, 0.50, 0.49, 0.50),
    )
    return Matrix(rows, "arxiv")


@named(ENVIRONMENTS, "savage-30")
def savage_30() -> Matrix:
    """P[i, j] = 1/2 + j / (2K) for i < j, counted from 1; Urvoy et al., ICML 2013."""
    return Matrix(from_upper(30, lambda i, j: 0.5 + (j + 1) / 60), "savage-30")


@named(ENVIRONMENTS, "bvs-20")
def bvs_20() -> Matrix:
    """A Condorcet winner that beats everyone by 0.01 and is not the Borda winner; REX3, appendix C."""
    return Matrix(from_upper(20, lambda i, j: 0.51 if i == 0 else 1.0), "bvs-20")


@named(ENVIRONMENTS, "worst-case")
def worst_case(arms: Arms = 100, epsilon: Gap = 0.1) -> Matrix:
    """Every better arm beats every worse one by epsilon; thesis 5.5.1, Figure 5.1."""
    return Matrix(from_upper(arms, lambda i, j: 0.5 + epsilon), "worst-case")


@named(ENVIRONMENTS, "bradley-terry")
def bradley_terry_random(
    arms: Arms = 100,
    epsilon: Annotated[float, limits("lead of the best arm, as a probability above 1/2", low=0, below=0.5)] = 0.1,
    seed: Seed = 0,
) -> Matrix:
    """Random weights, the best arm at least epsilon ahead; thesis 5.5.1, Figure 5.2."""
    others = np.random.default_rng(seed).random(arms - 1)
    return bradley_terry([others.max() * (1 + 2 * epsilon) / (1 - 2 * epsilon), *others])


@named(ENVIRONMENTS, "arithmetic")
def arithmetic(arms: Arms = 8, step: Gap = 0.05) -> Matrix:
    """P[i, j] = 1/2 + step (j - i)."""
    return Matrix(from_upper(arms, lambda i, j: 0.5 + step * (j - i)), "arithmetic")


@named(ENVIRONMENTS, "strong")
def strong(arms: Arms = 20, seed: Seed = 0) -> Matrix:
    """Every better arm beats every worse one with 0.9 to 0.99, at random; the arms are in no order."""
    luck = np.random.default_rng(seed)
    return _shuffled(from_upper(arms, lambda i, j: luck.uniform(0.9, 0.99)), luck, "strong")


@named(ENVIRONMENTS, "tangled")
def tangled(arms: Arms = 20, seed: Seed = 0) -> Matrix:
    """One arm beats each other one with 0.52 to 0.75, and those each other with anything from 0.1 to 0.9."""
    luck = np.random.default_rng(seed)
    chances = from_upper(arms, lambda i, j: luck.uniform(0.52, 0.75) if i == 0 else luck.uniform(0.1, 0.9))
    return _shuffled(chances, luck, "tangled")


@named(ENVIRONMENTS, "circle")
def circle(arms: Annotated[int, limits("how many", low=3)] = 20, lead: Gap = 0.1, seed: Seed = 0) -> Matrix:
    """Normal strengths; the best three are as strong as each other, and beat each other in a circle by `lead`."""
    luck = np.random.default_rng(seed)
    strengths = np.sort(luck.normal(size=arms))[::-1]
    strengths[:3] = strengths[:3].mean()
    chances = np.array(bradley_terry(np.exp(strengths)).preference)
    for arm in range(3):
        other = (arm + 1) % 3
        chances[arm, other], chances[other, arm] = 0.5 + lead, 0.5 - lead
    return _shuffled(chances, luck, "circle")


@named(ENVIRONMENTS, "tournament")
def tournament(arms: Arms = 10, seed: Seed = 0) -> Matrix:
    """Each pair anything from 0 to 1, at random: seldom does one arm beat all others, and nothing foretells a pair."""
    luck = np.random.default_rng(seed)
    return Matrix(from_upper(arms, lambda i, j: luck.random()), "tournament")


def _shuffled(matrix: Floats, luck: np.random.Generator, name: str) -> Matrix:
    order = luck.permutation(len(matrix))
    return Matrix(matrix[np.ix_(order, order)], name)


@named(ENVIRONMENTS, "cyclic")
def cyclic() -> Matrix:
    """A Condorcet winner by 0.1 over three arms that beat each other in a cycle."""
    return Matrix(((0.5, 0.6, 0.6, 0.6), (0.4, 0.5, 0.9, 0.1), (0.4, 0.1, 0.5, 0.9), (0.4, 0.9, 0.1, 0.5)), "cyclic")


@named(ENVIRONMENTS, "no-condorcet")
def no_condorcet() -> Matrix:
    """Arm 0 beats all arms but the last, the others beat two at most: a Copeland winner, and no Condorcet winner."""
    rows = (
        (0.5, 0.7, 0.8, 0.7, 0.3),
        (0.3, 0.5, 0.8, 0.7, 0.3),
        (0.2, 0.2, 0.5, 0.6, 0.8),
        (0.3, 0.3, 0.4, 0.5, 0.7),
        (0.7, 0.7, 0.2, 0.3, 0.5),
    )
    return Matrix(rows, "no-condorcet")


@named(ENVIRONMENTS, "deceptive")
def deceptive(arms: Arms = 10) -> Deceptive:
    """The best arm's lead shrinks to deceive stochastic policies; REX3, Figure 8."""
    return Deceptive(arms)


@named(ENVIRONMENTS, "abrupt")
def abrupt(arms: Arms = 5, stretch: Stretch = 20_000, changes: Changes = 4, lead: Lead = 0.4) -> Drifting:
    """Each arm in turn is the best by `lead` (in utility) for `stretch` duels."""
    return _turns("abrupt", arms, stretch, changes, lead, smooth=False)


@named(ENVIRONMENTS, "smooth")
def smooth(arms: Arms = 5, stretch: Stretch = 20_000, changes: Changes = 4, lead: Lead = 0.4) -> Drifting:
    """The same, but utilities move in a straight line from one state to the next."""
    return _turns("smooth", arms, stretch, changes, lead, smooth=True)


def _turns(name: str, arms: int, stretch: int, changes: int, lead: float, smooth: bool) -> Drifting:
    means = np.full((changes + 1, arms), 0.5 - 0.5 * lead)
    means[np.arange(changes + 1), np.arange(changes + 1) % arms] += lead
    return Drifting(1 + stretch * np.arange(changes + 1), means, smooth, name)


@named(ENVIRONMENTS, "utilities")
def utilities(means: Chances = (), ties: bool = False) -> Utilities:
    """Each arm earns 1 with its own probability; the higher earning wins."""
    return Utilities(means, ties)


@named(ENVIRONMENTS, "matrix")
def matrix(cells: Chances = (), path: Annotated[str, limits("a file")] = "") -> Matrix:
    """Probabilities given cell by cell, row after row, or in a file (.txt, .csv, .npy, .npz)."""
    if bool(cells) == bool(path):
        raise BadInput("matrix needs either cells, row after row, or the path of a file")
    if path:
        return Matrix.read(path)
    arms = math.isqrt(len(cells))
    if arms**2 != len(cells):
        raise BadInput(f"matrix: cells must be as many as a square has, not {len(cells)}")
    return Matrix(np.reshape(cells, (arms, arms)))


def load_environment(given: str | Path | Spec) -> Environment:
    """An environment from a name, a name with parameters, a spec, or a matrix file.

    >>> load_environment("arxiv").n_arms, load_environment("worst-case:arms=12,epsilon=0.2").n_arms
    (6, 12)
    """
    text = str(given)
    if not isinstance(given, Spec) and text.partition(":")[0] not in list(ENVIRONMENTS) and Path(text).is_file():
        return matrix(path=text)
    spec = Spec.read("environment", text if isinstance(given, Path) else given)
    if spec.name not in list(ENVIRONMENTS) and ":" not in spec.name:
        known = ", ".join(ENVIRONMENTS)
        hint = meant(spec.name, ENVIRONMENTS)
        raise UnknownName(f"{text!r} is neither a file nor a built-in instance{hint}. Known: {known}")
    environment: Environment = spec.make()
    return environment
