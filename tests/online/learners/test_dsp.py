from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from duelist.online.learners.dbgd import Drafted
from duelist.online.learners.dsp import DBGDDSP, MGDDSP


def projected(direction: Any, documents: Any) -> Any:
    """Onto the span of the rows, by singular values; of length 1, or 0."""
    _, size, rows = np.linalg.svd(np.array(documents), full_matrices=False)
    basis = rows[size > 1e-8]
    inside = basis.T @ (basis @ direction)
    length = np.linalg.norm(inside)
    return inside / length if length > 1e-9 else np.zeros(len(direction))


def awkward_documents(luck: np.random.Generator) -> Any:
    """Eight features, some documents twice, sums of others, or 0."""
    features = luck.random((12, 8))
    features[1], features[4] = features[0], 0.0
    features[7] = features[5] + 2 * features[6]
    return features


@pytest.mark.parametrize("kind", [DBGDDSP, MGDDSP])
def test_every_step_lies_in_the_space_of_the_examined_documents(kind: type[DBGDDSP]) -> None:
    luck, learner, moved = np.random.default_rng(2), kind(8, rate=0.3, seed=1), 0
    for _ in range(300):
        features = awkward_documents(luck)
        impression = learner.ask(features)
        assert isinstance(impression, Drafted)
        clicks = np.flatnonzero(luck.random(10) < 0.15)
        teams = Counter(impression.teams[clicks].tolist())
        winners = [c for c in range(learner.candidates) if teams[c + 1] > teams[0]]
        seen = features[list(impression.ranking)[: clicks.max() + 3]] if len(clicks) else features[:0]
        before = learner.weights[0].copy()
        learner.tell(impression, clicks.tolist())
        expected = np.zeros(8)
        if winners:
            expected = 0.3 * projected(impression.directions[winners].mean(0), seen)
        assert np.allclose(learner.weights[0] - before, expected, rtol=0, atol=1e-7)
        moved += bool(winners)
    assert 50 < moved < 300


def test_what_lies_outside_the_space_moves_nothing() -> None:
    learner = DBGDDSP(3, seed=1)
    impression = learner.ask([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    assert isinstance(impression, Drafted)
    impression.directions[0], impression.teams[:2] = [0.0, 0.6, 0.8], [1, 0]
    learner.tell(impression, [0])
    assert not learner.weights.any()
