"""Kernels behind the metrics: where the relevant documents stand, and what that is worth.

A ranking is the labels of its documents, best place first. `gains` and `stops` are tables by label:
what a label is worth to NDCG, and the chance that it satisfies a user (ERR). The kernels named
after a measure run as plain Python too, on lists.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelist.core.compile import allocating, allocating_routine, kernel
from duelist.core.memory import Floats, Ints
from duelist.data.sorting import sort_falling

PRECISION, MAP, MRR, NDCG, ERR, ROC_AREA = range(6)

# Counting compares a document with all others, several at a time; sorting takes log2(n) slow steps a
# document. On a machine that compares 8 numbers at a time they cost the same at 40 relevant documents
# per log2(n); older machines compare 4.
COUNTING = 20


class Tables(NamedTuple):
    """What the measures need to know besides labels."""

    gains: Floats
    stops: Floats
    discounts: Floats  # 1 / log2(place + 2), places from 0
    relevant: int  # the least label that binary measures take as relevant


@kernel
def precision_of(ranking: Ints, cutoff: int, relevant: int) -> float:
    hits = 0
    for place in range(min(cutoff, len(ranking))):
        hits += ranking[place] >= relevant
    return hits / cutoff


@kernel
def average_precision_of(ranking: Ints, relevant: int) -> float:
    hits, total = 0, 0.0
    for place in range(len(ranking)):
        hit = ranking[place] >= relevant
        hits += hit
        total += hit * hits / (place + 1)  # a product, because a branch on random labels is slower
    return total / max(hits, 1)


@kernel
def reciprocal_rank_of(ranking: Ints, relevant: int) -> float:
    for place in range(len(ranking)):
        if ranking[place] >= relevant:
            return 1.0 / (place + 1)
    return 0.0


@kernel
def ndcg_of(ranking: Ints, cutoff: int, gains: Floats, discounts: Floats, counts: Ints) -> float:
    """`counts` holds how many documents of the query have each label."""
    found = best = 0.0
    for place in range(min(cutoff, len(ranking))):
        if ranking[place] > 0:
            found += gains[ranking[place]] * discounts[place]
    place = 0
    for label in range(len(counts) - 1, 0, -1):
        for other in range(place, min(place + counts[label], cutoff)):
            best += gains[label] * discounts[other]
        place += counts[label]
    return found / best if best > 0 else 0.0


@kernel
def err_of(ranking: Ints, cutoff: int, stops: Floats) -> float:
    total, still_looking = 0.0, 1.0
    for place in range(min(cutoff, len(ranking))):
        if ranking[place] > 0:
            total += still_looking * stops[ranking[place]] / (place + 1)
            still_looking *= 1.0 - stops[ranking[place]]
    return total


@kernel
def roc_area_of(ranking: Ints, relevant: int) -> float:
    above = wrong = 0  # documents that are not relevant above a place; and pairs in the wrong order
    for place in range(len(ranking)):
        if ranking[place] >= relevant:
            wrong += above
        else:
            above += 1
    pairs = above * (len(ranking) - above)
    return 1.0 - wrong / pairs if pairs > 0 else 0.5


@kernel
def measure(kind: int, ranking: Ints, cutoff: int, tables: Tables, counts: Ints) -> float:
    if kind == PRECISION:
        return precision_of(ranking, cutoff, tables.relevant)
    if kind == MAP:
        return average_precision_of(ranking, tables.relevant)
    if kind == MRR:
        return reciprocal_rank_of(ranking, tables.relevant)
    if kind == NDCG:
        return ndcg_of(ranking, cutoff, tables.gains, tables.discounts, counts)
    if kind == ERR:
        return err_of(ranking, cutoff, tables.stops)
    return roc_area_of(ranking, tables.relevant)


@kernel
def longest_of(offsets: Ints) -> int:
    """The most documents that a query has."""
    longest = 0
    for query in range(offsets.size - 1):
        longest = max(longest, offsets[query + 1] - offsets[query])
    return longest


@kernel
def find_labelled(labels: Ints, labelled: Ints, counts: Ints) -> int:
    """Write down which documents have a label above 0, and how many have each; their number."""
    size = 0
    for document in range(labels.size):
        labelled[size] = document  # kept if its label is above 0
        size += labels[document] > 0
    counts[:] = 0
    for i in range(size):
        counts[labels[labelled[i]]] += 1
    return size


@kernel
def rank_by_counting(scores: Floats, labels: Ints, labelled: Ints, ranking: Ints) -> None:
    """Place each labelled document by counting those that come before it; all other places are 0."""
    ranking[:] = 0
    for i in range(labelled.size):
        score, place, not_below = scores[labelled[i]], 0, 0
        for other in range(scores.size):  # one loop over all, which becomes vector instructions
            place += scores[other] > score
            not_below += scores[other] >= score
        if not_below > place + 1:
            for other in range(labelled[i]):
                place += scores[other] == score
        ranking[place] = labels[labelled[i]]


@allocating_routine
def rank_by_sorting(scores: Floats, labels: Ints, ranking: Ints) -> None:
    order = np.empty(scores.size, np.int64)
    sort_falling(scores, order)
    for place in range(order.size):
        ranking[place] = labels[order[place]]


@allocating
def measure_queries(
    scores: Floats, labels: Ints, offsets: Ints, kinds: Ints, cutoffs: Ints, tables: Tables, values: Floats
) -> None:
    """values[m, q]: measure m of query q."""
    longest = longest_of(offsets)
    ranking, labelled = np.zeros(longest, np.int64), np.zeros(longest, np.int64)
    counts = np.zeros(tables.gains.size, np.int64)
    for query in range(offsets.size - 1):
        start, stop = offsets[query], offsets[query + 1]
        own = ranking[: stop - start]
        size = find_labelled(labels[start:stop], labelled, counts)
        if size <= COUNTING * math.log2(own.size + 1):
            rank_by_counting(scores[start:stop], labels[start:stop], labelled[:size], own)
        else:
            rank_by_sorting(scores[start:stop], labels[start:stop], own)
        for m in range(kinds.size):
            values[m, query] = measure(kinds[m], own, cutoffs[m], tables, counts)
