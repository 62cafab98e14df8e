"""Users who read a list from the top and may stop: cascade, dependent click, dynamic Bayesian.

The first slot is examined. An examined document is clicked with probability `attraction`;
then the next slot is examined with probability `after_click`, or `after_skip` if there was no
click. All arrays have one entry a slot, pages one after another as in `Slots`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.clicks.model import ClickModel, OnePage
from duelist.clicks.pages import Slots
from duelist.core.compile import compiled, kernel
from duelist.core.memory import Flags, Floats, Ints


class Chain(NamedTuple):
    """The three probabilities of each slot."""

    attraction: Floats
    after_click: Floats
    after_skip: Floats

    def clicks(self, rng: np.random.Generator) -> list[int]:
        """The positions clicked on one page."""
        attracted = rng.random(self.attraction.size) < self.attraction
        goes_on = rng.random(self.attraction.size) < np.where(attracted, self.after_click, self.after_skip)
        examined = np.concatenate([[True], np.logical_and.accumulate(goes_on)])[: attracted.size]
        return [int(position) for position in np.flatnonzero(attracted & examined)]

    def predict(self, slots: Slots, given_clicks: bool) -> Floats:
        """The click probability of each slot; given the clicks above it on its page, or before any."""
        chance = np.empty(slots.key.size)
        predict_slots(slots.start, slots.clicked, *self, given_clicks, chance)
        return chance

    def posterior(self, slots: Slots) -> Posterior:
        """What the clicks tell about the slots that were examined."""
        size = slots.key.size
        found = Posterior(np.zeros(size), np.zeros(size), np.zeros(slots.start.size - 1))
        infer_slots(slots.start, slots.clicked, *self, np.zeros(size), *found)
        return found


class ChainModel(ClickModel):
    """Base of the fitted models of such users."""

    @abstractmethod
    def chain(self, slots: Slots) -> Chain:
        """The probabilities of each slot."""

    def clicks(self, documents: Sequence[str], rng: np.random.Generator, query: str = "") -> list[int]:
        return self.chain(Slots.of([OnePage(query, documents, ())])).clicks(rng)

    def predict(self, slots: Slots, given_clicks: bool) -> Floats:
        return self.chain(slots).predict(slots, given_clicks)


class Posterior(NamedTuple):
    """Given the clicks of a page, the probability that ..."""

    examined: Floats  # ... a slot was examined
    went_on: Floats  # ... the slot after it was examined too; 0 for the last slot, which has none
    log_likelihood: Floats  # and the log probability of all clicks and skips, one a page


@compiled
def predict_slots(
    start: Ints,
    clicked: Flags,
    attraction: Floats,
    after_click: Floats,
    after_skip: Floats,
    given_clicks: bool,
    chance: Floats,
) -> None:
    for page in range(start.size - 1):
        examined = 1.0
        for slot in range(start[page], start[page + 1]):
            click = chance[slot] = examined * attraction[slot]
            skip = examined * (1.0 - attraction[slot])
            if not given_clicks:
                examined = click * after_click[slot] + skip * after_skip[slot]
            elif clicked[slot]:
                examined = after_click[slot]
            elif click < 1.0:
                examined = skip * after_skip[slot] / (1.0 - click)


@kernel
def look_up_from_below(
    first: int, end: int, attraction: Floats, after_skip: Floats, clicked: Flags, unclicked_below: Floats
) -> int:
    """The last click of a page, `first` - 1 if there is none.

    Fills `unclicked_below`: the probability that nothing below a slot is clicked if the next is examined.
    """
    last, silent = first - 1, 1.0
    for slot in range(end - 1, first - 1, -1):
        unclicked_below[slot] = silent
        silent = (1.0 - attraction[slot]) * (1.0 - after_skip[slot] + after_skip[slot] * silent)
        if clicked[slot] and last < first:
            last = slot
    return last


@compiled
def infer_slots(
    start: Ints,
    clicked: Flags,
    attraction: Floats,
    after_click: Floats,
    after_skip: Floats,
    unclicked_below: Floats,
    examined: Floats,
    went_on: Floats,
    log_likelihood: Floats,
) -> None:
    """Fill the Posterior, the last three arrays: everything above the last click was examined."""
    for page in range(start.size - 1):
        first, end = start[page], start[page + 1]
        last = look_up_from_below(first, end, attraction, after_skip, clicked, unclicked_below)
        here = 1.0
        for slot in range(first, end):
            examined[slot] = here
            goes_on = after_click[slot] if clicked[slot] else after_skip[slot]
            chosen = attraction[slot] if clicked[slot] else 1.0 - attraction[slot]
            rest = goes_on  # the probability of what is seen below
            if slot >= last:
                rest = 1.0 - goes_on + goes_on * unclicked_below[slot]
                here *= goes_on * unclicked_below[slot] / rest if rest > 0.0 else 0.0
            if slot <= max(first, last):  # later slots are in the rest of this one
                log_likelihood[page] += np.log(chosen * rest)
            went_on[slot] = here if slot < end - 1 else 0.0
