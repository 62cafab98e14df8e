"""What simulated visitors look for, and what they type.

Each has one page in mind and a few words of it, some in another form. Tastes differ in the pages and in where the words
come from, so that another ranker is best for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.search.documents import Document
from duelist.search.forms import word_forms
from duelist.search.vectors import words_of

WANTED, NEAR = 2, 1  # grades: the page itself; one beside it, or the one that it is in
TASKS = 200  # queries of a taste; visitors draw from them
SEED = 17  # of the tasks: they are the same for every crowd, so that the truth is the same too
RARE = 0.1  # of the pages: a word on more of them is nothing to search by
COMMON = (0.01, 0.08)  # of the pages: words that people add, and that say little
LETTERS = 3  # of a word that people remember, at least
TRIES = 20 * TASKS


class Task(NamedTuple):
    """A visitor's need, and the words for it."""

    query: str
    wanted: Document

    def label(self, document: Document) -> int:
        """How relevant a document is, from 0 to 2."""
        if document.name == self.wanted.name:
            return WANTED
        inside, around = self.wanted.parent, self.wanted.name
        return NEAR if (inside and inside in (document.parent, document.name)) or document.parent == around else 0


class Taste(NamedTuple):
    """A kind of visitor."""

    name: str
    says: str
    functions: bool  # whether functions are looked for, or else modules and classes
    shortest: int  # characters of the page that is looked for
    longest: int
    of_name: int  # words of a query that come from the page's name,
    of_text: int  # from its text,
    foreign: int  # and from other pages
    forms: float  # how often a word is remembered in another form

    def wants(self, page: Document) -> bool:
        """Whether such a visitor may look for this page."""
        return (page.kind == "function") == self.functions and self.shortest <= len(page.text) <= self.longest


TASTES = {
    taste.name: taste
    for taste in (
        Taste("names", "short pages of functions, by parts of their names", True, 0, 300, 2, 0, 2, 0.3),
        Taste("overviews", "long pages of modules and classes, by what they say", False, 800, 4_000, 0, 4, 0, 0.6),
    )
}


def find_taste(name: str) -> Taste:
    """A taste by its name."""
    if name not in TASTES:
        raise UnknownName(f"no taste {name!r}; there are {', '.join(TASTES)}")
    return TASTES[name]


class Memory:
    """What people remember of the pages: words, how many pages have each, and their other forms."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        pages = Counter(word for each in documents for word in {*words_of(f"{each.title} {each.text}")})
        self.pages = {word: n for word, n in pages.items() if len(word) >= LETTERS}
        self.forms = word_forms(self.pages)
        least, most = (share * len(documents) for share in COMMON)
        self.common = sorted(word for word, n in self.pages.items() if least <= n <= most)

    def tasks(self, taste: Taste, count: int = TASKS) -> list[Task]:
        """Queries of a taste; the same for the same documents."""
        luck = np.random.default_rng([SEED, *taste.name.encode()])
        wanted = [page for page in self.documents if taste.wants(page)]
        made: list[Task] = []
        for _ in range(TRIES):
            if len(made) == count or not wanted:
                break
            page = wanted[int(luck.integers(len(wanted)))]
            words = self._words(words_of(page.title), taste.of_name, taste.forms, luck)
            words += self._words(words_of(page.text), taste.of_text, taste.forms, luck)
            if len(words) == taste.of_name + taste.of_text:
                words += [str(word) for word in luck.choice(self.common, taste.foreign)] if taste.foreign else []
                made.append(Task(" ".join(words), page))
        if len(made) < count:
            raise BadInput(f"of {count} tasks of taste {taste.name!r} these documents gave {len(made)}")
        return made

    def _words(self, words: Sequence[str], count: int, forms: float, luck: np.random.Generator) -> list[str]:
        """Some of these words, the rarer the rather, and some of them in another form."""
        known = sorted({word for word in words if 0 < self.pages.get(word, 0) <= RARE * len(self.documents)})
        if count == 0 or len(known) < count:
            return []
        chances = np.array([self.pages[word] for word in known]) ** -0.5
        picked = luck.choice(len(known), count, replace=False, p=chances / chances.sum())
        found = [known[place] for place in picked]
        return [str(luck.choice(self.forms[word])) if luck.random() < forms else word for word in found]
