"""The learner that duelist recommends: one ranker for all queries, and a tally of clicks for every document it showed.

Our own. The ranker is that of pdgd.py; the tallies are empirical Bayes, as in Robbins. An Empirical
Bayes Approach to Statistics. Berkeley Symposium 1956.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, Ints, parameter, scratch, single, table
from duelist.online.learner import Learner
from duelist.online.learners.pdgd import Sampled, draw_list, last_seen, swap_chance
from duelist.online.page import Page, score_page

WAYS = 4  # places of the memory that a key may have
PRIME = 2_147_483_647  # below 2^31: products of two remainders never wrap
MULTIPLIER = 1_103_515_245
FADE = 0.9  # what is left of a tally when a newcomer finds no empty place beside it
SLOWEST = 1 / 5000  # the scored weights never follow those shown more slowly


class Tallied(Sampled):
    """Beside what PDGD needs, the scores that the documents shown have without their tallies."""

    general: Floats = table(lambda d, self: (self.length,))
    part: Floats = single(float)  # the share of the page's documents that is shown


class Tally(Learner):
    """PDGD, and on top of a document's score how much more often it was clicked than others in its place.

    Every click or skip of a document people saw, less the share of clicks that documents new to us get
    at that slot, is added to the document's tally. The mean of a tally is shrunk by how well clicks
    repeat themselves, which is measured all the time: where they are noise the tallies count for
    nothing and what is left is PDGD. The ranker learns from clicks as PDGD does, as if there were no
    tallies, and from the tallies of the documents shown: less from those it has often seen, unless all of the page is
    shown. Documents are known by the keys given to `ask`.

    Departs: from PDGD by the tallies and by scoring with an average of the weights, that counts late ones more.

    >>> learner = Tally(n_features=1, seed=1)
    >>> for _ in range(20):  # two documents that no ranker can tell apart
    ...     impression = learner.ask([[1.0], [1.0]], keys=[7, 8])
    ...     learner.tell(impression, [impression.ranking.index(1)])
    >>> [learner.ask([[1.0], [1.0]], keys=[7, 8]).ranking[0] for _ in range(8)]
    [1, 1, 1, 1, 1, 1, 1, 1]
    """

    name = "tally"
    impression = Tallied

    rate: float = parameter(0.1, "learning rate from clicks, as PDGD's", above=0)
    contrast: float = parameter(3.0, "factor of the ranker's scores when a list is drawn", above=0)
    lesson: float = parameter(0.05, "learning rate from tallies", low=0)
    strength: float = parameter(60.0, "score of a document that is always clicked where others never are", low=0)
    sights: float = parameter(10.0, "how many of the last times a document was seen count, about", low=1)
    slots: int = parameter(65_536, "documents remembered at most", low=WAYS)
    moving: Floats = table(lambda d: (1, d))  # weights that lists are made with; `weights` is their average
    averaged: Ints = single(int)  # impressions whose weights are in the average
    known: Ints = table(lambda d, self: (self.slots,), int, -1)  # keys of the documents remembered, -1 for none
    surplus: Floats = table(lambda d, self: (self.slots,))  # clicks more than expected: the tally
    seen: Floats = table(lambda d, self: (self.slots,))  # times it was seen; less after forgetting
    clicks: Floats = table(lambda d, self: (self.length,), float, 0.3)  # by slot, on documents seen for the first time
    views: Floats = table(lambda d, self: (self.length,), float, 1)  # by slot, of such documents
    agreement: Floats = single(float, 4)  # sum of surplus times mean surplus of the same document before
    spread: Floats = single(float, 20)  # sum of squared surplus
    evidence: Floats = scratch(lambda d, self: (self.length,))  # shrunk means of the documents shown
    fresh: Floats = scratch(lambda d, self: (self.length,))  # 1 for documents new to us, 0 for those seen often enough
    pull: Floats = scratch(lambda d, self: (self.length,))  # what each document shown moves the weights by

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        return 2

    def place_at(self, weights: Floats) -> None:
        self.weights[0] = self.moving[0] = weights

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        draw_tallied(self, page, impression, self.contrast, self.strength, rng)

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        last = last_seen(impression, clicked)
        learn_clicks(self, impression, clicked, last)
        # After a list without clicks all of it counts as seen: what is good may be further down.
        count_seen(self, impression, clicked, last if last > 0 else impression.count[0])
        learn_tallies(self, impression)
        follow_weights(self)


@kernel
def draw_tallied(
    self: Tally, page: Page, impression: Any, contrast: float, strength: float, rng: np.random.Generator
) -> None:
    """A list by the ranker's scores and the tallies; the scores alone are kept in page.wanted[1]."""
    score_page(page, self.moving, 0)
    doubt = noise(self)
    for document in range(page.size):
        page.wanted[1, document] = page.scores[document]
        surplus = mean_surplus(self, page.keys[page.first + document], doubt)
        page.scores[document] = contrast * page.scores[document] + strength * surplus
    draw_list(page, impression, self.length, rng)
    impression.part[0] = impression.count[0] / max(1, page.size)
    for slot in range(impression.count[0]):
        impression.general[slot] = page.wanted[1, impression.shown[slot]]


@kernel
def follow_weights(self: Tally) -> None:
    """Average the weights: those of impression t count about as t^3."""
    self.averaged[0] += 1
    follow = max(4.0 / (self.averaged[0] + 3.0), SLOWEST)
    for column in range(self.n_features):
        self.weights[0, column] += follow * (self.moving[0, column] - self.weights[0, column])


@kernel
def learn_clicks(self: Tally, impression: Any, clicked: Flags, last: int) -> None:
    """PDGD's step. How sure the ranker is is asked without tallies, or what they know it would never learn."""
    for i in range(last):
        for j in range(last):
            if clicked[i] and not clicked[j]:
                unsure = slope(impression.general[i] - impression.general[j])
                weight = self.rate * unsure * swap_chance(impression, i, j)
                for column in range(self.n_features):
                    difference = impression.features[i, column] - impression.features[j, column]
                    self.moving[0, column] += weight * difference


@kernel
def learn_tallies(self: Tally, impression: Any) -> None:
    """Prefer, of two documents shown, the one with the better tally.

    What is shown again and again is there because of its tally, not because of its features: among such documents
    good features go with bad luck, and the ranker would unlearn what it knows. So they teach less, the less of the
    page is shown.
    """
    doubt, part = noise(self), impression.part[0]
    for i in range(impression.count[0]):
        self.evidence[i] = mean_surplus(self, impression.keys[i], doubt)
        self.fresh[i] = 1.0 - views_before(self, impression.keys[i]) / self.sights
        self.pull[i] = 0.0
    for i in range(impression.count[0]):
        for j in range(i):
            if impression.keys[i] >= 0 and impression.keys[j] >= 0:
                unsure = slope(impression.general[i] - impression.general[j])
                trust = part + (1.0 - part) * max(self.fresh[i], self.fresh[j])
                weight = self.lesson * trust * unsure * (self.evidence[i] - self.evidence[j])
                self.pull[i] += weight
                self.pull[j] -= weight
    for i in range(impression.count[0]):
        for column in range(self.n_features):
            self.moving[0, column] += self.pull[i] * impression.features[i, column]


@kernel
def count_seen(self: Tally, impression: Any, clicked: Flags, last: int) -> None:
    """Enter the first `last` documents in their tallies."""
    for slot in range(last):
        if impression.keys[slot] >= 0:
            click = 1.0 if clicked[slot] else 0.0
            surplus = click - self.clicks[slot] / self.views[slot]
            place = find(self, impression.keys[slot])
            if place < 0:
                place = make_place(self, impression.keys[slot])
                self.clicks[slot] += click
                self.views[slot] += 1.0
            else:
                self.agreement[0] += surplus * self.surplus[place] / self.seen[place]
                self.spread[0] += surplus * surplus
            self.surplus[place] += surplus
            self.seen[place] += 1.0
            fade(self, place, min(1.0, self.sights / self.seen[place]))


@kernel
def repeated(self: Tally) -> float:
    """The part of what clicks vary by that is the documents' own: the correlation of two surpluses of one document."""
    return float(max(0.01, min(0.99, self.agreement[0] / self.spread[0])))


@kernel
def noise(self: Tally) -> float:
    """How many views of a document tell as much about it as its being one of those people see: (1 - r) / r."""
    return (1.0 - repeated(self)) / repeated(self)


@kernel
def mean_surplus(self: Tally, key: int, doubt: float) -> float:
    """The surplus to expect of a document next time; 0 for one that is not known."""
    place = find(self, key) if key >= 0 else -1
    return self.surplus[place] / (self.seen[place] + doubt) if place >= 0 else 0.0


@kernel
def views_before(self: Tally, key: int) -> float:
    """How often a document was seen before the list just told, `sights` at most."""
    place = find(self, key) if key >= 0 else -1
    return max(0.0, min(self.seen[place] - 1.0, self.sights)) if place >= 0 else 0.0


@kernel
def slope(gap: float) -> float:
    """p (1 - p), where p is the chance that a document that scores higher by `gap` is preferred."""
    p = 1.0 / (1.0 + math.exp(-abs(gap)))
    return p * (1.0 - p)


@kernel
def first_place(self: Tally, key: int) -> int:
    """The first of the places that a key may have."""
    return (key % PRIME) * MULTIPLIER % PRIME % (self.slots // WAYS) * WAYS


@kernel
def find(self: Tally, key: int) -> int:
    """The place of a key, or -1."""
    first = first_place(self, key)
    for place in range(first, first + WAYS):
        if self.known[place] == key:
            return place
    return -1


@kernel
def make_place(self: Tally, key: int) -> int:
    """An empty place for a new key. If there is none, the smallest tally goes and those beside it fade.

    So nothing stays for ever because it was large once, and a memory that is much too small holds
    little of anybody: tallies near 0.
    """
    first = first_place(self, key)
    least = first
    for place in range(first, first + WAYS):
        if rank_place(self, place) < rank_place(self, least):
            least = place
    if self.known[least] >= 0:
        for place in range(first, first + WAYS):
            fade(self, place, FADE)
    self.known[least] = key
    self.surplus[least] = 0.0
    self.seen[least] = 0.0
    return least


@kernel
def rank_place(self: Tally, place: int) -> float:
    """What would be lost with it; an empty place comes before all others."""
    return abs(self.surplus[place]) if self.known[place] >= 0 else -1.0


@kernel
def fade(self: Tally, place: int, left: float) -> None:
    """Forget a part of a tally."""
    self.surplus[place] *= left
    self.seen[place] *= left
