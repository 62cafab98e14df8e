from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.clicks import Cascade, cascade
from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Flags, Floats, single
from duelist.data import Fold, ndcg
from duelist.online import Learner, learn
from duelist.online.page import Page
from duelist.online.result import join_runs
from duelist.testing.learner import easy_fold


class FileOrder(Learner):
    """Shows the documents as they come, and counts clicks in its first weight."""

    name = "file-order"

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        impression.count[0] = min(page.size, self.length)
        for slot in range(impression.count[0]):
            impression.shown[slot] = slot

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        for slot in range(impression.count[0]):
            self.weights[0, 0] += clicked[slot]


@pytest.fixture(scope="module")
def fold() -> Fold:
    return easy_fold()


def test_what_is_shown_is_judged_by_its_ndcg_and_its_time(fold: Fold) -> None:
    result = learn(FileOrder, fold, "perfect", impressions=3000, runs=10, seed=2, points=3, progress=False)
    train = fold.train
    each = [ndcg(train.labels[train.rows(query)], k=10) for query in range(train.n_queries)]
    discounts = 0.9995 ** np.arange(3000)
    expected, error = np.mean(each) * discounts.sum(), np.std(each) * np.sqrt((discounts**2).sum() / 10)
    assert abs(result.online_ndcg.mean - expected) < 4 * error
    assert result.checkpoints.tolist() == [1, 55, 3000]
    assert result.online.shape == result.final.shape == (10, 3)


def test_users_click_as_the_model_says(fold: Fold) -> None:
    train = fold.train
    for rule in ("click", "examined"):
        model = cascade("informational", 3, rule)
        each = [model.probabilities(train.labels[train.rows(q)][:10]).sum() for q in range(train.n_queries)]
        counts = [_clicks(fold, model, seed) for seed in range(20)]
        assert abs(np.mean(counts) - 2000 * np.mean(each)) < 4.5 * np.std(counts) / np.sqrt(20)


def _clicks(fold: Fold, model: Cascade, seed: int) -> float:
    """How many clicks 2,000 impressions got."""
    found: list[float] = []

    def keep(weights: Floats, test: Any) -> float:
        found.append(float(weights[0]))
        return 0.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("duelist.online.simulate.offline", keep)
        learn(FileOrder, fold, model, impressions=2000, runs=1, seed=seed, points=1, progress=False)
    return found[-1]


def test_the_seed_decides_whatever_the_cores(fold: Fold) -> None:
    one, two = (learn("pdgd", fold, impressions=300, runs=4, seed=5, cores=c, progress=False) for c in (1, 2))
    other = learn("pdgd", fold, impressions=300, runs=4, seed=6, progress=False)
    assert np.array_equal(one.online, two.online)
    assert np.array_equal(one.final, two.final)
    assert not np.array_equal(one.online, other.online)


def test_a_long_run_in_slices_is_the_same_run(fold: Fold, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = learn("dbgd", fold, impressions=1000, runs=1, seed=5, points=1, progress=False)
    monkeypatch.setattr("duelist.online.simulate.SLICE", 300)
    assert np.array_equal(
        learn("dbgd", fold, impressions=1000, runs=1, seed=5, points=1, progress=False).final, whole.final
    )


def test_the_result_says_how_to_read_it(fold: Fold) -> None:
    summary = learn("pdgd", fold, impressions=200, runs=2, stop="examined", progress=False).summary()
    assert summary["conventions"]["stop"] == "after any examined document"
    assert summary["final_ndcg"]["low"] < summary["final_ndcg"]["mean"] < summary["final_ndcg"]["high"]
    one = learn("pdgd", fold, impressions=200, runs=1, progress=False).summary()
    assert one["online_ndcg"]["low"] is None


def test_bad_input_is_named(fold: Fold) -> None:
    with pytest.raises(UnknownName, match="unknown clicks 'random'"):
        learn("pdgd", fold, "random")
    with pytest.raises(BadInput, match="impressions must be"):
        learn("pdgd", fold, impressions=0)
    with pytest.raises(BadInput, match="seed must be"):
        learn("pdgd", fold, seed=-1)
    with pytest.raises(BadInput, match="is no learner; known by name"):
        learn(int, fold)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="from 0 to 1"):
        learn("pdgd", fold, cascade("perfect", 2))
    with pytest.raises(BadInput, match="no documents"):
        learn("pdgd", Fold(fold.train.select([]), fold.vali, fold.test))


def test_the_names_that_learners_have_already_are_refused() -> None:
    with pytest.raises(BadInput, match="'told'"):
        type("Bad", (Learner,), {"told": single(int)}, abstract=True)


def test_runs_made_in_parts_are_the_runs_made_at_once(fold: Fold) -> None:
    def some(runs: int, first: int = 0) -> Any:
        return learn("pdgd", fold, "perfect", 200, runs, [5, 2], first=first, points=3, progress=False)

    whole, joined = some(5), join_runs([some(2), some(3, first=2)], [5, 2])
    assert (joined.final.tolist(), joined.online.tolist()) == (whole.final.tolist(), whole.online.tolist())
