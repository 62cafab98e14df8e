from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.core.compile import plain
from duelist.core.memory import Floats
from duelist.data import read_fold
from duelist.online import PDGD, learn
from duelist.online.learners.pdgd import Sampled, swap_chance

rho = plain(swap_chance)


def chance(scores: Floats, ranking: tuple[int, ...]) -> float:
    """Of a list under Plackett-Luce, from its definition."""
    left, result = list(range(len(scores))), 1.0
    for document in ranking:
        result *= math.exp(scores[document]) / sum(math.exp(scores[other]) for other in left)
        left.remove(document)
    return result


def test_lists_are_drawn_with_plackett_luce_chances() -> None:
    features = np.array([[1.0], [0.2], [-0.5], [0.4]])
    learner = PDGD(1, length=3, seed=1)
    learner.weights[0] = 1.5
    seen = Counter(learner.ask(features).ranking for _ in range(20_000))
    for ranking in itertools.permutations(range(4), 3):
        expected = 20_000 * chance(1.5 * features[:, 0], ranking)
        assert abs(seen[ranking] - expected) < 5 * math.sqrt(expected)


def slow_step(scores: Floats, features: Floats, ranking: tuple[int, ...], clicks: list[int], rate: float) -> Floats:
    """The update of the paper, from whole lists."""
    step = np.zeros(features.shape[1])
    seen = min(max(clicks) + 2, len(ranking)) if clicks else 0
    for i, j in itertools.product(range(seen), repeat=2):
        if i in clicks and j not in clicks:
            swapped = list(ranking)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            here, there = chance(scores, ranking), chance(scores, tuple(swapped))
            a, b = math.exp(scores[ranking[i]]), math.exp(scores[ranking[j]])
            step += a * b / (a + b) ** 2 * there / (here + there) * (features[ranking[i]] - features[ranking[j]])
    return rate * step


@pytest.mark.parametrize("size", [3, 6, 9])
def test_every_update_is_that_of_the_paper(size: int) -> None:
    luck = np.random.default_rng(size)
    learner = PDGD(4, rate=2.0, decay=0.9, length=5, seed=3)
    rate = 2.0
    for _ in range(60):
        features = luck.standard_normal((size, 4))
        impression = learner.ask(features)
        clicks = np.flatnonzero(luck.random(len(impression.ranking)) < 0.4).tolist()
        before = learner.weights[0].copy()
        expected = slow_step(features @ before, features, impression.ranking, clicks, rate)
        learner.tell(impression, clicks)
        assert np.allclose(learner.weights[0] - before, expected, atol=1e-12)
        rate *= 0.9 if clicks else 1.0


def test_huge_scores_neither_overflow_nor_stop_learning() -> None:
    learner = PDGD(1, seed=1)
    learner.weights[0] = 5000.0
    features = np.array([[1.0], [0.0], [-1.0], [0.9]])
    for _ in range(50):
        impression = learner.ask(features)
        learner.tell(impression, [2, 3])
    assert isinstance(impression, Sampled)
    assert np.isfinite(learner.weights).all()
    impression.scores[:3] = [900.0, -900.0, 0.0]
    impression.left[:3] = [900.0, 0.1, 0.0]
    assert rho(impression.memory, 0, 1) < 1e-300  # a list that is never drawn
    assert rho(impression.memory, 1, 2) > 0


# Five folds of ten seeds, an independent implementation: 95 % interval about 4 online.
FIGURES = [
    ("click", "perfect", 964.6, 0.7010),
    ("click", "navigational", 930.1, 0.6980),
    ("click", "informational", 922.2, 0.6903),
    ("examined", "navigational", 905.6, 0.6958),
]


@pytest.mark.parametrize(("stop", "clicks", "online", "final"), FIGURES)
def test_figures_on_mq2008(data: Callable[[str], Path], stop: str, clicks: str, online: float, final: float) -> None:
    folder = data("mq2008/S1.txt.gz").parent
    shown, learnt = [], []
    for number in range(1, 6):
        fold = read_fold(folder, number, cache=False)
        result = learn("pdgd", fold, clicks, runs=10, seed=[7, number], stop=stop, points=2, progress=False)
        shown.append(result.online[:, -1])
        learnt.append(result.final[:, -1])
    # The folds are the same, so only luck within a fold makes us differ.
    error = np.mean([part.var(ddof=1) / len(part) for part in shown]) ** 0.5 / 5**0.5
    assert abs(np.mean(shown) - online) < 3.5 * np.hypot(error, 2)
    assert abs(np.mean(learnt) - final) < 0.005
