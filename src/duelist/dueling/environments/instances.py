"""Environments by name: the instances of the papers, and matrices from files."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats
from duelist.dueling.environment import Environment
from duelist.dueling.environments.drifting import Deceptive, Drifting
from duelist.dueling.environments.matrix import Matrix


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


def savage_30() -> Matrix:
    """P[i, j] = 1/2 + j / (2K) for i < j, counted from 1; Urvoy et al., ICML 2013."""
    return Matrix(from_upper(30, lambda i, j: 0.5 + (j + 1) / 60), "savage-30")


def bvs_20() -> Matrix:
    """A Condorcet winner that beats everyone by 0.01 and is not the Borda winner; REX3, appendix C."""
    return Matrix(from_upper(20, lambda i, j: 0.51 if i == 0 else 1.0), "bvs-20")


def worst_case(arms: int = 100, epsilon: float = 0.1) -> Matrix:
    """Every better arm beats every worse one by epsilon; thesis 5.5.1, Figure 5.1."""
    return Matrix(from_upper(arms, lambda i, j: 0.5 + epsilon), "worst-case")


def bradley_terry_random(arms: int = 100, epsilon: float = 0.1, seed: int = 0) -> Matrix:
    """Random weights, the best arm at least epsilon ahead; thesis 5.5.1, Figure 5.2."""
    for name, value, fits, allowed in (
        ("arms", arms, arms >= 2, "at least 2"),
        ("epsilon", epsilon, 0 <= epsilon < 0.5, "from 0 to below 0.5"),
        ("seed", seed, seed >= 0, "at least 0"),
    ):
        if not fits:
            raise BadInput(f"bradley-terry: {name} must be {allowed}, not {value}")
    others = np.random.default_rng(seed).random(arms - 1)
    return bradley_terry([others.max() * (1 + 2 * epsilon) / (1 - 2 * epsilon), *others])


def arithmetic(arms: int = 8, step: float = 0.05) -> Matrix:
    """P[i, j] = 1/2 + step (j - i)."""
    return Matrix(from_upper(arms, lambda i, j: 0.5 + step * (j - i)), "arithmetic")


def cyclic() -> Matrix:
    """A Condorcet winner by 0.1 over three arms that beat each other in a cycle."""
    return Matrix(((0.5, 0.6, 0.6, 0.6), (0.4, 0.5, 0.9, 0.1), (0.4, 0.1, 0.5, 0.9), (0.4, 0.9, 0.1, 0.5)), "cyclic")


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


def deceptive(arms: int = 10) -> Deceptive:
    """The best arm's lead shrinks to deceive stochastic policies; REX3, Figure 8."""
    return Deceptive(arms)


def abrupt(arms: int = 5, stretch: int = 20_000, changes: int = 4, lead: float = 0.4) -> Drifting:
    """Each arm in turn is the best by `lead` (in utility) for `stretch` duels."""
    return _turns("abrupt", arms, stretch, changes, lead, smooth=False)


def smooth(arms: int = 5, stretch: int = 20_000, changes: int = 4, lead: float = 0.4) -> Drifting:
    """The same, but utilities move in a straight line from one state to the next."""
    return _turns("smooth", arms, stretch, changes, lead, smooth=True)


def _turns(name: str, arms: int, stretch: int, changes: int, lead: float, smooth: bool) -> Drifting:
    for setting, value, fits, allowed in (
        ("stretch", stretch, stretch >= 1, "at least 1"),
        ("changes", changes, changes >= 1, "at least 1"),
        ("lead", lead, 0 < lead <= 1, "above 0 and at most 1"),
    ):
        if not fits:
            raise BadInput(f"{name}: {setting} must be {allowed}, not {value}")
    means = np.full((changes + 1, arms), 0.5 - 0.5 * lead)
    means[np.arange(changes + 1), np.arange(changes + 1) % arms] += lead
    return Drifting(1 + stretch * np.arange(changes + 1), means, smooth, name)


INSTANCES: dict[str, Callable[..., Environment]] = {
    "arxiv": arxiv,
    "savage-30": savage_30,
    "bvs-20": bvs_20,
    "worst-case": worst_case,
    "bradley-terry": bradley_terry_random,
    "arithmetic": arithmetic,
    "cyclic": cyclic,
    "no-condorcet": no_condorcet,
    "deceptive": deceptive,
    "abrupt": abrupt,
    "smooth": smooth,
}


def load_environment(text: str | Path) -> Environment:
    """An environment from a name, a name with settings, or a matrix file.

    >>> load_environment("arxiv").n_arms, load_environment("worst-case:arms=12,epsilon=0.2").n_arms
    (6, 12)
    """
    name, _, settings = str(text).partition(":")
    if name in INSTANCES:
        return _build(name, settings)
    if Path(text).is_file():
        return Matrix.read(text)
    close = difflib.get_close_matches(name, INSTANCES, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise UnknownName(f"{str(text)!r} is neither a file nor a built-in instance.{hint} Known: {', '.join(INSTANCES)}")


def _build(name: str, settings: str) -> Environment:
    make = INSTANCES[name]
    defaults = {n: p.default for n, p in inspect.signature(make).parameters.items()}
    chosen: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in defaults:
            raise BadInput(f"{name} has no setting {key!r}; its settings: {', '.join(defaults) or 'none'}")
        try:
            chosen[key] = type(defaults[key])(value)
        except ValueError:
            kind = "a whole number" if isinstance(defaults[key], int) else "a number"
            raise BadInput(f"{name}: {key} must be {kind}, not {value!r}") from None
    if chosen.get("arms", 2) < 2:
        raise BadInput(f"{name}: arms must be at least 2, not {chosen['arms']}")
    return make(**chosen)
