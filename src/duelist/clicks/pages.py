"""Pages for fitting: what was shown for a query and what was clicked, in flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints


class ClickedPage(Protocol):
    """A query, the list shown for it, and the clicks; a Record of a log is one."""

    @property
    def query(self) -> str: ...

    @property
    def shown(self) -> Sequence[str]: ...

    @property
    def clicks(self) -> Sequence[int]: ...


P = TypeVar("P", bound=ClickedPage)


@dataclass(frozen=True)
class Slots:
    """Every slot of many pages, one after another."""

    keys: tuple[tuple[str, str], ...]  # the query-document pairs that occur
    start: Ints  # page p has the slots start[p] to start[p + 1] - 1
    key: Ints  # for each slot its index in keys
    rank: Ints  # for each slot its position on its page, from 0
    clicked: Flags

    @classmethod
    def of(cls, pages: Iterable[ClickedPage]) -> Slots:
        found: dict[tuple[str, str], int] = {}
        sizes, key, clicked = [0], [], []
        for page in pages:
            _check_clicks(page)
            sizes.append(len(page.shown))
            key += [found.setdefault((page.query, document), len(found)) for document in page.shown]
            clicked += [position + len(key) - len(page.shown) for position in page.clicks]
        start = np.cumsum(sizes)
        flags = np.zeros(len(key), np.bool_)
        flags[clicked] = True
        rank = np.arange(len(key)) - np.repeat(start[:-1], np.diff(start))
        return cls(tuple(found), start, np.array(key, np.int64), rank, flags)

    @property
    def ranks(self) -> int:
        """The length of the longest page."""
        return int(self.rank.max(initial=-1)) + 1

    @property
    def has_next(self) -> Flags:
        """Whether there is a slot below."""
        last = np.zeros(self.key.size, np.bool_)
        last[self.start[1:][np.diff(self.start) > 0] - 1] = True
        return ~last

    def per_rank(self, values: Floats) -> Floats:
        """The sum of a value of each slot, for each rank."""
        return sums(self.rank, values, self.ranks)

    def per_key(self, values: Floats) -> Floats:
        """The sum of a value of each slot, for each query-document pair."""
        return sums(self.key, values, len(self.keys))


def sums(index: Ints, values: Floats, size: int) -> Floats:
    """The sum of the values at each index below `size`."""
    return np.asarray(np.bincount(index, values, size), np.float64)


def _check_clicks(page: ClickedPage) -> None:
    bad = [click for click in page.clicks if not 0 <= click < len(page.shown)]
    if bad:
        raise BadInput(f"a click must be from 0 to {len(page.shown) - 1} on a page of {len(page.shown)}, not {bad[0]}")


def click_rates(pages: Iterable[ClickedPage]) -> Floats:
    """The share of the pages clicked at each rank, among the pages that have the rank.

    >>> from duelist.clicks import Record
    >>> shown = ("a", "b")
    >>> pages = [Record("1", "ann", "jazz", 0.0, shown, (0,)), Record("2", "bob", "jazz", 0.0, shown, (0, 1))]
    >>> click_rates(pages).tolist()
    [1.0, 0.5]
    """
    slots = Slots.of(pages)
    return np.asarray(slots.per_rank(slots.clicked.astype(float)) / slots.per_rank(np.ones(slots.key.size)))


def split_pages(pages: Sequence[P], share: float = 0.75, seed: int = 0) -> tuple[list[P], list[P]]:
    """Two random parts of the pages, the first with `share` of them.

    >>> [len(part) for part in split_pages(range(8))]
    [6, 2]
    """
    if not 0 <= share <= 1:
        raise BadInput(f"share must be from 0 to 1, not {share!r}")
    order = np.random.default_rng(seed).permutation(len(pages))
    cut = round(share * len(pages))
    return [pages[i] for i in order[:cut]], [pages[i] for i in order[cut:]]
