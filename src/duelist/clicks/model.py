"""What every click model does: click, predict clicks, and be judged by its predictions.

Definitions after Chuklin, Markov, de Rijke. Click Models for Web Search. 2015: a document is
clicked if it is examined and attractive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.clicks.pages import ClickedPage, Slots
from duelist.core.errors import BadInput
from duelist.core.memory import Floats

Chances = Mapping[tuple[str, str], float]  # a probability for each query-document pair


@dataclass(frozen=True)
class Perplexity:
    """How surprised a model is by clicks: 1 is an oracle, 2 a coin.

    At a rank it is 2 to the power of minus the mean log2 probability given to what happened;
    overall it is the mean of the ranks. Of no page it is not a number.
    """

    overall: float
    by_rank: tuple[float, ...]


class ClickModel(ABC):
    """Base of the models with parameters for query-document pairs."""

    @abstractmethod
    def clicks(self, documents: Sequence[str], rng: np.random.Generator, query: str = "") -> list[int]:
        """The positions a simulated user clicks."""

    @abstractmethod
    def predict(self, slots: Slots, given_clicks: bool) -> Floats:
        """The click probability of each slot; given the clicks above it on its page, or before any."""

    def probabilities(self, documents: Sequence[str], clicks: Sequence[int] | None = None, query: str = "") -> Floats:
        """The click probability of each slot; if `clicks` are given, each given the clicks above it."""
        return self.predict(Slots.of([OnePage(query, documents, clicks or ())]), clicks is not None)

    def log_likelihood(self, pages: Iterable[ClickedPage]) -> float:
        """The natural logarithm of the probability of all clicks and skips of the pages."""
        return float(self._surprise(Slots.of(pages), True).sum() * -np.log(2))

    def perplexity(self, pages: Iterable[ClickedPage], given_clicks: bool = True) -> Perplexity:
        """How surprising the clicks of the pages are.

        Each slot is predicted given the clicks above it, which is the likelihood of the page
        taken apart, and which the book calls conditional perplexity. With
        `given_clicks=False` it is predicted before any click, the book's plain perplexity.
        """
        slots = Slots.of(pages)
        bits = slots.per_rank(self._surprise(slots, given_clicks))
        by_rank = 2.0 ** (bits / slots.per_rank(np.ones(slots.key.size)))
        return Perplexity(float(by_rank.mean()) if by_rank.size else np.nan, tuple(by_rank.tolist()))

    def _surprise(self, slots: Slots, given_clicks: bool) -> Floats:
        """Bits of each slot; infinite where the model called impossible what happened."""
        chance = self.predict(slots, given_clicks)
        with np.errstate(divide="ignore"):
            return -np.log2(np.where(slots.clicked, chance, 1 - chance))


@dataclass(frozen=True)
class OnePage:
    """A page that comes from no log."""

    query: str
    shown: Sequence[str]
    clicks: Sequence[int]


def look_up(table: Chances, slots: Slots, prior: float) -> Floats:
    """A slot's value in `table`; `prior` for a query-document pair that is not there."""
    values = np.array([table.get(key, prior) for key in slots.keys])
    return np.asarray(values[slots.key]) if slots.keys else np.zeros(0)


def at_rank(values: Floats, slots: Slots) -> Floats:
    """A slot's value in a list by rank; ranks beyond the list are like its last."""
    return np.asarray(values[np.minimum(slots.rank, values.size - 1)])


def probability(name: str, value: Any) -> float:
    """`value` if it is a probability, else an error that names it."""
    if not isinstance(value, float | int | np.floating | np.integer) or not 0 <= value <= 1:
        raise BadInput(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)


def probabilities_by_key(name: str, table: Mapping[Any, Any]) -> dict[Any, float]:
    """`table` if each of its values is a probability."""
    return {key: probability(f"{name} of {key!r}", value) for key, value in table.items()}


def probabilities_by_rank(name: str, values: Sequence[Any] | Floats) -> Floats:
    """`values` as an array if each is a probability and there is at least one."""
    if not len(values):
        raise BadInput(f"{name} must have a probability for at least one rank")
    return np.array([probability(f"{name} at {rank}", value) for rank, value in enumerate(values)])
