"""The candidate documents of a query: their words, and the subtopics that people found in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.offline.diversity.greedy import Cover, make_cover

Words = Mapping[Any, int]  # how often each word occurs
Fields = Mapping[str, Sequence[Collection[Hashable]]]  # by name: the words of each document there


@dataclass(frozen=True, eq=False)
class Candidates:
    """Documents as lists of numbered words in flat arrays; document d has offsets[d] to offsets[d + 1].

    `candidates` makes one from words as text.
    """

    words: Ints
    counts: Ints  # how often, from 0 (a word of the title alone)
    titled: Flags  # whether the word is in the title
    offsets: Ints
    subtopics: Flags  # a row a document, a column a subtopic that some document covers
    features: Floats  # a row a document, what else is known of it: psi of (4.3)
    query: Ints  # the words of the query
    prices: Floats | None = None  # what each subtopic counts, of 1 in all; by the documents that cover it if not given
    fields: Mapping[str, Flags] = field(
        default_factory=dict
    )  # by name: whether the word is in that part of the document

    def __post_init__(self) -> None:
        _check_flat(self)
        for name in ("subtopics", "features"):
            value = getattr(self, name)
            if value.ndim != 2 or len(value) != self.n_documents:
                raise BadInput(f"{name} must have one row for each of {self.n_documents} documents, not {value.shape}")
        if not np.isfinite(self.features).all():
            raise BadInput("features must be finite numbers")
        found = self.subtopics.any(0)
        if self.prices is not None:
            _check_prices(self.prices, self.subtopics.shape[1])
            object.__setattr__(self, "prices", self.prices[found])
        object.__setattr__(self, "subtopics", self.subtopics[:, found])

    def in_field(self, name: str) -> Flags:
        """The entries whose word is in a field; an error if these documents have none of that name."""
        if name not in self.fields:
            raise BadInput(f"the documents have no field {name!r}, only: {', '.join(self.fields) or 'none'}")
        return self.fields[name]

    @property
    def n_documents(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_words(self) -> int:
        """One more than the largest number of a word."""
        return int(self.words.max(initial=-1)) + 1

    @property
    def owners(self) -> Ints:
        """The document of each entry of `words`."""
        return np.repeat(np.arange(self.n_documents), np.diff(self.offsets))

    @property
    def lengths(self) -> Ints:
        """How many words each document has, repetitions included."""
        return np.bincount(self.owners, self.counts, self.n_documents).astype(np.int64)

    def document_frequency(self) -> Ints:
        """How many documents each word occurs in."""
        return np.bincount(self.words[self.counts > 0], minlength=self.n_words)

    def subtopic_cover(self) -> Cover:
        """Which subtopics each document covers."""
        documents, subtopics = np.nonzero(self.subtopics)
        return make_cover(documents, subtopics, self.n_documents)

    def subtopic_weights(self) -> Floats:
        """What each subtopic counts: as was said, or in proportion to the documents that cover it."""
        return subtopic_weights(self.subtopics.sum(0)) if self.prices is None else self.prices

    def loss(self, chosen: Sequence[int] | Ints) -> float:
        """The weighted share of subtopics that the chosen documents do not cover; 0 if there are none.

        Prices that were given may be of subtopics that no document covers; these are always lost.
        """
        prices, rows = self.subtopic_weights(), np.asarray(chosen, np.int64)
        beyond = 0.0 if self.prices is None else max(0.0, 1.0 - float(prices.sum()))
        return float(prices[~self.subtopics[rows].any(0)].sum()) + beyond


def subtopic_weights(documents: Sequence[int] | Ints) -> Floats:
    """The weights of subtopics in the loss, from the number of documents that cover each.

    Figure 4.4 of the thesis prints 1/6, 1/3, 1/2 for the counts 1, 2, 2; they belong to 1, 2, 3.

    >>> subtopic_weights([1, 2, 2])
    array([0.2, 0.4, 0.4])
    """
    counts = np.asarray(documents, np.float64)
    return counts / max(1.0, float(counts.sum()))


def count_words(text: str) -> Counter[str]:
    """How often each word of a text occurs, in small letters, without stemming.

    >>> count_words("The lion and the lioness.")["the"]
    2
    """
    return Counter(re.findall(r"\w+", text.lower()))


def candidates(
    documents: Sequence[Words],
    titles: Sequence[Collection[Hashable]] | None = None,
    subtopics: Sequence[Collection[Hashable]] | None = None,
    query: Collection[Hashable] = (),
    features: Any = None,
    weights: Mapping[Any, float] | None = None,
    fields: Fields | None = None,
) -> Candidates:
    """The documents of a query from the number of times that each has each word.

    `documents` count all words, those of the title too. `subtopics` of each document are needed for
    training and for the loss, `query` for Okapi; `features` are a row of numbers a document. `weights` say what
    subtopics count, instead of the number of documents about them: 1 for each, clicks, what people told. `fields` are
    words of each document by where they stand: its address, links to it, its author (thesis 4.5.3).

    >>> pages = candidates([{"jaguar": 2, "cat": 1}, {"jaguar": 1, "car": 3}], subtopics=[{"animal"}, {"make"}])
    >>> pages.loss([0])
    0.5
    >>> pages = candidates([{"cat": 1}, {"car": 3}], subtopics=[{"animal"}, {"make"}], weights={"animal": 3, "make": 1})
    >>> pages.loss([0])
    0.25
    """
    n, fields = len(documents), fields or {}
    for name, given in (("titles", titles), ("subtopics", subtopics), *fields.items()):
        if given is not None and len(given) != n:
            raise BadInput(f"{name} must have one entry for each of {n} documents, not {len(given)}")
    numbers: dict[Hashable, int] = {}
    words, counts, titled, offsets = [], [], [], [0]
    within: dict[str, list[bool]] = {name: [] for name in fields}
    for place, (document, title) in enumerate(zip(documents, titles or [()] * n, strict=True)):
        mine = {name: given[place] for name, given in fields.items()}
        parts = [sorted(part, key=repr) for part in (title, *mine.values())]
        for word in dict.fromkeys(chain(document, *parts)):
            words.append(numbers.setdefault(word, len(numbers)))
            counts.append(document.get(word, 0))
            titled.append(word in title)
            for name, part in mine.items():
                within[name].append(word in part)
        offsets.append(len(words))
    return Candidates(
        np.array(words, np.int64),
        np.array(counts, np.int64),
        np.array(titled, np.bool_),
        np.array(offsets, np.int64),
        _flags(subtopics or [()] * n),
        np.zeros((n, 0)) if features is None else np.asarray(features, np.float64),
        np.array([numbers[word] for word in query if word in numbers], np.int64),
        None if weights is None else _prices(subtopics or [], weights),
        {name: np.array(flags, np.bool_) for name, flags in within.items()},
    )


def _order(subtopics: Sequence[Collection[Hashable]]) -> list[Any]:
    return sorted(set().union(*subtopics), key=repr)  # sets have no order of their own


def _flags(subtopics: Sequence[Collection[Hashable]]) -> Flags:
    known = _order(subtopics)
    flags = [topic in own for own in subtopics for topic in known]
    return np.array(flags, np.bool_).reshape(len(subtopics), len(known))


def _prices(subtopics: Sequence[Collection[Hashable]], weights: Mapping[Any, float]) -> Floats:
    """The shares of all weights that the subtopics of documents have."""
    known, total = _order(subtopics), float(sum(weights.values()))
    for topic in known:
        if topic not in weights:
            raise BadInput(f"weights must name every subtopic of the documents; {topic!r} is missing")
    if not 0 < total < np.inf or min(weights.values()) < 0:
        raise BadInput("weights of subtopics must be finite numbers of at least 0, and not all 0")
    return np.array([weights[topic] / total for topic in known], np.float64)


def _check_prices(prices: Floats, subtopics: int) -> None:
    if prices.shape != (subtopics,) or not (prices >= 0).all() or not prices.sum() <= 1 + 1e-9:
        raise BadInput(f"prices must be {subtopics} numbers of at least 0 with a sum of at most 1, not {prices!r}")


def _check_flat(query: Candidates) -> None:
    """The flat arrays fit together, so that compiled code may trust them."""
    offsets, n = query.offsets, len(query.words)
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != n or (np.diff(offsets) < 0).any():
        raise BadInput(f"a query needs documents, and offsets that rise from 0 to {n}; got {offsets.tolist()[:9]}")
    if any(len(column) != n for column in (query.counts, query.titled, *query.fields.values())):
        raise BadInput(f"counts, titled and fields must have {n} entries, as words have")
    if query.counts.min(initial=0) < 0 or query.words.min(initial=0) < 0:
        raise BadInput("words and counts must not be below 0")
    entries = query.owners * (query.n_words + 1) + query.words
    if len(np.unique(entries)) != n:
        raise BadInput("a document lists a word twice")
