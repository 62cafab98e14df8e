"""What every request to an experiment has in common: checks, who takes part, and answers that are given twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.live import events
from duelist.live.events import body_of, id_of, numbers_of
from duelist.live.kinds.arms import Arms
from duelist.live.state import Fetch, State, Verdicts
from duelist.storage.journal import Draft, Event, Place

MAX_DOCUMENTS = 10_000
LONGEST_KEY = 200

Find = Callable[[int, str], Event | None]  # the event of an experiment with a key


class Asked(NamedTuple):
    """Two arms to show. Without an id there is nothing to tell: this user, or everybody, sees one arm."""

    id: str | None
    left: str
    right: str


class Question(NamedTuple):
    """Two arms as somebody who votes sees them, and the number of the prompt they answer."""

    id: str | None
    left: str
    right: str
    prompt: int = 0


class Page(NamedTuple):
    """A page to show. Without an id its clicks are nobody's."""

    id: str | None
    ranking: tuple[Any, ...]
    page: int
    arms: tuple[str, ...]


class Told(NamedTuple):
    """A duel was told, or came too late to be."""

    id: str | None
    told: bool
    repeated: bool = False


class Plan(NamedTuple):
    """Events to append, and what to answer when they are there."""

    drafts: list[Draft]
    answer: Callable[[list[Place], Verdicts], Any]


def now(answer: Any) -> Plan:
    """A plan that writes nothing."""
    return Plan([], lambda places, verdicts: answer)


class Requests:
    """Requests to one experiment, whose state somebody else folds."""

    def __init__(
        self, state: State, fetch: Fetch, find: Find, luck: np.random.Generator, hashed: Callable[[Any], bytes]
    ) -> None:
        self.state, self.fetch, self.find, self.luck, self.hashed = state, fetch, find, luck, hashed
        self.definition = state.definition

    def arms(self) -> Arms:
        """The state, if a policy draws."""
        if not isinstance(self.state, Arms):
            raise BadInput(f"experiment {self.definition.name!r} is of kind {self.definition.kind!r}: nothing is asked")
        return self.state

    def place(self, id: str) -> int:
        """The number of an event of this experiment."""
        number, seq = numbers_of(id)
        if number != self.state.number:
            raise UnknownName(f"{id!r} is of another experiment or version than {self.definition.name!r}")
        return seq

    def key(self, key: str | None) -> str:
        """The caller's key. Keys with a control character are our own."""
        if key is None:
            return ""
        if not isinstance(key, str) or not key.isprintable() or not 0 < len(key) <= LONGEST_KEY:
            raise BadInput(f"key must be text of 1 to {LONGEST_KEY} signs that can be printed, not {key!r:.100}")
        return key

    def length(self, length: int | None) -> int:
        """How many documents a page has."""
        size = self.definition.length if length is None else length
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_DOCUMENTS:
            raise BadInput(f"length must be from 1 to {MAX_DOCUMENTS}, not {length!r}")
        return size

    def check_allowed(self, allowed: Collection[str] | None) -> list[str]:
        """The arms that may be shown, in their order."""
        arms = self.definition.arms
        if allowed is None:
            return list(arms)
        if unknown := [arm for arm in allowed if arm not in arms]:
            raise BadInput(f"{unknown[0]!r} is no arm of {self.definition.name!r}; its arms: {list(arms)[:20]!r}")
        if not allowed:
            raise BadInput(f"at least one arm must be allowed; the arms: {list(arms)[:20]!r}")
        return [arm for arm in arms if arm in allowed]

    def fixed(self, user: str | None) -> str | None:
        """The one arm that this user sees, where nothing is drawn; None where something is."""
        state, definition = self.state, self.definition
        if state.phase == "draft":
            raise BadInput(f"experiment {definition.name!r} is a draft; start it first")
        if state.phase == "stopped":
            return state.winner() or ""
        if state.phase == "paused" or not self._takes_part(user):
            return definition.default
        return None

    def _takes_part(self, user: str | None) -> bool:
        share, holdout = self.definition.share, self.definition.holdout
        if share >= 1 and holdout <= 0:
            return True
        if user is None:
            place = float(self.luck.random())
        else:
            text = self.definition.name.encode() + b"\0" + self.hashed(user)
            place = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") / 2**64
        return holdout <= place < holdout + share * (1 - holdout)

    def repeated(self, place: Place, kind: str) -> Any:
        """What was answered to the first request with this key; None if this is the first."""
        if not place.repeated:
            return None
        event = self.fetch(place.seq)
        if event is None or event.kind != kind:
            raise BadInput("this key was used for something else before")
        return body_of(event)

    def shown(self, seq: int) -> Event:
        """The event of a list."""
        event = self.fetch(seq)
        if event is None or event.kind not in (events.SHOWN, events.RANKED) or event.experiment != self.state.number:
            raise UnknownName(f"there is no list {id_of(self.state.number, seq)!r} in {self.definition.name!r}")
        return event


def check_documents(whose: str, ranking: Sequence[Any]) -> tuple[Any, ...]:
    """The documents of a ranking, each once."""
    if isinstance(ranking, str) or not isinstance(ranking, Sequence):
        raise BadInput(f"the ranking of {whose!r} must be a list of documents, not {ranking!r}")
    if len(ranking) > MAX_DOCUMENTS:
        raise BadInput(f"the ranking of {whose!r} has {len(ranking)} documents; allowed are {MAX_DOCUMENTS}")
    for document in ranking:
        if isinstance(document, bool) or not isinstance(document, str | int):
            raise BadInput(f"documents must be text or whole numbers, not {document!r}")
    if len({*ranking}) != len(ranking):
        twice = next(d for place, d in enumerate(ranking) if d in ranking[:place])
        raise BadInput(f"the ranking of {whose!r} has the document {twice!r} twice")
    return tuple(ranking)
