"""How good rankings are: Precision@k, MAP, MRR, NDCG@k, ERR@k, ROC-area.

The first functions judge one ranking, given as the labels of all documents of its query, best
place first. `evaluate` judges the rankings of a whole data set by scores, in one compiled pass.
alpha-nDCG and subtopic recall, which need subtopics instead of labels, are in diversity.py.

Binary measures take labels of at least `relevant` as relevant. Where there is nothing to find,
a measure is 0, except ROC-area: without a pair to put in order it is 0.5, what chance gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from duelist.core.compile import plain
from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats, Ints
from duelist.data import ranks
from duelist.data.dataset import MOST_LABEL, Dataset
from duelist.data.ranks import ERR, MAP, MRR, NDCG, PRECISION, ROC_AREA, Tables

Gain = Literal["exponential", "linear"]
KINDS = {
    "precision@": PRECISION,
    "map": MAP,
    "mrr": MRR,
    "ndcg": NDCG,
    "ndcg@": NDCG,
    "err": ERR,
    "err@": ERR,
    "roc-area": ROC_AREA,
}
WHOLE = np.iinfo(np.int64).max  # the cutoff that cuts nothing

# The same kernels as plain Python: for one ranking, a call of compiled code takes longer than the sum.
_precision, _average_precision = plain(ranks.precision_of), plain(ranks.average_precision_of)
_reciprocal_rank, _roc_area = plain(ranks.reciprocal_rank_of), plain(ranks.roc_area_of)
_ndcg, _err = plain(ranks.ndcg_of), plain(ranks.err_of)


def precision(labels: Sequence[int] | Ints, k: int, relevant: int = 1) -> float:
    """The share of relevant documents in the first k places; places that a short ranking leaves empty count.

    >>> precision([1, 0, 2, 0], k=3)
    0.6666666666666666
    """
    return float(_precision(_ranking(labels), _cutoff(k), _relevant(relevant)))


def average_precision(labels: Sequence[int] | Ints, relevant: int = 1) -> float:
    """The mean, over the relevant documents, of the precision at their places. Its mean over queries is MAP.

    >>> average_precision([1, 0, 1])  # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    return float(_average_precision(_ranking(labels), _relevant(relevant)))


def reciprocal_rank(labels: Sequence[int] | Ints, relevant: int = 1) -> float:
    """One over the place, from 1, of the first relevant document. Its mean over queries is MRR.

    >>> reciprocal_rank([0, 0, 1])
    0.3333333333333333
    """
    return float(_reciprocal_rank(_ranking(labels), _relevant(relevant)))


def ndcg(labels: Sequence[int] | Ints, k: int | None = None, gain: Gain = "exponential") -> float:
    """Normalised discounted cumulative gain: sum of gain / log2(place + 1), divided by the best possible sum.

    The gain of a label is 2^label - 1, or the label itself if `linear`. The best possible order is over
    all documents of the query. Järvelin & Kekäläinen, ACM TOIS 20(4), 2002.

    >>> ndcg([1, 2, 0], k=2), ndcg([1, 2, 0], k=2, gain="linear")
    (0.7967075809905066, 0.8597186998521972)
    """
    ranking = _ranking(labels)
    counts = [0] * (MOST_LABEL + 1)
    for label in ranking:
        counts[label] += 1
    discounts = _discounts(len(ranking)).tolist()
    return float(_ndcg(ranking, _cutoff(k), _gains(MOST_LABEL, gain).tolist(), discounts, counts))


def err(labels: Sequence[int] | Ints, max_label: int, k: int | None = None) -> float:
    """Expected reciprocal rank: of the place at which a user stops who is satisfied by a document
    with chance (2^label - 1) / 2^max_label. Chapelle et al., CIKM 2009.

    >>> err([0, 2], max_label=2)  # stops at place 2 with chance 3/4
    0.375
    """
    ranking = _ranking(labels)
    stops = _stops(max(ranking, default=0), max_label)
    return float(_err(ranking, _cutoff(k), stops.tolist()))


def roc_area(labels: Sequence[int] | Ints, relevant: int = 1) -> float:
    """The share of pairs, one document relevant and the other not, in the right order.

    >>> roc_area([1, 0, 1])
    0.5
    """
    return float(_roc_area(_ranking(labels), _relevant(relevant)))


def evaluate(
    dataset: Dataset,
    scores: Sequence[float] | Floats,
    measures: Sequence[str],
    *,
    gain: Gain = "exponential",
    relevant: int = 1,
    max_label: int | None = None,
) -> dict[str, Floats]:
    """Each measure for each query, documents ranked by falling score (one score a document).

    Documents with equal scores keep the order they have in the data set. Measures: precision@k, map,
    mrr, ndcg, ndcg@k, err, err@k, roc-area. `gain` is of NDCG; `max_label` of ERR is the largest label
    of the data set if not given.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=100, documents=20, features=5, seed=1)
    >>> found = evaluate(pages, pages.features[:, 0], ["ndcg@10", "map"])
    >>> found["ndcg@10"].shape, round(mean(found, pages)["map"], 3)
    ((100,), 0.602)
    """
    if isinstance(measures, str):
        raise BadInput(f"measures must be a list of names such as [{measures!r}]")
    parsed = [parse_measure(name, KINDS) for name in measures]
    values = np.zeros((len(parsed), dataset.n_queries))
    if values.size:
        kinds, cutoffs = (np.array(column, np.int64) for column in zip(*parsed, strict=True))
        longest = int(np.diff(dataset.offsets).max())
        most = dataset.max_label
        stops = _stops(most, most if max_label is None else max_label)
        tables = Tables(_gains(most, gain), stops, _discounts(longest), _relevant(relevant))
        numbers = check_scores(scores, dataset)
        ranks.measure_queries(numbers, dataset.labels, dataset.offsets, kinds, cutoffs, tables, values)
    return dict(zip(measures, values, strict=True))


def mean(
    values: Mapping[str, Floats], dataset: Dataset, empty: Literal["zero", "skip"] = "zero", relevant: int = 1
) -> dict[str, float]:
    """The mean of each measure over queries.

    Queries without relevant documents enter with what they have, 0 (0.5 for ROC-area), as in most of
    the literature, or are left out: `empty="skip"`.

    >>> pages = Dataset([[1], [2]], [1, 0], [0, 1, 2], ("a", "b"), [1])
    >>> found = evaluate(pages, [0.1, 0.2], ["mrr"])
    >>> mean(found, pages), mean(found, pages, empty="skip")
    ({'mrr': 0.5}, {'mrr': 1.0})
    """
    if empty not in ("zero", "skip"):
        raise BadInput(f"empty must be 'zero' or 'skip', not {empty!r}")
    counted = dataset.relevant_queries(relevant) if empty == "skip" else np.ones(dataset.n_queries, np.bool_)
    if not counted.any():
        raise BadInput("no query has a relevant document" if dataset.n_queries else "the data set has no query")
    return {name: float(array[counted].mean()) for name, array in values.items()}


def _ranking(labels: Any) -> list[int]:
    """Labels as a list, or an error that names the first bad one."""
    ranking: list[int] = np.asarray(labels).tolist()
    for label in ranking:
        if type(label) is not int or not 0 <= label <= MOST_LABEL:
            raise BadInput(f"labels must be whole numbers from 0 to {MOST_LABEL}, not {label!r}")
    return ranking


def _cutoff(k: int | None) -> int:
    if k is not None and (not isinstance(k, int | np.integer) or k < 1):
        raise BadInput(f"k must be a whole number from 1, not {k!r}")
    return WHOLE if k is None else int(k)


def _relevant(relevant: int) -> int:
    if relevant < 1:
        raise BadInput(f"relevant must be at least 1, not {relevant!r}")
    return int(relevant)


def _gains(most: int, gain: str) -> Floats:
    if gain not in ("exponential", "linear"):
        raise BadInput(f"gain must be 'exponential' or 'linear', not {gain!r}")
    labels = np.arange(most + 1.0)
    return 2.0**labels - 1 if gain == "exponential" else labels


def _stops(most: int, max_label: int) -> Floats:
    if not most <= max_label <= MOST_LABEL:
        raise BadInput(f"max_label must be from {most}, the largest label here, to {MOST_LABEL}; not {max_label!r}")
    return _gains(most, "exponential") / 2.0**max_label


def _discounts(places: int) -> Floats:
    return np.asarray(1 / np.log2(np.arange(places) + 2.0))


def parse_measure(name: str, kinds: Mapping[str, int]) -> tuple[int, int]:
    """The kind and the cutoff of a measure; the kinds that end in @ have a cutoff."""
    head, at, cutoff = name.partition("@")
    whole = cutoff.isascii() and cutoff.isdigit() and 1 <= int(cutoff) <= WHOLE
    if head + at not in kinds or whole != bool(at):
        known = ", ".join(kind + "k" * kind.endswith("@") for kind in kinds)
        raise UnknownName(f"unknown measure {name!r}. Known: {known}, with a whole number k from 1")
    return kinds[head + at], int(cutoff) if at else WHOLE


def check_scores(scores: Any, dataset: Dataset) -> Floats:
    """One score a document."""
    try:
        numbers: Floats = np.ascontiguousarray(scores, np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"scores must be numbers: {error}") from None
    if numbers.shape != (dataset.n_documents,):
        raise BadInput(f"scores must have the shape ({dataset.n_documents},), one a document, not {numbers.shape}")
    if np.isnan(numbers).any():
        raise BadInput(f"scores must not be NaN, but that of document {int(np.isnan(numbers).argmax())} is")
    return numbers
