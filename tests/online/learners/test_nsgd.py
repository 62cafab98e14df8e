from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.compile import plain
from duelist.data import read_fold
from duelist.online.learners.dbgd import Descender, Drafted
from duelist.online.learners.nsgd import NSGD, NSGDDSP, NullSpace
from duelist.online.simulate import learn

FEATURES = 9


@dataclass
class Slow:
    """The same in plain lists: losing directions with their losses, newest last, and hard queries."""

    learner: Descender
    losers: list[tuple[int, Any]] = field(default_factory=list)
    hard: list[tuple[float, int, Any, Any]] = field(default_factory=list)  # ease, time, features, clicked slots
    time: int = 0

    def worst(self) -> Any:
        kept = [(loss, -age, u) for age, (loss, u) in enumerate(self.losers[-self.learner.directions.stored :])]
        most = min(self.learner.directions.avoided, 2 * FEATURES // 3)
        return np.array([u for *_, u in sorted(kept, key=lambda entry: entry[:2])[:most]]).reshape(-1, FEATURES)

    def remember(self, features: Any, clicks: Any) -> None:
        entry = (float((1 / (clicks + 1)).sum()), self.time, features, clicks)
        stale = [e for e in self.hard if self.time - e[1] > self.learner.directions.window]
        self.time += 1
        if len(clicks) == 0:
            return
        if len(self.hard) == self.learner.directions.hard:
            out = min(stale, key=lambda e: e[1]) if stale else max(self.hard, key=lambda e: e[0])
            if not stale and out[0] <= entry[0]:
                return
            self.hard = [entry if e is out else e for e in self.hard]
        else:
            self.hard.append(entry)

    def value(self, direction: Any) -> float:
        total = 0.0
        for _, _, features, clicks in self.hard:
            scores = features @ (self.learner.weights[0] + direction)
            total += sum(1 / (1 + (scores > scores[slot]).sum()) for slot in clicks)
        return total

    def best(self, impression: Drafted, winners: list[int]) -> list[Any]:
        """The winners that rank hard queries best."""
        values = [self.value(impression.directions[w]) for w in winners]
        return [impression.directions[w] for w, v in zip(winners, values, strict=True) if v > max(values) - 1e-9]

    def lose(self, impression: Drafted, teams: Counter[int]) -> None:
        clicks = [teams[ranker] for ranker in range(10)]
        for c in range(9):
            if clicks[c + 1] < clicks[0] and clicks[c + 1] <= sorted(clicks)[3]:
                self.losers.append((clicks[c + 1] - clicks[0], impression.directions[c].copy()))


def projected(direction: Any, documents: Any) -> Any:
    basis, size, _ = np.linalg.svd(documents.T, full_matrices=False)
    inside = basis[:, size > 1e-9] @ (basis[:, size > 1e-9].T @ direction)
    return inside / np.linalg.norm(inside)


@pytest.mark.parametrize("kind", [NSGD, NSGDDSP])
def test_it_follows_a_slow_transcription_step_by_step(kind: type[Descender]) -> None:
    luck, learner = np.random.default_rng(2), kind(FEATURES, rate=0.3, stored=12, avoided=5, hard=3, window=9, seed=1)
    slow, decided = Slow(learner), 0
    for _ in range(400):
        features = luck.standard_normal((14, FEATURES))
        impression = learner.ask(features)
        assert isinstance(impression, Drafted)
        worst, shown = slow.worst(), features[list(impression.ranking)]
        assert np.allclose(np.linalg.norm(impression.directions, axis=1), 1.0)
        assert np.allclose(worst @ impression.directions.T, 0.0, atol=1e-7)
        assert learner.directions.avoiding[0] == (np.linalg.matrix_rank(worst, tol=1e-6) if len(worst) else 0)
        clicks = np.flatnonzero(luck.random(10) < 0.25)
        teams = Counter(impression.teams[clicks].tolist())
        winners = [c for c in range(9) if teams[c + 1] > teams[0]]
        slow.remember(shown, clicks)
        slow.lose(impression, teams)
        steps = slow.best(impression, winners) if winners else [np.zeros(FEATURES)]
        decided += len(steps) < len(winners)
        if kind is NSGDDSP and winners:
            steps = [projected(step, shown[: clicks.max() + 3]) for step in steps]
        before = learner.weights[0].copy()
        learner.tell(impression, clicks.tolist())
        moved = learner.weights[0] - before
        assert any(np.allclose(moved, 0.3 * step, rtol=0, atol=1e-7) for step in steps)
    assert decided > 100
    assert len(slow.losers) > 100


def find_anew(learner: NSGD) -> None:
    plain(NullSpace.start)(learner.directions.memory, learner.rng)


def test_the_worse_losers_are_avoided_and_of_equal_ones_the_later() -> None:
    learner = NSGD(6, stored=4, avoided=2, seed=1)
    learner.directions.losers[:] = np.eye(6)[:4]
    learner.directions.losses[:] = [-1, -1, -2, -1]
    learner.directions.lost[0] = 6  # rows 2 and 3 are the oldest, then 0, then 1
    find_anew(learner)
    impression = learner.ask(np.ones((3, 6)))
    assert isinstance(impression, Drafted)
    assert np.allclose(impression.directions[:, [1, 2]], 0.0)
    assert (np.abs(impression.directions[:, [0, 3, 4, 5]]) > 1e-9).all()


def test_the_directions_kept_are_those_along_which_documents_lie_furthest() -> None:
    learner, luck = NSGD(7, seed=1), np.random.default_rng(2)
    for _ in range(30):
        features = luck.random((9, 7))
        impression = learner.ask(features)
        assert isinstance(impression, Drafted)
        free = slice(int(learner.directions.avoiding[0]), 7)
        drawn = learner.directions.drawn[:, free] @ learner.directions.basis[free]
        assert drawn.shape == (20, 7)
        furthest = drawn[np.argsort(-np.abs(drawn @ features.mean(0)))[:9]]
        assert np.allclose(impression.directions, furthest)
        learner.tell(impression, [0])


def test_the_basis_is_orthonormal_and_complete_whatever_lost() -> None:
    learner = NSGD(8, seed=1)
    learner.directions.losers[:] = np.tile(np.random.default_rng(1).standard_normal((3, 8)), (20, 1))
    learner.directions.losses[:], learner.directions.lost[0] = -1, 60
    find_anew(learner)
    assert learner.directions.avoiding[0] == 3
    assert np.allclose(learner.directions.basis @ learner.directions.basis.T, np.eye(8), atol=1e-12)


# What issue 5 asks for; one run of public code reached 903.6, 891.2 and 864.1.
@pytest.mark.parametrize(("clicks", "online"), [("perfect", 890), ("navigational", 880), ("informational", 850)])
def test_figures_on_mq2008(data: Callable[[str], Path], clicks: str, online: float) -> None:
    fold = read_fold(data("mq2008/S1.txt.gz").parent, 1, cache=False)
    result = learn("nsgd-dsp", fold, clicks, runs=10, seed=3, stop="examined", points=2, progress=False, cores=1)
    assert result.online_ndcg.mean >= online
    assert result.final_ndcg.mean > 0.69
