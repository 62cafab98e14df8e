"""Probabilistic interleaving and multileaving, with exact credit.

Hofmann, Whiteson, de Rijke. A Probabilistic Method for Inferring Preferences from Clicks.
CIKM 2011.
Schuth, Bruintjes, Büttner, et al. Probabilistic Multileave for Online Retrieval Evaluation.
SIGIR 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Any

import numpy as np

from duelist.core.compile import compiled, kernel, specialise
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.parameters import limits
from duelist.interleaving.batches import are_lists, check_batch, check_clicked, count_credited, refuse_bad
from duelist.interleaving.method import Method, Ranking, Rankings, Shown, check_clicks, check_rankings, credited


@dataclass(frozen=True)
class Probabilistic(Method):
    """Each slot is drawn by a random ranker, which prefers its top documents but may choose any.

    A ranker draws its r-th document with a probability in proportion to r^-tau. A click does not count
    for one ranker: every assignment of the clicked slots to rankers counts with its probability given the
    list. The score of a ranker is the probability that it owns more clicks than another ranker, a mean
    over the others; it is computed exactly. Slots beyond the shortest ranking are neutral.

    Of three rankers or more it is probabilistic multileaving (Schuth et al. SIGIR 2015), which draws assignments and
    averages the signs of each pair: here all assignments are summed, and since a score is a mean over the others, the
    difference of two scores depends on the other rankers as well.

    >>> import numpy as np
    >>> method = Probabilistic()
    >>> shown = method.combine(["abcd", "bcda"], length=4, rng=np.random.default_rng(3))
    >>> shown.ranking
    ('a', 'b', 'c', 'd')
    >>> method.credit(shown, clicks=[0]).round(3)
    array([0.985, 0.015])
    """

    tau: Annotated[float, limits("how steeply a ranker prefers its top", low=0, high=20)] = 3.0

    name = "probabilistic"
    extends = True

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        documents = list(dict.fromkeys([document for ranking in checked for document in ranking]))
        number = {document: n for n, document in enumerate(documents)}
        longest, size = max(map(len, checked)), min(length, len(documents))
        numbered = np.array([[number[d] for d in r] + [-1] * (longest - len(r)) for r in checked], np.int64)
        shown, weights = np.empty(size, np.int64), np.empty((size, len(checked)))
        luck, left = rng.random(2 * size), np.empty((len(checked), longest))
        _live_list()(numbered, _decay(self.tau, longest), size, luck, left, shown, weights)
        ranking = tuple([documents[n] for n in shown.tolist()])
        rows = tuple(map(tuple, weights[: credited(checked, size)].tolist()))
        return Shown(ranking, len(checked), self.text, weights=rows)

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        slots, weights = check_clicks(self, shown, clicks), shown.weights
        chances = [chance for slot in slots if slot < len(weights) for chance in weights[slot]]
        scores = np.zeros(shown.rankers)
        _live_scores()(np.array(chances, np.float64), np.empty(2 * len(slots) + 3), scores)
        return scores

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked = check_rankings(self, rankings, length)
        desires = self._desires(checked)
        documents = dict.fromkeys(d for ranking in checked for d in ranking)
        outcomes = [(1.0, Shown((), len(checked), self.text))]
        for _ in range(min(length, len(documents))):
            outcomes = [
                (chance * share, shown._replace(ranking=(*shown.ranking, document), weights=(*shown.weights, row)))
                for chance, shown in outcomes
                for document, share, row in _choices(desires, [d for d in documents if d not in shown.ranking])
            ]
        counted = credited(checked, length)
        return [(chance, shown._replace(weights=shown.weights[:counted])) for chance, shown in outcomes]

    def proceed(self, shown: Shown, rankings: Sequence[Ranking], length: int, rng: np.random.Generator) -> Shown:
        """The next slots of the same process: what is drawn depends on the documents already placed alone."""
        desires = self._desires(rankings)
        left = [d for d in dict.fromkeys(d for ranking in rankings for d in ranking) if d not in shown.ranking]
        drawn, weights = list(shown.ranking), list(shown.weights)
        weights += [(0.0,) * shown.rankers] * (len(drawn) - len(weights))
        while left and len(drawn) < length:
            document, row = _draw(list(_choices(desires, left)), rng.random())
            left.remove(document)
            drawn.append(document)
            weights.append(row)
        counted = max(len(shown.ranking), credited(rankings, length))
        return shown._replace(ranking=tuple(drawn), weights=tuple(weights[:counted]))

    def combine_many(self, rankings: Ints, length: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Lists, and the probability chances[impression, slot, ranker] that a ranker drew a slot.

        Documents are numbers from 0; shorter rankings and lists end in -1. Neutral slots have chances 0.

        >>> method = Probabilistic()
        >>> shown, chances = method.combine_many(np.array([[[7, 8, 9], [9, 7, 8]]]), 3, np.random.default_rng(0))
        >>> shown.tolist(), chances[0, 0].round(3).tolist()
        ([[9, 7, 8]], [0.036, 0.964])
        """
        rankings, _ = check_batch(self, rankings, length)
        impressions, rankers, longest = rankings.shape
        shown, chances = np.empty((impressions, length), np.int64), np.empty((impressions, length, rankers))
        luck, left = np.empty(2 * length), np.empty((rankers, longest))
        decay = _decay(self.tau, longest)
        refuse_bad(rankings, _combine_many(rankings, decay, length, rng, luck, left, shown, chances))
        return shown, chances

    def credit_many(self, chances: Floats, clicked: Flags) -> Floats:
        """Scores[impression, ranker] from clicked[impression, slot].

        >>> chances = np.array([[[0.2, 0.8], [0.5, 0.5]]])
        >>> Probabilistic().credit_many(chances, np.array([[True, True]]))
        array([[0.1, 0.4]])
        """
        impressions, length, rankers = chances.shape
        scores = np.zeros((impressions, rankers))
        rows, walk = np.empty(length * rankers), np.empty(2 * length + 3)
        _credit_many(np.ascontiguousarray(chances), check_clicked(clicked, (impressions, length)), rows, walk, scores)
        return scores

    def _desires(self, rankings: Sequence[Ranking]) -> list[dict[Hashable, float]]:
        return [{d: rank**-self.tau for rank, d in enumerate(ranking, 1)} for ranking in rankings]


def _draw(
    choices: Sequence[tuple[Hashable, float, tuple[float, ...]]], luck: float
) -> tuple[Hashable, tuple[float, ...]]:
    """The choice at `luck`, from 0 to 1, and the probabilities that go with it."""
    place = int(np.searchsorted(np.cumsum([share for _, share, _ in choices])[:-1], luck, side="right"))
    document, _, row = choices[place]
    return document, row


def _choices(
    desires: Sequence[Mapping[Hashable, float]], left: Sequence[Hashable]
) -> Iterator[tuple[Hashable, float, tuple[float, ...]]]:
    """Each document that can be drawn next, its probability, and the probability of each ranker to have drawn it."""
    totals = [sum(desire.get(document, 0.0) for document in left) for desire in desires]
    drawing = sum(total > 0 for total in totals)
    for document in left:
        shares = [d.get(document, 0.0) / total if total else 0.0 for d, total in zip(desires, totals, strict=True)]
        yield document, sum(shares) / drawing, tuple(share / sum(shares) for share in shares)


@lru_cache(100)
def _decay(tau: float, size: int) -> Floats:
    """How much a ranker wants the document at each rank."""
    return np.arange(1.0, size + 1.0) ** -tau


@kernel
def probabilistic_list(
    rankings: Ints, decay: Floats, length: int, luck: Floats, left: Floats, shown: Ints, chances: Floats
) -> int:
    """A probabilistic list for compiled code: fills `shown` and `chances`, returns how many documents there are.

    rankings[ranker, rank] are numbers from 0, and -1 behind the last; so is shown. `luck` holds two
    uniform numbers a slot; `left`, of the shape of rankings, is scratch: what each ranker still wants.
    """
    for ranker in range(rankings.shape[0]):
        for rank in range(rankings.shape[1]):
            left[ranker, rank] = decay[rank] if rankings[ranker, rank] >= 0 else 0.0
    counted, size = count_credited(rankings, length), 0
    for slot in range(length):
        ranker = draw_ranker(left, luck[2 * slot], chances[slot])
        shown[slot] = -1
        if ranker >= 0:
            shown[slot] = rankings[ranker, draw_rank(left, ranker, luck[2 * slot + 1] * chances[slot, ranker])]
            size += 1
            take(rankings, shown[slot], left, chances[slot])
        if slot >= counted:
            chances[slot, :] = 0.0
    return size


@kernel
def draw_ranker(left: Floats, luck: float, totals: Floats) -> int:
    """One of the rankers that still want something, or -1; `totals` becomes how much each wants."""
    wanting = 0
    for ranker in range(left.shape[0]):
        totals[ranker] = 0.0
        for rank in range(left.shape[1]):
            totals[ranker] += left[ranker, rank]
        wanting += totals[ranker] > 0.0
    skip = int(luck * wanting)
    for ranker in range(left.shape[0]):
        if totals[ranker] > 0.0:
            if skip == 0:
                return ranker
            skip -= 1
    return -1


@kernel
def draw_rank(left: Floats, ranker: int, target: float) -> int:
    """The rank at which the sum of what is wanted passes `target`; rounding never picks what is not wanted."""
    last = 0
    for rank in range(left.shape[1]):
        if left[ranker, rank] > 0.0:
            last = rank
            target -= left[ranker, rank]
            if target < 0.0:
                break
    return last


@kernel
def take(rankings: Ints, document: int, left: Floats, chances: Floats) -> None:
    """Remove a document, and turn totals into the probability that each ranker drew it."""
    whole = 0.0
    for ranker in range(rankings.shape[0]):
        share = 0.0
        for rank in range(rankings.shape[1]):
            if rankings[ranker, rank] == document:
                share = left[ranker, rank] / chances[ranker]
                left[ranker, rank] = 0.0
                break
        chances[ranker] = share
        whole += share
    for ranker in range(rankings.shape[0]):
        chances[ranker] /= whole


@kernel
def exact_scores(chances: Floats, walk: Floats, scores: Floats) -> None:
    """Add to each score the probability to own more clicks than another ranker, a mean over the others.

    `chances` has a stretch of one number a ranker for each click; `walk` is scratch of two numbers a
    click and three more.
    """
    rankers = scores.size
    for i in range(rankers):
        for j in range(i + 1, rankers):
            more, fewer = compare_clicks(chances, rankers, i, j, walk)
            scores[i] += more / (rankers - 1)
            scores[j] += fewer / (rankers - 1)


@kernel
def compare_clicks(chances: Floats, rankers: int, i: int, j: int, walk: Floats) -> tuple[float, float]:
    """The probabilities that ranker i owns more clicks than j, and fewer: a walk of the difference, click by click."""
    clicks = chances.size // rankers
    middle = clicks + 1
    for place in range(2 * clicks + 3):
        walk[place] = 0.0
    walk[middle] = 1.0
    for click in range(clicks):
        up, down = chances[click * rankers + i], chances[click * rankers + j]
        below = 0.0
        for place in range(middle - click - 1, middle + click + 2):
            here = walk[place]
            walk[place] = here * (1.0 - up - down) + below * up + walk[place + 1] * down
            below = here
    more, fewer = 0.0, 0.0
    for step in range(1, clicks + 1):
        more += walk[middle + step]
        fewer += walk[middle - step]
    return more, fewer


def _list(rankings: Ints, decay: Floats, length: int, luck: Floats, left: Floats, shown: Ints, chances: Floats) -> int:
    return probabilistic_list(rankings, decay, length, luck, left, shown, chances)


def _scores(chances: Floats, walk: Floats, scores: Floats) -> None:
    exact_scores(chances, walk, scores)


# One at a time: entry points without the look-up by types, which takes longer than the kernels.


@cache
def _live_list() -> Callable[..., Any]:
    table, row = np.empty((2, 2)), np.empty(2)
    numbers = np.empty((2, 2), np.int64)
    return specialise(_list, {}).entry(numbers, row, 2, row, table, numbers[0], table)


@cache
def _live_scores() -> Callable[..., Any]:
    row = np.empty(2)
    return specialise(_scores, {}).entry(row, row, row)


@compiled
def _combine_many(
    rankings: Ints,
    decay: Floats,
    length: int,
    rng: np.random.Generator,
    luck: Floats,
    left: Floats,
    shown: Ints,
    chances: Floats,
) -> int:
    """Stops at the first impression whose rankings are not lists, and returns its number; -1 if there is none."""
    for impression in range(rankings.shape[0]):
        if not are_lists(rankings[impression]):
            return impression
        for number in range(luck.size):
            luck[number] = rng.random()
        probabilistic_list(rankings[impression], decay, length, luck, left, shown[impression], chances[impression])
    return -1


@compiled
def _credit_many(chances: Floats, clicked: Flags, rows: Floats, walk: Floats, scores: Floats) -> None:
    rankers = scores.shape[1]
    for impression in range(scores.shape[0]):
        size = 0
        for slot in range(clicked.shape[1]):
            if clicked[impression, slot]:
                for ranker in range(rankers):
                    rows[size] = chances[impression, slot, ranker]
                    size += 1
        exact_scores(rows[:size], walk, scores[impression])
