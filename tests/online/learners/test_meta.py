import math
from typing import Any

import numpy as np
import pytest

from duelist.core.compile import plain
from duelist.core.memory import Floats
from duelist.online.holder import Holder
from duelist.online.learners.meta import DM2L, M3L, NM2L
from duelist.online.page import Page, room


class Reference:
    """Algorithms 2 and 3 of the paper, told the way that won."""

    def __init__(self, d: int, learner: Any) -> None:
        self.learner, self.d = learner, d
        n = math.ceil(math.log2(math.sqrt(1 + 4 * learner.horizon / 5))) + 1 + learner.smaller
        self.steps = [learner.rate * 2.0 ** (i - learner.smaller) for i in range(n)]
        self.shares = np.array([(n + 1) / (i * (i + 1) * n) for i in range(1, n + 1)])
        self.experts = np.zeros((n, d))

    def tell(self, way: Floats) -> Floats:
        """The ranker shown next."""
        made, weights = self.learner, self.shares @ self.experts
        span = 1 if made.printed else made.inner.distance / (2 * made.radius * self.d)
        alpha = 4 / math.sqrt(made.horizon) * span
        losses = np.array([-(self.d / made.inner.distance) * way @ (expert - weights) for expert in self.experts])
        self.shares = self.shares * np.exp(-alpha * losses)
        self.shares /= self.shares.sum()
        for expert, step in zip(self.experts, self.steps, strict=True):
            expert += step * way
            expert *= min(1.0, made.radius / max(1e-300, float(np.linalg.norm(expert))))
        return np.asarray(self.shares @ self.experts)


def mean_of_winners(impression: Any, clicks: list[int]) -> Floats:
    """The mean of the directions whose documents have more clicks than the current ranker's."""
    won = [0] * (len(impression.directions) + 1)
    for slot in clicks:
        if impression.teams[slot] >= 0:
            won[impression.teams[slot]] += 1
    winners = [k for k in range(1, len(won)) if won[k] > won[0]]
    return np.asarray(impression.directions[np.array(winners) - 1].mean(0) if winners else impression.directions[0] * 0)


@pytest.mark.parametrize("kind", [DM2L, M3L])
@pytest.mark.parametrize(
    "settings", [{}, {"printed": True, "radius": 0.7}, {"smaller": 3, "horizon": 300, "rate": 0.1}]
)
def test_every_step_is_that_of_the_paper(kind: type[Holder], settings: dict[str, Any]) -> None:
    learner: Any = kind(4, seed=1, **settings)
    reference, luck, moves = Reference(4, learner), np.random.default_rng(0), 0
    for _ in range(300):
        impression = learner.ask(luck.random((12, 4)))
        clicks = np.flatnonzero(luck.random(10) < 0.3).tolist()
        way = mean_of_winners(impression, clicks)
        learner.tell(impression, clicks)
        moves += bool(way.any())
        expected = reference.tell(way)
        assert np.allclose(learner.weights[0], expected, rtol=1e-9, atol=1e-12)
        assert (learner.weights == learner.inner.weights).all()
        assert np.allclose(learner.shares, reference.shares)
    assert moves > 50


def test_the_way_of_nm2l_is_the_projected_winner() -> None:
    learner: Any = NM2L(4, seed=1, length=4)
    choose, update = (plain(NM2L.method(name, plain)) for name in ("choose", "update"))
    reference, luck, moves = Reference(4, learner), np.random.default_rng(0), 0
    for _ in range(60):
        impression, features = learner.blank.fresh(), luck.random((6, 4))
        page = Page(features, np.full(6, -1), 0, 6, *room(6, learner.n_rankers))
        choose(learner.memory, page, impression.memory, learner.rng)
        impression.features[:] = features[impression.shown]
        clicked = luck.random(4) < 0.4
        update(learner.memory, impression.memory, clicked, learner.rng)
        way = learner.inner.step.direction[0].copy()
        if way.any():
            assert np.linalg.norm(way) == pytest.approx(1)
            moves += 1
        assert np.allclose(learner.weights[0], reference.tell(way), rtol=1e-9, atol=1e-12)
    assert moves > 10
