from typing import Any

import numpy as np
import pytest

from duelist import BadInput
from duelist.core.memory import Declared, holds
from duelist.online.holder import Holder
from duelist.online.learners.forgetful import Fading, Restart
from duelist.online.learners.pdgd import PDGD


def pages(count: int) -> Any:
    luck = np.random.default_rng(0)
    for _ in range(count):
        yield luck.random((6, 3)), np.flatnonzero(luck.random(6) < 0.3).tolist()


def test_a_restarted_learner_is_a_new_one_after_each_period() -> None:
    wrapped: Any = Restart(3, seed=1, period=20, length=6)
    for step, (documents, clicks) in enumerate(pages(50)):
        if step % 20 == 0:
            fresh = PDGD(3, seed=5, length=6)
        fresh.rng.bit_generator.state = wrapped.rng.bit_generator.state
        mine, yours = wrapped.ask(documents), fresh.ask(documents)
        assert mine.ranking == yours.ranking
        wrapped.tell(mine, clicks)
        fresh.tell(yours, clicks)
        assert (wrapped.weights == fresh.weights).all()


def test_steps_fade_with_age() -> None:
    wrapped: Any = Fading(3, seed=1, size=10, length=6)
    free: Any = PDGD(3, seed=1, length=6)
    steps: list[Any] = []
    for documents, clicks in pages(60):
        free.weights[:] = wrapped.weights
        free.rng.bit_generator.state = wrapped.rng.bit_generator.state
        mine, yours = wrapped.ask(documents), free.ask(documents)
        before = wrapped.weights.copy()
        wrapped.tell(mine, clicks)
        free.tell(yours, clicks)
        steps.append(free.weights - before)
        faded = sum(step * 0.9 ** (len(steps) - age) for age, step in enumerate(steps))
        assert np.allclose(wrapped.weights, faded)
    assert np.abs(wrapped.weights).max() > 0.01


@pytest.mark.parametrize("kind", [Restart, Fading])
def test_the_held_learners_parameters_are_set_like_ones_own(kind: type[Holder]) -> None:
    made: Any = kind(3, base="dbgd", rate=0.5, candidates=4)
    assert made.inner.rate == 0.5
    assert made.n_rankers == 5
    assert made.blank.directions.shape == (4, 3)


def test_only_learners_can_be_held() -> None:
    class Part(Declared):
        pass

    with pytest.raises(BadInput, match="inner must hold a learner, not Part"):

        class Wrong(Holder, abstract=True):
            inner: Any = holds(Part)
