from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import pytest

from duelist.search.documents import Document
from duelist.search.engine import DEPTH, RANKERS, Engine
from duelist.search.forms import word_forms
from duelist.search.vectors import Vectors

PAGES = [
    Document("json", "module", "", "Reading and writing JSON.\n\nParsed text becomes dictionaries and lists."),
    Document("json.loads", "function", "(s)", "Parse a text."),
    Document("csv", "module", "", "Parsing tables.\n\nRows of a table are lists of text, with a parser of commas."),
    Document("email.parser", "module", "", "A parser of messages."),
    Document("sched", "module", "", "Events in time."),
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(PAGES)


def by_hand(words: list[str], weights: tuple[float, float, float]) -> list[str]:
    """BM25 as SQLite documents it, over fields that are weighed, without stemming."""
    fields = [(page.title, f"{page.signature} {page.summary}", page.text) for page in PAGES]
    counts = [[Counter(re.findall(r"[^\W_]+", field.lower())) for field in each] for each in fields]
    sizes = [sum(sum(field.values()) for field in each) for each in counts]
    mean = sum(sizes) / len(sizes)
    scores = [0.0] * len(PAGES)
    for word in words:
        having = sum(any(field[word] for field in each) for each in counts)
        rarity = max(1e-6, math.log((len(PAGES) - having + 0.5) / (having + 0.5)))
        for place, each in enumerate(counts):
            f = sum(weight * field[word] for weight, field in zip(weights, each, strict=True))
            scores[place] += rarity * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * sizes[place] / mean))
    order = sorted(range(len(PAGES)), key=lambda place: (-scores[place], place))
    return [PAGES[place].name for place in order if scores[place] > 0]


@pytest.mark.parametrize("query", ["parser messages", "json text", "tables commas lists", "time"])
def test_without_stemming_it_is_bm25_by_hand(engine: Engine, query: str) -> None:
    found = list(engine.rankings(query)["no-stemming"])
    assert found == by_hand(query.split(), (1.0, 1.0, 1.0))


def test_each_ranker_is_what_it_says(engine: Engine) -> None:
    assert set(engine.rankings("parsed")["bm25"]) == {"json", "json.loads", "csv"}  # parsed, parse, parsing
    assert engine.rankings("parsed")["no-stemming"] == ("json",)
    found = engine.rankings("parsing json")
    assert set(found) == set(RANKERS)
    assert found["title-first"][:2] in (("json", "json.loads"), ("json.loads", "json"))
    assert found["shortest"] == tuple(sorted(found["bm25"], key=lambda name: len(engine.by_name[name].text)))


def test_vectors_find_what_shares_no_word_with_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.search.vectors.DIMENSIONS", 2)
    texts = ["cat purrs", "cat meows", "purrs meows", "dog barks", "dog growls", "barks growls", "purrs softly"] * 2
    scores = Vectors(texts).scores("meows")
    assert scores[0] > 0.5  # cat purrs
    assert abs(scores[3]) < 0.1
    assert Vectors(texts).scores("unknown").tolist() == [0.0] * len(texts)
    assert np.array_equal(Vectors(texts).of_words, Vectors(texts).of_words)


def test_vectors_span_what_the_singular_value_decomposition_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.search.vectors.DIMENSIONS", 3)
    monkeypatch.setattr("duelist.search.vectors.ROUNDS", 60)
    texts = [page.text for page in PAGES] + ["text of tables", "lists of events", "commas and lists and text"]
    found = Vectors(texts)
    counts = [Counter(re.findall(r"[^\W\d_]{2,}", text.lower())) for text in texts]
    _, _, right = np.linalg.svd(found._table(counts).toarray())
    assert np.allclose(found.of_words @ found.of_words.T, right[:3].T @ right[:3], atol=1e-6)


def test_features_are_the_scores_of_all_rankers(engine: Engine) -> None:
    features = engine.features("parse text")
    assert set(features) == {name for ranking in engine.rankings("parse text").values() for name in ranking}
    for place, ranker in enumerate(RANKERS):
        scores = [features[name][place] for name in engine.rankings("parse text")[ranker]]
        assert scores[0] == 1.0
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


HOSTILE = [
    '"',
    "'; DROP TABLE plain; --",
    'a" OR title:"b',
    "NEAR(a b)",
    "*",
    "json*",
    "-json",
    "\x00",
    "😀",
    "a" * 10_000,
]


@pytest.mark.parametrize("query", ["", "   ", "the of", *HOSTILE])
def test_no_query_means_anything_but_its_words(engine: Engine, query: str) -> None:
    for ranking in engine.rankings(query).values():
        assert len(ranking) <= DEPTH
        assert len({*ranking}) == len(ranking)
    assert len(engine.rankings("json")["bm25"]) == 2  # the tables are still there


def test_forms_are_those_of_one_stem() -> None:
    forms = word_forms(["connect", "connection", "connecting", "table", "tables", "connect"])
    assert forms["tables"] == ("table", "tables")
    assert forms["connecting"] == ("connect", "connecting", "connection")
