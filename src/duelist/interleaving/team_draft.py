"""Team draft interleaving, and team draft multileaving, which is the same with more rankers.

Radlinski, Kurup, Joachims. How Does Clickthrough Data Reflect Retrieval Quality? CIKM 2008.
Schuth, Sietsma, Whiteson, Lefortier, de Rijke. Multileaved Comparisons for Fast Online
Evaluation. CIKM 2014.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Annotated

import numpy as np

from duelist.core.compile import compiled, kernel
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.parameters import limits
from duelist.core.sampling import shuffle
from duelist.interleaving.batches import are_lists, check_batch, check_clicked, count_credited, refuse_bad
from duelist.interleaving.method import Method, Ranking, Rankings, Shown, check_rankings, credited

Owned = tuple[tuple[Hashable, int], ...]  # documents with the ranker that owns each

# One random number decides eight rounds of two rankers, which is faster than a coin a round.
EIGHT_ROUNDS = tuple(product(((0, 1), (1, 0)), repeat=8))


@dataclass(frozen=True)
class TeamDraft(Method):
    """Rankers take turns, in a new random order every round, to add their best document not yet there.

    A click counts for the ranker that added the document. The beginning that all rankings share is
    neutral, and so is what lies beyond the shortest ranking.

    Departs: the papers draft a shared beginning like all else, and so does `neutral=False`, which is Algorithm 8 of
    Yue's thesis where the rankings have the same documents. Clicks there say nothing about the rankers and only add
    noise, at no bias. Where rankings differ in length, Algorithm 8 credits every slot and ends its list when one
    ranking has nothing left, so that the shorter one is never the last to wait: random clicks on "abcd" and "xy"
    prefer "xy", by half a click a list. We credit as many slots as the shortest ranking is long, and then go on.

    >>> import numpy as np
    >>> method = TeamDraft()
    >>> shown = method.combine(["abcd", "bdca"], length=4, rng=np.random.default_rng(3))
    >>> shown.ranking, shown.teams
    (('a', 'b', 'c', 'd'), (0, 1, 0, 1))
    >>> method.credit(shown, clicks=[0, 1, 3])
    array([1., 2.])
    """

    neutral: Annotated[bool, limits("whether the beginning that all rankings share is nobody's")] = True

    name = "team-draft"
    extends = True

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        counted = credited(checked, length)
        drafted = _shared_beginning(checked, counted) if self.neutral else {}
        rounds = -((len(drafted) - counted) // len(checked))
        _draft(drafted, checked, _draw_orders(len(checked), rounds, rng))
        ranking, teams = tuple(drafted), tuple(drafted.values())
        if not len(ranking) == counted == length:
            ranking = fill(ranking[:counted], checked, length, rng)
            teams = _neutral_from(counted, teams, len(ranking))
        return Shown(ranking, len(checked), self.text, teams)

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked = check_rankings(self, rankings, length)
        counted = credited(checked, length)
        start = tuple(_shared_beginning(checked, counted).items()) if self.neutral else ()
        outcomes: dict[Shown, float] = defaultdict(float)
        for owned, chance in _every_draft(start, checked, counted).items():
            begun, teams = tuple(document for document, _ in owned), tuple(ranker for _, ranker in owned)
            for ranking, share in every_fill(begun, checked, length):
                shown = Shown(ranking, len(checked), self.text, _neutral_from(counted, teams, len(ranking)))
                outcomes[shown] += chance * share
        return [(chance, shown) for shown, chance in outcomes.items()]

    def proceed(self, shown: Shown, rankings: Sequence[Ranking], length: int, rng: np.random.Generator) -> Shown:
        """What is left of the rankings is drafted anew."""
        return shown.followed_by(self.combine(unseen(shown, rankings), length - len(shown.ranking), rng))

    def combine_many(self, rankings: Ints, length: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Lists and teams, one row an impression, from rankings[impression, ranker, rank].

        Documents are numbers from 0; shorter rankings and lists end in -1.

        >>> shown, teams = TeamDraft().combine_many(np.array([[[7, 8, 9], [9, 7, 8]]]), 3, np.random.default_rng(0))
        >>> shown.tolist(), teams.tolist()
        ([[7, 9, 8]], [[0, 1, 0]])
        """
        rankings, documents = check_batch(self, rankings, length)
        shown, teams = (np.empty((len(rankings), length), np.int64) for _ in range(2))
        scratch, placed = np.empty((2, rankings.shape[1]), np.int64), np.zeros(documents, np.bool_)
        refuse_bad(rankings, _combine_many(rankings, length, self.neutral, rng, scratch, placed, shown, teams))
        return shown, teams

    def credit_many(self, teams: Ints, clicked: Flags, rankers: int) -> Floats:
        """Scores[impression, ranker] from clicked[impression, slot].

        >>> TeamDraft().credit_many(np.array([[1, 0, 1]]), np.array([[True, False, True]]), rankers=2)
        array([[0., 2.]])
        """
        scores = np.zeros((len(teams), rankers))
        _credit_many(teams, check_clicked(clicked, teams.shape), scores)
        return scores


def unseen(shown: Shown, rankings: Sequence[Ranking]) -> list[Ranking]:
    """What is left of the rankings without the documents shown."""
    seen = set(shown.ranking)
    return [tuple(document for document in ranking if document not in seen) for ranking in rankings]


def fill(ranking: Ranking, rankings: Sequence[Ranking], length: int, rng: np.random.Generator) -> Ranking:
    """`ranking`, continued to `length` by team draft while there are documents; nobody owns what is added."""
    drafted = dict.fromkeys(ranking, -1)
    _draft(drafted, rankings, _draw_orders(len(rankings), length - len(ranking), rng))
    return tuple(drafted)[:length]


def every_fill(ranking: Ranking, rankings: Sequence[Ranking], length: int) -> list[tuple[Ranking, float]]:
    """Every list that `fill` can make, with its probability."""
    if len(ranking) == length:
        return [(ranking, 1.0)]
    lists: dict[Ranking, float] = defaultdict(float)
    begun = tuple((document, -1) for document in ranking)
    for owned, chance in _every_draft(begun, rankings, length).items():
        lists[tuple(document for document, _ in owned)] += chance
    return list(lists.items())


def _neutral_from(counted: int, teams: tuple[int, ...], size: int) -> tuple[int, ...]:
    return teams[:counted] + (-1,) * (size - counted)


def _shared_beginning(rankings: Sequence[Ranking], counted: int) -> dict[Hashable, int]:
    """The documents at the top that all rankings agree on, owned by nobody."""
    drafted: dict[Hashable, int] = {}
    if counted and rankings[0][0] == rankings[1][0]:  # rare, so the loop is worth avoiding
        for documents in zip(*(ranking[:counted] for ranking in rankings), strict=True):
            if documents.count(documents[0]) < len(rankings):
                break
            drafted[documents[0]] = -1
    return drafted


def _draw_orders(rankers: int, rounds: int, rng: np.random.Generator) -> Sequence[Sequence[int]]:
    """For each round, the rankers in random order; more rounds begin with the same orders."""
    if rankers > 2:
        return rng.random((rounds, rankers)).argsort(1).tolist()  # type: ignore[no-any-return]
    orders = EIGHT_ROUNDS[int(rng.random() * 256)]
    while len(orders) < rounds:
        orders += EIGHT_ROUNDS[int(rng.random() * 256)]
    return orders[:rounds]


def _draft(drafted: dict[Hashable, int], rankings: Sequence[Ranking], orders: Iterable[Sequence[int]]) -> None:
    """In each round every ranker adds, in the order of that round, its best document not yet there."""
    turns = [iter(ranking) for ranking in rankings]
    for order in orders:
        for ranker in order:
            for document in turns[ranker]:
                if document not in drafted:
                    drafted[document] = ranker
                    break


def _every_draft(start: Owned, rankings: Sequence[Ranking], size: int) -> dict[Owned, float]:
    """Continue a list in every order of every round, to `size` or until no document is left."""
    orders = list(permutations(range(len(rankings))))
    lists, finished = {start: 1.0}, len(start) == size
    while not finished:
        longer: dict[Owned, float] = defaultdict(float)
        for owned, chance in lists.items():
            for order in orders if len(owned) < size else ():
                drafted = dict(owned)
                _draft(drafted, rankings, [order])
                longer[tuple(drafted.items())[:size]] += chance / len(orders)
            if len(owned) == size:
                longer[owned] += chance
        finished = longer.keys() == lists.keys() or all(len(owned) == size for owned in longer)
        lists = longer
    return lists


@kernel
def team_draft(
    rankings: Ints,
    length: int,
    spare: bool,
    rng: np.random.Generator,
    scratch: Ints,
    placed: Flags,
    shown: Ints,
    teams: Ints,
) -> int:
    """Team draft for compiled code: fills `shown` and `teams` and returns how many documents there are.

    `spare` makes the beginning that all rankings share neutral.

    rankings[ranker, rank] are numbers from 0, and -1 behind the last; so are shown and teams. `scratch` has
    two rows of one number a ranker; `placed` has a flag for each document, false before and after.
    """
    counted, slot = count_credited(rankings, length), 0
    while spare and slot < counted and all_agree(rankings, slot):
        shown[slot], teams[slot] = rankings[0, slot], -1
        placed[shown[slot]] = True
        slot += 1
    for ranker in range(rankings.shape[0]):
        scratch[0, ranker], scratch[1, ranker] = ranker, slot
    if rankings.shape[0] == 2:
        toss_teams(slot, counted, rng, teams)
    else:
        draw_teams(slot, counted, rng, scratch[0], teams)
    take_turns(rankings, slot, counted, scratch[1], placed, shown, teams)
    size = add_neutral(rankings, counted, length, rng, scratch, placed, shown)
    for full in range(size):
        placed[shown[full]] = False
    for empty in range(size, length):
        shown[empty] = -1
    for neutral in range(counted, length):
        teams[neutral] = -1
    return size


@kernel
def all_agree(rankings: Ints, rank: int) -> bool:
    """Whether all rankings have the same document at this rank."""
    for ranker in range(1, rankings.shape[0]):
        if rankings[ranker, rank] != rankings[0, rank]:
            return False
    return True


@kernel
def draw_teams(slot: int, until: int, rng: np.random.Generator, order: Ints, teams: Ints) -> None:
    """Who adds the document of each slot: round by round, all rankers in random order."""
    while slot < until:
        shuffle(order, order.size, rng)
        for turn in range(min(order.size, until - slot)):
            teams[slot] = order[turn]
            slot += 1


@kernel
def toss_teams(slot: int, until: int, rng: np.random.Generator, teams: Ints) -> None:
    """The same for two rankers: one random number holds as many coins as it has digits."""
    coins, left = 0, 0
    while slot < until:
        if left == 0:
            coins, left = int(rng.random() * 2.0**53), 53
        teams[slot] = coins & 1
        if slot + 1 < until:
            teams[slot + 1] = 1 - (coins & 1)
        coins >>= 1
        left -= 1
        slot += 2


@kernel
def take_turns(rankings: Ints, slot: int, until: int, following: Ints, placed: Flags, shown: Ints, teams: Ints) -> None:
    """Each slot gets the best document of its team that is not yet placed; every team must have one."""
    while slot < until:
        ranker = teams[slot]
        rank = following[ranker]
        while placed[rankings[ranker, rank]]:
            rank += 1
        shown[slot] = rankings[ranker, rank]
        placed[shown[slot]] = True
        following[ranker] = rank + 1
        slot += 1


@kernel
def add_neutral(
    rankings: Ints, slot: int, until: int, rng: np.random.Generator, scratch: Ints, placed: Flags, shown: Ints
) -> int:
    """Continue in rounds of random order while some ranker has documents; returns where it ended."""
    order, following = scratch[0], scratch[1]
    before = -1
    while before < slot < until:  # a round that added nothing is the last
        before = slot
        shuffle(order, order.size, rng)
        for ranker in order:
            while following[ranker] < rankings.shape[1] and slot < until:
                document = rankings[ranker, following[ranker]]
                following[ranker] += 1
                if document >= 0 and not placed[document]:
                    shown[slot] = document
                    placed[document] = True
                    slot += 1
                    break
    return slot


@compiled
def _combine_many(
    rankings: Ints,
    length: int,
    spare: bool,
    rng: np.random.Generator,
    scratch: Ints,
    placed: Flags,
    shown: Ints,
    teams: Ints,
) -> int:
    """Stops at the first impression whose rankings are not lists, and returns its number; -1 if there is none."""
    for impression in range(rankings.shape[0]):
        if not are_lists(rankings[impression]):
            return impression
        team_draft(rankings[impression], length, spare, rng, scratch, placed, shown[impression], teams[impression])
    return -1


@compiled
def _credit_many(teams: Ints, clicked: Flags, scores: Floats) -> None:
    for impression in range(teams.shape[0]):
        for slot in range(teams.shape[1]):
            if clicked[impression, slot] and teams[impression, slot] >= 0:
                scores[impression, teams[impression, slot]] += 1.0
