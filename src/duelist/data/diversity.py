"""How well rankings cover the subtopics of a query: alpha-nDCG and subtopic recall.

The first functions judge one ranking: a row for each document of the query, best place first, and
a column for each subtopic, true where the document is about it. `evaluate_diversity` judges the
rankings of a whole data set by scores.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np

from duelist.core.compile import compiled, kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.data.dataset import Dataset
from duelist.data.metrics import check_scores, parse_measure

ALPHA_NDCG, SUBTOPIC_RECALL = range(2)
KINDS = {
    "alpha-ndcg": ALPHA_NDCG,
    "alpha-ndcg@": ALPHA_NDCG,
    "subtopic-recall": SUBTOPIC_RECALL,
    "subtopic-recall@": SUBTOPIC_RECALL,
}


@kernel
def novelty(topics: Flags, document: int, left: Floats) -> float:
    """The gain of a document when each subtopic is still worth left[subtopic]."""
    gain = 0.0
    for subtopic in range(left.size):
        if topics[document, subtopic]:
            gain += left[subtopic]
    return gain


@kernel
def take(topics: Flags, document: int, left: Floats, alpha: float) -> None:
    """Every subtopic of the document is worth less from now on."""
    for subtopic in range(left.size):
        if topics[document, subtopic]:
            left[subtopic] *= 1.0 - alpha


@kernel
def comes_first(topics: Flags, one: int, other: int) -> bool:
    """Whether `one` has the first subtopic in which the two documents differ."""
    for subtopic in range(topics.shape[1]):
        if topics[one, subtopic] != topics[other, subtopic]:
            return bool(topics[one, subtopic])
    return False


@kernel
def best_gain(topics: Flags, places: int, alpha: float, left: Floats, free: Flags) -> float:
    """The discounted gain of the greedy order."""
    left[:], free[:] = 1.0, True
    total = 0.0
    for place in range(places):
        best, highest = -1, -1.0
        for document in range(topics.shape[0]):
            if free[document]:
                gain = novelty(topics, document, left)
                if gain > highest or (gain == highest and comes_first(topics, document, best)):
                    best, highest = document, gain
        free[best] = False
        take(topics, best, left, alpha)
        total += highest / np.log2(place + 2.0)
    return total


@kernel
def alpha_ndcg_of(topics: Flags, cutoff: int, alpha: float, left: Floats, free: Flags) -> float:
    places, total = min(cutoff, topics.shape[0]), 0.0
    left[:] = 1.0
    for place in range(places):
        total += novelty(topics, place, left) / np.log2(place + 2.0)
        take(topics, place, left, alpha)
    best = best_gain(topics, places, alpha, left, free)
    return total / best if best > 0 else 0.0


@kernel
def subtopic_recall_of(topics: Flags, cutoff: int) -> float:
    found = known = 0
    for subtopic in range(topics.shape[1]):
        for place in range(topics.shape[0]):
            if topics[place, subtopic]:
                known += 1
                found += place < cutoff
                break
    return found / max(known, 1)


@compiled
def measure_topics(
    topics: Flags, offsets: Ints, kinds: Ints, cutoffs: Ints, alpha: float, left: Floats, free: Flags, values: Floats
) -> None:
    """values[m, q]: measure m of query q; the rows of `topics` are in ranked order within each query."""
    for query in range(offsets.size - 1):
        own = topics[offsets[query] : offsets[query + 1]]
        for m in range(kinds.size):
            if kinds[m] == ALPHA_NDCG:
                values[m, query] = alpha_ndcg_of(own, cutoffs[m], alpha, left, free[: own.shape[0]])
            else:
                values[m, query] = subtopic_recall_of(own, cutoffs[m])


Subtopics = Sequence[Collection[Hashable]] | Flags  # of each document: a set of subtopics, or a row of flags


def alpha_ndcg(subtopics: Subtopics, k: int | None = None, alpha: float = 0.5) -> float:
    """NDCG in which a subtopic met again is worth 1 - alpha times what it was.

    A document gains the sum over its subtopics of (1 - alpha)^(documents above it with that subtopic).
    The best order is the usual greedy one: always the document that gains most (of several, the one
    with the first subtopic in which they differ). It is not always the best there is, so a ranking can
    exceed 1. Clarke et al., SIGIR 2008.

    >>> alpha_ndcg([{"car"}, {"car"}, {"car", "cat"}])
    0.7951210014304584
    """
    return _one("alpha-ndcg", subtopics, k, alpha)


def subtopic_recall(subtopics: Subtopics, k: int | None = None) -> float:
    """The share of the subtopics of all documents that the first k documents cover. Zhai et al., SIGIR 2003.

    >>> subtopic_recall([{"car"}, {"car"}, {"car", "cat"}], k=2)
    0.5
    """
    return _one("subtopic-recall", subtopics, k, 0.5)


def evaluate_diversity(
    dataset: Dataset,
    subtopics: Flags,
    scores: Sequence[float] | Floats,
    measures: Sequence[str],
    *,
    alpha: float = 0.5,
) -> dict[str, Floats]:
    """Each measure for each query, documents ranked by falling score, ties in the order of the data set.

    `subtopics` has a row of flags for each document. Measures: alpha-ndcg, alpha-ndcg@k,
    subtopic-recall, subtopic-recall@k; a query without subtopics is 0.

    >>> pages = Dataset([[1], [2], [3]], [1, 1, 1], [0, 3], ("jaguar",), [1])
    >>> about = np.array([[True, False], [True, False], [True, True]])  # car, cat
    >>> evaluate_diversity(pages, about, [0.3, 0.2, 0.1], ["subtopic-recall@2"])
    {'subtopic-recall@2': array([0.5])}
    """
    topics = np.asarray(subtopics)
    if topics.dtype != np.bool_ or topics.ndim != 2 or len(topics) != dataset.n_documents:
        raise BadInput(f"subtopics must be flags of the shape ({dataset.n_documents}, subtopics), one row a document")
    query = np.repeat(np.arange(dataset.n_queries), np.diff(dataset.offsets))
    order = np.lexsort((-check_scores(scores, dataset), query))
    values = _measure(np.ascontiguousarray(topics[order]), dataset.offsets, measures, alpha)
    return dict(zip(measures, values, strict=True))


def _measure(topics: Flags, offsets: Ints, measures: Sequence[str], alpha: float) -> Floats:
    if not 0 <= alpha <= 1:
        raise BadInput(f"alpha must be from 0 to 1, not {alpha!r}")
    parsed = np.array([parse_measure(name, KINDS) for name in measures], np.int64).reshape(-1, 2)
    values = np.zeros((len(parsed), len(offsets) - 1))
    left, free = np.empty(topics.shape[1]), np.empty(np.diff(offsets).max(initial=0), np.bool_)
    kinds, cutoffs = np.ascontiguousarray(parsed.T)
    measure_topics(topics, offsets, kinds, cutoffs, float(alpha), left, free, values)
    return values


def _one(kind: str, subtopics: Subtopics, k: int | None, alpha: float) -> float:
    """A measure of one ranking."""
    topics = _flags(subtopics)
    name = kind if k is None else f"{kind}@{k}"
    return float(_measure(topics, np.array([0, len(topics)]), [name], alpha)[0, 0])


def _flags(subtopics: Any) -> Flags:
    """A row of flags a document."""
    if isinstance(subtopics, np.ndarray):
        if subtopics.dtype != np.bool_ or subtopics.ndim != 2:
            raise BadInput(f"subtopics must be flags in two dimensions, not {subtopics.dtype} {subtopics.shape}")
        return np.ascontiguousarray(subtopics)
    known = sorted(set().union(*subtopics), key=repr)  # one order, however the documents are ranked
    flags = [topic in own for own in subtopics for topic in known]
    return np.array(flags, np.bool_).reshape(len(subtopics), len(known))
