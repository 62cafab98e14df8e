from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.compile import plain
from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats, Ints
from duelist.data import (
    Dataset,
    average_precision,
    err,
    evaluate,
    mean,
    ndcg,
    precision,
    read_letor,
    reciprocal_rank,
    roc_area,
    synthetic,
)
from duelist.data.ranks import COUNTING
from duelist.data.ranks import rank_by_counting as counting_kernel
from duelist.data.ranks import rank_by_sorting as sorting_kernel

rank_by_counting, rank_by_sorting = plain(counting_kernel), plain(sorting_kernel)
fast = settings(derandomize=True, deadline=None, database=None)  # the first call compiles


LABELS = st.lists(st.integers(0, 4), max_size=12)


def dataset(labels: list[list[int]]) -> Dataset:
    """Queries of these labels, without features."""
    flat = np.array([label for query in labels for label in query], np.int64)
    offsets = np.cumsum([0, *map(len, labels)])
    return Dataset(np.zeros((len(flat), 0)), flat, offsets, tuple(map(str, range(len(labels)))), np.zeros(0, np.int64))


def dcg(labels: list[int], k: int, gain: str) -> float:
    gains = [2**label - 1 if gain == "exponential" else label for label in labels[:k]]
    return sum(value / math.log2(place + 1) for place, value in enumerate(gains, 1))


def brute(labels: list[int], k: int, gain: str, relevant: int, max_label: int) -> dict[str, float]:
    """Every measure straight from its definition."""
    n, hits = len(labels), [label >= relevant for label in labels]
    best = max(dcg(sorted(labels, reverse=True), k, gain), 1e-300)
    pairs = [(i < j) for i in range(n) for j in range(n) if hits[i] and not hits[j]]
    satisfied = [(2**label - 1) / 2**max_label for label in labels]
    return {
        f"precision@{k}": sum(hits[:k]) / k,
        "map": sum(sum(hits[: i + 1]) / (i + 1) for i in range(n) if hits[i]) / max(sum(hits), 1),
        "mrr": max([1 / (i + 1) for i in range(n) if hits[i]], default=0),
        f"ndcg@{k}": dcg(labels, k, gain) / best,
        "ndcg": dcg(labels, n, gain) / max(dcg(sorted(labels, reverse=True), n, gain), 1e-300),
        f"err@{k}": sum(math.prod(1 - s for s in satisfied[:i]) * satisfied[i] / (i + 1) for i in range(min(k, n))),
        "roc-area": sum(pairs) / len(pairs) if pairs else 0.5,
    }


GAINS = st.sampled_from(["exponential", "linear"])


@given(LABELS, st.integers(1, 14), GAINS, st.integers(1, 3), st.integers(4, 6))
def test_one_ranking_follows_the_definitions(labels: list[int], k: int, gain: Any, relevant: int, top: int) -> None:
    found = {
        f"precision@{k}": precision(labels, k, relevant),
        "map": average_precision(labels, relevant),
        "mrr": reciprocal_rank(labels, relevant),
        f"ndcg@{k}": ndcg(labels, k, gain),
        "ndcg": ndcg(labels, gain=gain),
        f"err@{k}": err(labels, top, k),
        "roc-area": roc_area(labels, relevant),
    }
    assert found == pytest.approx(brute(labels, k, gain, relevant, top), abs=1e-12)


@fast
@given(st.lists(LABELS, min_size=1, max_size=4), st.integers(1, 14), GAINS, st.integers(1, 3), st.randoms())
def test_data_sets_follow_the_definitions_and_ties_keep_their_order(
    labels: list[list[int]], k: int, gain: Any, relevant: int, random: Any
) -> None:
    data = dataset(labels)
    scores = [random.choice([-1.0, 0.0, 0.5, math.inf]) for _ in range(data.n_documents)]
    names = [f"precision@{k}", "map", "mrr", f"ndcg@{k}", "ndcg", f"err@{k}", "roc-area"]
    found = evaluate(data, scores, names, gain=gain, relevant=relevant, max_label=5)
    for query in range(data.n_queries):
        rows = range(*data.rows(query).indices(data.n_documents))
        ranked = [int(data.labels[row]) for row in sorted(rows, key=lambda row: -scores[row])]  # stable
        values = {name: float(array[query]) for name, array in found.items()}
        assert values == pytest.approx(brute(ranked, k, gain, relevant, 5), abs=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.9])  # ranked by counting; by sorting
def test_long_queries_with_few_and_with_many_relevant_documents(share: float) -> None:
    rng = np.random.default_rng(4)
    labels = (rng.random((5, 400)) < share) * rng.integers(1, 5, (5, 400))
    scores = rng.integers(0, 60, (5, 400)) / 7
    assert ((labels > 0).sum(1) > COUNTING * np.log2(401)).all() == (share > 0.5)
    found = evaluate(dataset(labels.tolist()), scores.ravel(), ["ndcg@10", "map", "roc-area"])
    for query in range(5):
        ranked = labels[query][np.argsort(-scores[query], kind="stable")].tolist()
        values = brute(ranked, 10, "exponential", 1, 4)
        assert {name: array[query] for name, array in found.items()} == pytest.approx(
            {name: values[name] for name in found}, abs=1e-12
        )


@fast
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=12))
def test_counting_and_sorting_rank_alike(documents: list[tuple[int, int]]) -> None:
    labels = np.array([label for label, _ in documents], np.int64)
    scores = np.array([score / 2 for _, score in documents])
    counted, ordered = np.full(len(labels), 9), np.full(len(labels), 9)
    rank_by_counting(scores, labels, np.flatnonzero(labels), counted)
    rank_by_sorting(scores, labels, ordered)
    np.testing.assert_array_equal(counted, ordered)


def trec(labels: list[Ints], scores: list[Floats], measures: set[str]) -> dict[str, list[float]]:
    """What trec_eval says. It breaks ties by falling document id, so ids fall along the file."""
    qrels = {f"q{q:05}": {f"d{9999 - i}": int(v) for i, v in enumerate(own)} for q, own in enumerate(labels)}
    runs = {f"q{q:05}": {f"d{9999 - i}": float(v) for i, v in enumerate(own)} for q, own in enumerate(scores)}
    results = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(runs)
    names = results["q00000"]
    return {name: [results[query][name] for query in sorted(results)] for name in names}


def assert_agrees_with_trec(data: Dataset, scores: Floats) -> None:
    rows = [data.rows(q) for q in range(data.n_queries)]
    evaluator = {"map", "recip_rank", "P.5,10", "ndcg", "ndcg_cut.3,10"}
    theirs = trec([data.labels[r] for r in rows], [scores[r] for r in rows], evaluator)
    ours = evaluate(
        data, scores, ["map", "mrr", "precision@5", "precision@10", "ndcg", "ndcg@3", "ndcg@10"], gain="linear"
    )
    for mine, name in zip(ours, ["map", "recip_rank", "P_5", "P_10", "ndcg", "ndcg_cut_3", "ndcg_cut_10"], strict=True):
        np.testing.assert_allclose(ours[mine], theirs[name], rtol=0, atol=1e-12, err_msg=mine)


@pytest.mark.parametrize("levels", [5, 10**9])  # many ties; hardly any
def test_agrees_with_trec_eval(levels: int) -> None:
    rng = np.random.default_rng(levels)
    data = dataset([rng.integers(0, rng.integers(1, 5), rng.integers(1, 150)).tolist() for _ in range(300)])
    scores = rng.integers(0, levels, data.n_documents).astype(np.float32).astype(np.float64)  # trec_eval keeps 32 bits
    assert_agrees_with_trec(data, scores)


def test_agrees_with_trec_eval_on_mq2008(data: Callable[[str], Path]) -> None:
    part = read_letor(data("mq2008/S1.txt.gz"))
    for column in range(0, part.n_features, 5):  # some of them full of ties
        assert_agrees_with_trec(part, part.features[:, column].astype(np.float32).astype(np.float64))


def test_figures_from_the_papers() -> None:
    # Järvelin & Kekäläinen's example list 3 2 3 0 0 1 2 2 3 0 with linear gain, in today's discount.
    labels = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    assert dcg(labels, 3, "linear") == pytest.approx(3 + 2 / math.log2(3) + 3 / 2)
    assert ndcg(labels, 3, "linear") == pytest.approx((4.5 + 2 / math.log2(3)) / (4.5 + 3 / math.log2(3)))


def test_labels_below_relevant_still_gain() -> None:
    data = dataset([[1, 2]])
    found = evaluate(data, [2, 1], ["mrr", "ndcg"], relevant=2)
    assert found["mrr"][0] == 0.5
    assert 0 < found["ndcg"][0] < 1


def test_the_mean_with_and_without_empty_queries() -> None:
    data = dataset([[0, 1], [0, 0], [], [1, 2]])
    found = evaluate(data, np.zeros(6), ["mrr", "roc-area"])
    np.testing.assert_array_equal(found["mrr"], [0.5, 0, 0, 1])
    np.testing.assert_array_equal(found["roc-area"], [0, 0.5, 0.5, 0.5])
    assert mean(found, data) == {"mrr": 0.375, "roc-area": 0.375}
    assert mean(found, data, empty="skip") == {"mrr": 0.75, "roc-area": 0.25}
    assert mean(found, data, empty="skip", relevant=2)["mrr"] == 1
    with pytest.raises(BadInput, match="no query has a relevant document"):
        mean(found, data, empty="skip", relevant=3)
    with pytest.raises(BadInput, match="'zero' or 'skip', not 'drop'"):
        mean(found, data, empty="drop")  # type: ignore[arg-type]


def test_an_empty_data_set_has_empty_values() -> None:
    assert evaluate(synthetic(2, 3, 1).select([]), [], ["map"])["map"].shape == (0,)
    assert evaluate(synthetic(2, 3, 1), np.zeros(6), []) == {}


@pytest.mark.parametrize(
    "name", ["precision", "map@3", "ndcg@0", "ndcg@", "ndcg@x", "ndcg@-1", "dcg", "ndcg@1@2", "ndcg@²"]
)
def test_unknown_measures(name: str) -> None:
    with pytest.raises(UnknownName, match="Known: precision@k, map, mrr, ndcg, ndcg@k, err, err@k, roc-area"):
        evaluate(dataset([[1]]), [0], [name])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scores": [1.0]}, r"scores must have the shape \(2,\), one a document, not \(1,\)"),
        ({"scores": [1.0, math.nan]}, "that of document 1 is"),
        ({"scores": ["x", "y"]}, "scores must be numbers"),
        ({"measures": "map"}, r"a list of names such as \['map'\]"),
        ({"gain": "cubic"}, "'exponential' or 'linear', not 'cubic'"),
        ({"relevant": 0}, "relevant must be at least 1, not 0"),
        ({"max_label": 1}, "max_label must be from 2, the largest label here, to 50; not 1"),
    ],
)
def test_bad_requests(changes: dict[str, Any], message: str) -> None:
    request: dict[str, Any] = {"scores": [1.0, 2.0], "measures": ["map"]} | changes
    with pytest.raises(BadInput, match=message):
        evaluate(dataset([[2, 0]]), **request)


@pytest.mark.parametrize("labels", [[-1], [51], [0.5], ["x"], [[1]]])
def test_bad_labels(labels: Any) -> None:
    with pytest.raises(BadInput, match="labels must be whole numbers from 0 to 50"):
        average_precision(labels)


@pytest.mark.parametrize("k", [0, -1, 1.5, "3"])
def test_bad_cutoffs(k: Any) -> None:
    with pytest.raises(BadInput, match="k must be a whole number from 1"):
        ndcg([1], k)
