"""What the client answers. `fallback`: the service was away, and this is what to do without it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Asked(NamedTuple):
    """Two arms to show. Without an id there is nothing to tell."""

    id: str | None
    left: str
    right: str
    fallback: bool = False  # the service was away


class Question(NamedTuple):
    """Two contents to vote on, as the service shows them; without an id there are none, and `why` says why."""

    id: str | None
    left: dict[str, Any] | None = None
    right: dict[str, Any] | None = None
    prompt: dict[str, Any] | None = None
    why: str = ""  # paused, stopped, outside (does not take part), done (has judged all there is), away
    votes: int = 0  # so far, of everybody
    certain: bool = False
    fallback: bool = False  # the service was away


class Told(NamedTuple):
    """A duel was told, before or now; not told when the service was away."""

    id: str | None
    told: bool
    repeated: bool = False
    fallback: bool = False


class Page(NamedTuple):
    """A page to show. Without an id its clicks are nobody's."""

    id: str | None
    ranking: tuple[Any, ...]
    page: int = 1
    arms: tuple[str, ...] = ()
    fallback: bool = False


class Tally(NamedTuple):
    """What became of events; with `fallback` nothing did."""

    accepted: int = 0
    repeated: int = 0
    late: int = 0
    unknown: int = 0
    rejected: int = 0
    ignored: int = 0
    reason: str | None = None
    fallback: bool = False
