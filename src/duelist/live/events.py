"""What is written into a journal, and how. An event's number is its place; ids of asks and lists are made of it.

The bodies of duels have a fixed layout, because millions of them are folded at once; the others are msgpack.
"""

from __future__ import annotations

import re
import struct
from typing import Any, NamedTuple

import msgspec
import numpy as np

from duelist.core.errors import BadInput
from duelist.interleaving.shown import Shown
from duelist.storage.journal import Draft, Event

DEFINED, STATE, TICK, FORGOT, ADOPTED = "defined", "state", "tick", "forgot", "adopted"
DRAWN, TOLD, SHOWN, RANKED, CLICKED = "drawn", "told", "shown", "ranked", "clicked"
EVERYWHERE = 0  # the experiment of what concerns them all

ID = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
DUEL = struct.Struct("<iiqdd")
VIEW = struct.Struct("<iB")
OUTCOME = struct.Struct("<qd")
DUELS = np.dtype([("left", "<i4"), ("right", "<i4"), ("t", "<i8"), ("left_p", "<f8"), ("right_p", "<f8")])
OUTCOMES = np.dtype([("of", "<i8"), ("outcome", "<f8")])


class Pair(NamedTuple):
    """A duel of arms by their numbers, as it was drawn."""

    left: int
    right: int
    t: int
    left_p: float
    right_p: float


class View(NamedTuple):
    """How a pair was put before somebody who votes."""

    prompt: int = 0
    swapped: bool = False  # the right arm stood left


class Defined(msgspec.Struct, array_like=True):
    """A version of an experiment. Its number is the event's."""

    definition: dict[str, Any]
    version: int
    warm: bool = False  # it begins with what the version before it learnt
    before: int = 0  # the number of that version
    by: str = ""


class Changed(msgspec.Struct, array_like=True):
    """An experiment was started, paused or stopped."""

    state: str
    by: str = ""


class Listed(msgspec.Struct, array_like=True):
    """A list of interleaved rankings, or one more page of it."""

    of: int  # the ask it belongs to; of a later page the first page; 0 for neither
    page: int
    begin: int  # where the page begins in the whole list
    arms: tuple[int, ...]  # whose rankings were combined, in their order
    shown: Shown  # the whole list up to the end of this page
    pair: Pair | None = None  # the duel, where a policy drew one
    query: str = ""
    rankings: tuple[tuple[Any, ...], ...] = ()  # of each arm as far as a page reaches, of a first page: to explain it


class Ranked(msgspec.Struct, array_like=True):
    """A list of a learner, with all that its update needs."""

    documents: tuple[Any, ...]  # as they were shown
    tables: dict[str, bytes]  # of the impression
    query: str = ""


class Clicked(msgspec.Struct, array_like=True):
    """Somebody did something with a document of a list."""

    of: int
    position: int = -1  # in the page that is named, from 0; or else
    document: str | int | None = None
    action: str = "click"
    value: float = 1.0
    at: int = 0  # microseconds, as the caller's clock says; nothing is decided by it


BODIES: dict[str, Any] = {
    DEFINED: Defined,
    STATE: Changed,
    SHOWN: Listed,
    RANKED: Ranked,
    CLICKED: Clicked,
}
ENCODER = msgspec.msgpack.Encoder()
DECODERS = {kind: msgspec.msgpack.Decoder(body) for kind, body in BODIES.items()}


def drawn(experiment: int, pair: Pair, user: bytes = b"", key: str = "", view: View | None = None) -> Draft:
    """A pair that was drawn for somebody; with a view where a person judges it side by side."""
    return Draft(experiment, DRAWN, DUEL.pack(*pair) + (VIEW.pack(*view) if view else b""), user, key)


def view_of(event: Event) -> View:
    """How the pair of a drawn event was shown.

    >>> view_of(Event(7, 0, 1, *drawn(1, Pair(0, 2, 1, 1.0, 1.0), view=View(4, True))[1:]))
    View(prompt=4, swapped=True)
    """
    if len(event.body) <= DUEL.size:
        return View()
    prompt, swapped = VIEW.unpack_from(event.body, DUEL.size)
    return View(prompt, bool(swapped))


def told(experiment: int, of: int, outcome: float) -> Draft:
    """How the duel with number `of` ended."""
    return Draft(experiment, TOLD, OUTCOME.pack(of, outcome))


def draft(experiment: int, kind: str, body: Any, user: bytes = b"", key: str = "") -> Draft:
    """Any other event."""
    return Draft(experiment, kind, ENCODER.encode(body), user, key)


def body_of(event: Event) -> Any:
    """What an event says.

    >>> body_of(Event(7, 0, 1, *told(1, of=3, outcome=1.0)[1:]))
    (3, 1.0)
    """
    try:
        if event.kind == DRAWN:
            return Pair(*DUEL.unpack_from(event.body))
        if event.kind == TOLD:
            return OUTCOME.unpack(event.body)
        return DECODERS[event.kind].decode(event.body)
    except (KeyError, struct.error, msgspec.MsgspecError) as error:
        raise BadInput(f"event {event.seq} of kind {event.kind!r} cannot be read: {error!r}") from None


def id_of(experiment: int, seq: int) -> str:
    """The id of an ask or a list, for those outside: it says where to look, and is no secret.

    >>> id_of(12, 3456), numbers_of("12-3456")
    ('12-3456', (12, 3456))
    """
    return f"{experiment}-{seq}"


def numbers_of(id: Any) -> tuple[int, int]:
    """The experiment and the place behind an id; an error for what is none."""
    match = ID.fullmatch(id) if isinstance(id, str) else None
    if match is None:
        raise BadInput(f"an id is what ask, interleave or rank answered, such as '12-3456', not {id!r}")
    return int(match[1]), int(match[2])
