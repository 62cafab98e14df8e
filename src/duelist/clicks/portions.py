"""A log in portions: one in memory, or many that come from disk one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from duelist.clicks.impressions import PER_IMPRESSION, Array, Done, Impressions
from duelist.core.memory import Floats


class Portions(Protocol):
    """Impressions a portion at a time, as often as asked, in the order of time."""

    @property
    def head(self) -> Impressions:
        """What has the names and the losses of all portions."""

    def portions(self) -> Iterator[Impressions]:
        """The portions."""


@dataclass(frozen=True)
class Part:
    """Some of the impressions of a log, or what becomes of them."""

    source: Portions
    keep: Callable[[Impressions], Impressions]

    @property
    def head(self) -> Impressions:
        """What has the names and the losses of all portions."""
        return self.keep(self.source.head)

    def portions(self) -> Iterator[Impressions]:
        """The portions that are not empty."""
        return (part for part in map(self.keep, self.source.portions()) if len(part))


def ordered(log: Impressions, order: Array) -> Impressions:
    """The same impressions in another order.

    >>> from duelist.clicks.gather import impressions_of
    >>> from duelist.clicks.records import Log, Record
    >>> two = [Record(str(i), "ann", "q", 9.0 - i, ("a", "b"), (i,), ("x", "y"), (0, 1)) for i in range(2)]
    >>> log = in_time(impressions_of(Log(tuple(two))))
    >>> log.times.tolist(), log.done.rows.tolist(), log.done.slots.tolist()
    ([8.0, 9.0], [1, 0], [0, 1])
    """
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return replace(
        log,
        **{name: getattr(log, name)[order] for name in PER_IMPRESSION},
        attributes={name: column[order] for name, column in log.attributes.items()},
        done=replace(log.done, rows=place[log.done.rows]),
    )


def in_time(log: Impressions) -> Impressions:
    """The same in the order of time."""
    if (log.times[1:] >= log.times[:-1]).all():
        return log
    return ordered(log, np.argsort(log.times, kind="stable"))


def joined(parts: Sequence[Impressions]) -> Impressions:
    """Several portions of one log as one, which has the names of the last."""
    begins = np.cumsum([0, *map(len, parts)])
    width = max(part.given.shape[1] for part in parts)
    plain = [name for name in PER_IMPRESSION if name != "given"]
    columns: dict[str, Any] = {n: np.concatenate([getattr(part, n) for part in parts]) for n in plain}
    done = {n: np.concatenate([getattr(part.done, n) for part in parts]) for n in Done.__dataclass_fields__}
    moved = [part.done.rows + begin for part, begin in zip(parts, begins, strict=False)]
    done["rows"] = np.concatenate(moved).astype(np.int32)
    return replace(
        parts[-1],
        **columns,
        given=np.concatenate([widened(part.given, width) for part in parts]),
        attributes={n: np.concatenate([part.attributes[n] for part in parts]) for n in parts[-1].attributes},
        done=Done(**done),
    )


def widened(given: Floats, width: int) -> Floats:
    """Credit with so many columns, NaN where there was none."""
    if given.shape[1] == width:
        return given
    return np.pad(given, ((0, 0), (0, width - given.shape[1])), constant_values=np.nan)
