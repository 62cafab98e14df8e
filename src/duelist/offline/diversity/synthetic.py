"""Queries with known subtopics, made from a seed: the synthetic set of thesis 4.4.

The thesis gives the sizes (100 queries of 100 documents, up to 25 subtopics, 300 words a document from
5,000, a document's words from a mixture of its subtopics) and none of the distributions. These are ours:

- Word v has the base probability p(v) in proportion to 1 / v, v from 1: as in language, few words are common.
- A subtopic is a distribution over words, drawn from the Dirichlet distribution with parameters c p(v):
  common words are common in all subtopics, rarer ones belong to few. Its c is its own, from 20 (a narrow
  subtopic, of few words) to 200 (a broad one), uniform in the logarithm.
- Subtopic s of a query is popular in proportion to 1 / sqrt(s). Each document has 3 subtopics, drawn
  without replacement by popularity. Subtopics that no document has do not count.
- Each word of a document is drawn from one of its subtopics, each as likely. Its title is 5 of its words.
- The query is the 3 most probable words, but for the 25 commonest, of all subtopics by popularity.
"""

from __future__ import annotations

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.offline.diversity.candidates import Candidates

NARROW, BROAD = 20.0, 200.0
OWN, TITLE, QUERY, STOP_WORDS = 3, 5, 3, 25


def synthetic_queries(
    queries: int = 100,
    documents: int = 100,
    subtopics: int = 25,
    vocabulary: int = 5000,
    length: int = 300,
    seed: int = 0,
) -> list[Candidates]:
    """Queries made as described above; query i is the same however many are asked for.

    >>> pages = synthetic_queries(queries=2, seed=1)[0]
    >>> pages.n_documents, pages.subtopics.shape[1], int(pages.lengths[0])
    (100, 25, 300)
    """
    given = (queries, documents, subtopics, vocabulary, length)
    least = {"queries": 0, "documents": 1, "subtopics": 1, "vocabulary": STOP_WORDS + QUERY, "length": TITLE}
    for value, (name, low) in zip(given, least.items(), strict=True):
        if value < low:
            raise BadInput(f"{name} must be at least {low}, not {value!r}")
    seeds = np.random.SeedSequence(seed).spawn(queries)
    return [_make_query(documents, subtopics, vocabulary, length, np.random.default_rng(own)) for own in seeds]


def falling(n: int, power: float = 1.0) -> Floats:
    """Probabilities in proportion to 1, 1/2, 1/3, ... to a power."""
    shares = np.arange(1.0, n + 1) ** -power
    return np.asarray(shares / shares.sum())


def _make_query(documents: int, subtopics: int, vocabulary: int, length: int, rng: np.random.Generator) -> Candidates:
    popular = falling(subtopics, 0.5)
    breadth = np.exp(rng.uniform(np.log(NARROW), np.log(BROAD), subtopics))
    amounts = rng.standard_gamma(breadth[:, None] * falling(vocabulary))  # a Dirichlet's, but for the sum
    sums = np.cumsum(amounts / amounts.sum(1, keepdims=True), axis=1)
    own = min(OWN, subtopics)
    races = rng.exponential(size=(documents, subtopics)) / popular  # the first ones are drawn by popularity
    about = np.argsort(races, axis=1)[:, :own]
    texts = _draw_words(sums, about[np.arange(documents)[:, None], rng.integers(own, size=(documents, length))], rng)
    flags = np.zeros((documents, subtopics), np.bool_)
    flags[np.arange(documents)[:, None], about] = True
    likely = np.argsort(-(popular @ np.diff(sums, prepend=0))[STOP_WORDS:], kind="stable")[:QUERY] + STOP_WORDS
    return _from_texts(texts, vocabulary, flags, likely)


def _draw_words(sums: Floats, sources: Ints, rng: np.random.Generator) -> Ints:
    """A word from each of the subtopics in `sources`; `sums` are their distributions summed up."""
    words, chances = np.empty(sources.shape, np.int64), rng.random(sources.shape)
    for source, own in enumerate(sums):
        drawn = sources == source
        words[drawn] = np.searchsorted(own, chances[drawn] * own[-1], side="right")
    return words


def _from_texts(texts: Ints, vocabulary: int, subtopics: Flags, query: Ints) -> Candidates:
    """Documents from their words in order; the first ones are the title."""
    n = len(texts)
    numbers = np.arange(n)[:, None] * vocabulary + texts
    entries, counts = np.unique(numbers, return_counts=True)
    owners, words = entries // vocabulary, entries % vocabulary
    titled = np.isin(entries, numbers[:, :TITLE])
    return Candidates(
        words, counts, titled, np.searchsorted(owners, np.arange(n + 1)), subtopics, np.zeros((n, 0)), query
    )
