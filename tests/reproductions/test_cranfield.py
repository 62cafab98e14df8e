from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.data import evaluate
from duelist.offline.diversity import candidates
from duelist.offline.diversity.baselines import okapi_scores
from duelist.reproductions.cranfield import (
    BASE_FUNCTIONS,
    INDEXES,
    SCORERS,
    Collection,
    as_dataset,
    make_index,
    read_cranfield,
    score,
    stem,
)

TEXTS = ["wing wing flow", "flow heat", "heat heat heat wing", "heat"]
WORDS = [text.split() for text in TEXTS]
L2, L3 = log(2), log(4 / 3)  # rarity of wing and flow, in two of four documents, and of heat, in three
TWICE = 1 + L2  # the weight of a word that is there twice

# The first document for the query "wing wing heat", by hand. Of ten words three are wing and five are heat.
BY_HAND = {
    "TFIDF": TWICE * TWICE * L2**2,
    "cosine": (TWICE * L2) ** 2 / (L2 * sqrt(TWICE**2 + 1) * sqrt((TWICE * L2) ** 2 + L3**2)),
    "Okapi": log(1 + 2.5 / 2.5) * (2 * 8 / 9) * (2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2.5))),
    "Dirichlet": (2 * log((2 + 2500 * 0.3) / 2503) + log(2500 * 0.5 / 2503)) / 3,
    "Jelinek-Mercer": (2 * log(0.6 * 2 / 3 + 0.4 * 0.3) + log(0.4 * 0.5)) / 3,
}


@pytest.mark.parametrize("name", SCORERS)
def test_a_score_is_what_the_formula_gives_by_hand(name: str) -> None:
    scores = SCORERS[name](make_index(WORDS).match(["wing", "heat", "wing", "unheard-of"]))
    assert scores.shape == (4,)
    assert scores[0] == pytest.approx(BY_HAND[name], rel=1e-12)


def test_okapi_is_that_of_diversified_retrieval() -> None:
    ours = SCORERS["Okapi"](make_index(WORDS).match(["wing", "heat"]))
    counts = [{word: words.count(word) for word in words} for words in WORDS]
    np.testing.assert_allclose(ours, okapi_scores(candidates(counts, query=["wing", "heat"])))


def test_a_document_without_words_has_scores_too() -> None:
    match = make_index([*WORDS, []]).match(["flow"])
    for scorer in SCORERS.values():
        scores = scorer(match)
        assert np.isfinite(scores).all()
        assert scores[4] < scores[1]


def test_a_query_of_unknown_words_is_refused() -> None:
    with pytest.raises(BadInput, match="no document has any word"):
        make_index(WORDS).match(["unheard-of"])


def test_only_plurals_are_stemmed() -> None:
    plurals = {"theories": "theory", "plates": "plate", "shocks": "shock", "radius": "radius", "loss": "loss"}
    assert {word: stem(word) for word in plurals} == plurals


def test_indexes_differ_in_stems_and_stop_words() -> None:
    assert [split("What are the Flows?") for split in INDEXES.values()] == [
        ["what", "are", "the", "flows"],
        ["what", "are", "the", "flow"],
        ["flow"],
    ]


def test_judgements_name_queries_by_place(tmp_path: Path) -> None:
    (tmp_path / "cran.all.1400").write_text(
        ".I 1\n.T\na title\n.A\n.B\n.W\na title\nfirst text\n.W\ngoes on\n.I 2\n.T\n.W\n"
    )
    (tmp_path / "cran.qry").write_text(".I 007\n.W\none\n.I 019\n.W\ntwo .\n")
    (tmp_path / "cranqrel").write_text("1 2 3 \n2 1 -1\n")
    found = read_cranfield(tmp_path)
    assert [len(text.split()) for text in found.documents] == [7, 0]
    assert found.queries == ("one\n", "two .\n")
    assert found.codes == {(0, 1): 3, (1, 0): -1}
    (tmp_path / "cranqrel").unlink()
    with pytest.raises(BadInput, match="cranqrel"):
        read_cranfield(tmp_path)


def test_candidates_are_the_best_of_each_function_but_for_the_undefined() -> None:
    scores = np.array([[[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.0, 0.0]], [[4.0, 4.0], [3.0, 3.0], [2.0, 2.0], [1, 1]]])
    collection = Collection(("",) * 4, ("",) * 2, {(0, 0): 1, (0, 3): 2, (1, 0): -1, (1, 1): 4})
    one = as_dataset(collection, scores, depth=1)
    assert np.diff(one.offsets).tolist() == [2, 0]  # the best of query 1 is undefined
    assert one.features.tolist() == [[0.9, 0.1], [0.1, 0.9]]
    assert one.labels.tolist() == [4, 0]
    assert as_dataset(collection, scores, depth=2).labels.tolist() == [4, 0, 0, 1]


def test_plain_functions_find_what_was_asked_for(data: Callable[[str], Path]) -> None:
    """Were judgements joined with the wrong queries, MAP would be that of chance, about .1."""
    collection = read_cranfield(data("cranfield/cranqrel").parent)
    assert (len(collection.documents), len(collection.queries), len(collection.codes)) == (1400, 225, 1837)
    pages = as_dataset(collection, score(collection), depth=50)
    means = [evaluate(pages, column, ["map"])["map"].mean() for column in pages.features.T]
    assert min(means) > 0.3
    assert BASE_FUNCTIONS[int(np.argmax(means))] == "Okapi, stems, no stop words"
