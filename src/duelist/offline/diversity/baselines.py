"""Choices of documents to compare with: none of them learns.

Each takes a query and k, and returns k documents in the order they were chosen.
"""

from __future__ import annotations

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.offline.diversity.candidates import Candidates
from duelist.offline.diversity.greedy import check_size, choose_greedily, make_cover

SATURATION, LENGTH_SHARE = 1.2, 0.75  # k1 and b of Okapi BM25, the usual values


def choose_at_random(query: Candidates, k: int, rng: np.random.Generator) -> Ints:
    """Any k documents."""
    return rng.permutation(query.n_documents)[: check_size(k)]


def okapi_scores(query: Candidates) -> Floats:
    """BM25 of each document for the words of the query; documents are counted among the candidates.

    Robertson et al., TREC-3, with log(1 + (n - f + 1/2) / (f + 1/2)) for a word in f documents, which is
    never below 0.

    >>> from duelist.offline.diversity import candidates
    >>> okapi_scores(candidates([{"jaguar": 3}, {"jaguar": 1, "car": 2}, {"car": 3}], query=["jaguar"])).round(3)
    array([0.739, 0.47 , 0.   ])
    """
    if len(query.query) == 0:
        raise BadInput("Okapi needs the words of the query, and documents that have some of them")
    frequency, lengths = query.document_frequency(), query.lengths
    weight = np.log(1 + (query.n_documents - frequency + 0.5) / (frequency + 0.5))
    damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths / max(lengths.mean(), 1.0))
    owners = query.owners
    scores = weight[query.words] * query.counts * (SATURATION + 1) / (query.counts + damping[owners])
    asked = np.isin(query.words, query.query)
    return np.bincount(owners[asked], scores[asked], query.n_documents).astype(np.float64)


def choose_by_okapi(query: Candidates, k: int) -> Ints:
    """The k documents that match the query best, whatever the others cover; of equal ones the first."""
    return np.argsort(-okapi_scores(query), kind="stable")[: check_size(k)]


def choose_unweighted(query: Candidates, k: int) -> Ints:
    """Cover as many words as possible, greedily; all words are worth the same."""
    occurs = query.counts > 0
    cover = make_cover(query.owners[occurs], query.words[occurs], query.n_documents)
    return choose_greedily(cover, np.ones(query.n_words), k)


def choose_essential_pages(query: Candidates, k: int) -> Ints:
    """Essential Pages: covering a word is worth its count times log(1 / share of documents with it).

    Swaminathan, Mathew, Kirovski, 2008. A word counts once, at its largest count among the chosen
    documents: it is covered as so many items, of which a document covers as many as it has.
    """
    largest = np.zeros(query.n_words, np.int64)
    np.maximum.at(largest, query.words, query.counts)
    first = np.concatenate([[0], np.cumsum(largest)])
    entry = np.repeat(np.arange(len(query.words)), query.counts)
    copy = np.arange(len(entry)) - np.repeat(np.cumsum(query.counts) - query.counts, query.counts)
    cover = make_cover(query.owners[entry], first[query.words[entry]] + copy, query.n_documents)
    rarity = np.log(query.n_documents / np.maximum(query.document_frequency(), 1))
    return choose_greedily(cover, np.repeat(rarity, largest), k)


def choose_knowing_subtopics(query: Candidates, k: int) -> Ints:
    """Greedy with the subtopics known, which bounds what a greedy choice by words can hope for.

    >>> from duelist.offline.diversity import candidates
    >>> pages = candidates([{"a": 1}] * 3, subtopics=[{"cat"}, {"car"}, {"cat", "os"}])
    >>> choose_knowing_subtopics(pages, 2)
    array([2, 1])
    """
    return choose_greedily(query.subtopic_cover(), query.subtopic_weights(), k)
