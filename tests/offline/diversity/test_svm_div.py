from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from duelist.core.errors import BadInput, Unsolved
from duelist.core.memory import Floats, Ints
from duelist.evidence import wilcoxon_test
from duelist.offline.diversity import (
    Candidates,
    SVMDiv,
    SVMDiv2,
    candidates,
    choose_at_random,
    choose_by_okapi,
    choose_essential_pages,
    choose_exactly,
    choose_knowing_subtopics,
    choose_unweighted,
    fit_best,
    synthetic_queries,
)
from duelist.offline.diversity.coverage import word_coverage
from duelist.offline.diversity.greedy import value_of

from .cases import fast, small_queries

BASELINES: dict[str, Callable[[Candidates], Ints]] = {
    "random": lambda query: choose_at_random(query, 5, np.random.default_rng(int(query.words.sum()))),
    "okapi": lambda query: choose_by_okapi(query, 5),
    "unweighted": lambda query: choose_unweighted(query, 5),
    "essential pages": lambda query: choose_essential_pages(query, 5),
}


@pytest.fixture(scope="module")
def model(synthetic: list[Candidates]) -> SVMDiv:
    return SVMDiv().fit(synthetic[:15])


@pytest.fixture(scope="module")
def losses(synthetic: list[Candidates], model: SVMDiv) -> Floats:
    return np.array([query.loss(model.predict(query)) for query in synthetic[15:]])


@pytest.mark.parametrize("name", BASELINES)
def test_the_loss_is_clearly_below_that_of(name: str, synthetic: list[Candidates], losses: Floats) -> None:
    others = np.array([query.loss(BASELINES[name](query)) for query in synthetic[15:]])
    assert (losses - others).mean() < -0.05
    assert wilcoxon_test(losses - others).p_value < 1e-4


def test_the_loss_is_near_that_with_subtopics_known(synthetic: list[Candidates], losses: Floats) -> None:
    known = np.array([query.loss(choose_knowing_subtopics(query, 5)) for query in synthetic[15:]])
    random = np.array([query.loss(BASELINES["random"](query)) for query in synthetic[15:]])
    assert losses.mean() - known.mean() < 0.3 * (random.mean() - known.mean())


def named_by_words(n: int, seed: int) -> list[Candidates]:
    """Queries whose subtopics have a word each, which is in the title of those documents; other words are noise."""
    rng, queries = np.random.default_rng(seed), []
    for _ in range(n):
        about = [set(rng.choice(12, 2, replace=False).tolist()) for _ in range(20)]
        noise = [dict.fromkeys(rng.integers(100, 200, 1 + int(rng.integers(30))).tolist(), 1) for _ in range(20)]
        documents = [own | dict.fromkeys(topics, 1) for own, topics in zip(noise, about, strict=True)]
        queries.append(candidates(documents, titles=about, subtopics=about))
    return queries


def test_where_words_name_the_subtopics_the_loss_is_that_with_subtopics_known() -> None:
    queries = named_by_words(60, seed=1)
    model = SVMDiv(C=0.01, k=4).fit(queries[:30])
    known = np.array([query.loss(choose_knowing_subtopics(query, 4)) for query in queries[30:]])
    assert model.loss(queries[30:]) == pytest.approx(known.mean(), abs=0.01)
    unweighted = np.mean([query.loss(choose_unweighted(query, 4)) for query in queries[30:]])
    assert unweighted > known.mean() + 0.05


@pytest.mark.parametrize("kind", [SVMDiv, SVMDiv2])
def test_with_nonnegative_weights_it_learns_as_well(kind: type[SVMDiv], synthetic: list[Candidates]) -> None:
    model = kind(nonnegative=True).fit(synthetic[:15])
    assert (model.coef_ >= 0).all()
    others = np.array([query.loss(choose_unweighted(query, 5)) for query in synthetic[15:]])
    losses = np.array([query.loss(model.predict(query)) for query in synthetic[15:]])
    assert wilcoxon_test(losses - others).p_value < 1e-4
    assert losses.mean() < others.mean()


@fast
@given(small_queries(width=1), st.integers(1, 4), st.integers(0, 99))
def test_with_nonnegative_weights_greed_keeps_its_promise(query: Candidates, k: int, seed: int) -> None:
    model = SVMDiv(nonnegative=True)
    model.coef_ = np.random.default_rng(seed).exponential(size=model.features.count + 1)
    model.n_features_in_ = 1
    coverage = word_coverage(query, model.features)
    benefits, bonus = coverage.benefits(model.coef_), coverage.bonus(model.coef_)
    best = value_of(coverage.cover, benefits, choose_exactly(coverage.cover, benefits, k, bonus), bonus)
    assert value_of(coverage.cover, benefits, model.predict(query, k), bonus) >= (1 - np.exp(-1)) * best - 1e-9


def test_the_fit_reports_what_was_found(synthetic: list[Candidates], model: SVMDiv) -> None:
    assert model.n_queries_ == 15
    assert 0 <= model.gap_ == model.primal_ - model.dual_ <= 0.01 * model.C
    truth = np.mean([query.loss(choose_knowing_subtopics(query, 5)) for query in synthetic[:15]])
    assert model.primal_ >= model.C * truth
    assert model.primal_ <= model.C * 1.0  # what weights of 0 have
    assert len(model.coef_) == model.features.count == 4 * 4 * len(model.thresholds)


def test_a_larger_choice_only_adds(synthetic: list[Candidates], model: SVMDiv) -> None:
    query = synthetic[20]
    assert model.predict(query, 10)[:5].tolist() == model.predict(query).tolist()
    assert sorted(model.predict(query, 1000).tolist()) == list(range(100))


def test_documents_may_bring_features_of_their_own() -> None:
    """A feature that says how many subtopics a document has is used."""
    queries = synthetic_queries(queries=30, documents=20, subtopics=12, vocabulary=200, length=20, seed=4)
    luck = np.random.default_rng(1)
    thinned = []
    for query in queries:  # two thirds of the documents lose their subtopics
        subtopics = query.subtopics & (luck.random((20, 1)) < 1 / 3)
        thinned.append(replace(query, subtopics=subtopics, features=subtopics.sum(1, keepdims=True).astype(float)))
    blind = [replace(query, features=np.zeros((20, 0))) for query in thinned]
    told, untold = SVMDiv(C=0.1, k=3).fit(thinned[:15]), SVMDiv(C=0.1, k=3).fit(blind[:15])
    assert told.loss(thinned[15:]) < untold.loss(blind[15:]) - 0.1
    with pytest.raises(BadInput, match="must have 1 features"):
        told.predict(blind[0])


def test_the_best_cost_is_chosen_on_other_queries() -> None:
    queries = synthetic_queries(queries=30, documents=30, seed=2)
    costs = (1e-2, 1e-6, 1e-3)
    chosen = fit_best(SVMDiv(k=3), queries[:10], queries[10:20], costs)
    losses = {cost: SVMDiv(C=cost, k=3).fit(queries[:10]).loss(queries[10:20]) for cost in costs}
    assert chosen.C in costs
    assert chosen.C != 1e-6  # a fit that learns next to nothing
    assert chosen.loss(queries[10:20]) <= losses[1e-6]
    assert chosen.gap_ <= 0.01 * chosen.C


def test_a_cost_at_which_training_comes_to_no_end_is_left_out() -> None:
    queries = synthetic_queries(queries=12, documents=20, seed=2)
    with pytest.warns(UserWarning, match="C=100 is left out: no solution within 9 planes"):
        chosen = fit_best(SVMDiv(k=3, max_planes=9), queries[:6], queries[6:], (1e-4, 100.0))
    assert chosen.C == 1e-4
    with pytest.raises(Unsolved, match=r"C=100 is left out.*C=1000 is left out"):
        fit_best(SVMDiv(k=3, max_planes=9), queries[:6], queries[6:], (100.0, 1000.0))


def test_it_is_an_estimator(synthetic: list[Candidates], model: SVMDiv) -> None:
    copy = clone(SVMDiv2(C=2.0, k=3, nonnegative=True))
    assert (copy.C, copy.k, copy.nonnegative) == (2.0, 3, True)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(synthetic[30]).tolist() == model.predict(synthetic[30]).tolist()
    benefits = model.word_benefits()
    assert list(benefits)[:2] == [("occurs", "occurs"), ("occurs", "5 times")]
    np.testing.assert_allclose(benefits["title", "5 %"], model.coef_.reshape(4, 4, -1)[3, 2].cumsum())


def test_bad_input_is_named(synthetic: list[Candidates]) -> None:
    plain = candidates([{"a": 1}, {"b": 1}], subtopics=[{1}, {2}])
    with pytest.raises(BadInput, match="C must be"):
        SVMDiv(C=0).fit(synthetic[:1])
    with pytest.raises(BadInput, match="k, how many"):
        SVMDiv(k=0).fit(synthetic[:1])
    with pytest.raises(BadInput, match="none of 1 queries has subtopics and more than k=5 documents"):
        SVMDiv().fit([plain])
    with pytest.raises(BadInput, match="none of 0 queries"):
        SVMDiv().fit([])
    with pytest.raises(BadInput, match="not be below 0"):
        SVMDiv(k=1, nonnegative=True).fit([replace(plain, features=np.array([[-1.0], [1.0]]))])
    with pytest.raises(BadInput, match="as the others have"):
        SVMDiv(k=1).fit([plain, replace(plain, features=np.ones((2, 1)))])
    for validation, costs in (([], [1.0]), ([plain], [])):
        with pytest.raises(BadInput):
            fit_best(SVMDiv(k=1), [plain], validation, costs)


def where_only_addresses_tell(number: int) -> list[Candidates]:
    """Queries whose documents have words by chance, and an address that names their subtopic."""
    luck, queries = np.random.default_rng(2), []
    for _ in range(number):
        topics = luck.integers(0, 6, 24)
        bodies = [{f"w{word}": 1 for word in luck.integers(0, 40, 12)} for _ in topics]
        sites = [[f"site{topic}"] for topic in topics]
        queries.append(candidates(bodies, subtopics=[{int(topic)} for topic in topics], fields={"url": sites}))
    return queries


def test_a_field_says_what_words_do_not() -> None:
    queries = where_only_addresses_tell(24)
    with_field, without = (SVMDiv(C=0.1, k=4, fields=f).fit(queries[:12]) for f in (("url",), ()))
    assert with_field.loss(queries[12:]) < without.loss(queries[12:]) - 0.1
    assert ("in url", "in url") in with_field.word_benefits()
    best = np.mean([query.loss(choose_knowing_subtopics(query, 4)) for query in queries[12:]])
    assert with_field.loss(queries[12:]) < best + 0.03
