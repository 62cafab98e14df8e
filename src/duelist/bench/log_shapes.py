"""How rows of a log may say the same thing: times as dates, teams as names, clicks as documents, with actions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

LENGTH = 10
RANKERS = ["bm25", "ltr"]
TEAMS = [[0, 1, 1, 0, 0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0, 0, 1, 1, 0]]
LOOKED = 20.0  # seconds before a click


class Shape(NamedTuple):
    """What rows do not say as plainly as can be."""

    dates: bool = False  # times as text, with milliseconds
    names: bool = False  # teams as names of rankers
    labels: bool = False  # documents as objects that name their ranker; no rankers and teams
    ids: bool = False  # clicks as documents
    actions: bool = False  # the first clicked document put into the basket; the last one bought, if it is another
    values: bool = False  # what they cost, and when it was
    letters: bool = False  # queries that are not English; JSON has them as escapes
    credit: bool = False  # the clicks on documents of each ranker, in place of teams


SHAPES = {
    "plain": Shape(),
    "dates": Shape(dates=True),
    "names": Shape(names=True),
    "labels": Shape(labels=True),
    "ids": Shape(ids=True),
    "actions": Shape(actions=True),
    "values": Shape(actions=True, values=True),
    "letters": Shape(letters=True),
    "credit": Shape(credit=True),
    "all": Shape(*[True] * len(Shape._fields))._replace(credit=False),
}


@cache
def documents(first: int) -> tuple[str, ...]:
    """The list that begins with a document."""
    return tuple(f"doc{first + slot}" for slot in range(LENGTH))


@cache
def slots_of(clicks: int) -> tuple[int, ...]:
    """The slots whose bits are set."""
    return tuple(slot for slot in range(LENGTH) if clicks >> slot & 1)


def word(shape: Shape) -> str:
    """What all queries begin with."""
    return "\u00c4pfel" if shape.letters else "query"


def date(time: float) -> str:
    """A time as text."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shown_as(shape: Shape, first: int, teams: int) -> list[Any]:
    """The documents of a list."""
    if not shape.labels:
        return list(documents(first))
    return [{"id": name, "ranker": RANKERS[team]} for name, team in zip(documents(first), TEAMS[teams], strict=True)]


def clicks_as(shape: Shape, first: int, clicks: int) -> list[Any]:
    """The clicked slots, or documents."""
    return [documents(first)[slot] if shape.ids else slot for slot in slots_of(clicks)]


def sides_as(shape: Shape, teams: int, clicks: int = 0) -> dict[str, list[Any]]:
    """Rankers and teams, or their credit; nothing where documents are labelled."""
    if shape.labels:
        return {}
    if shape.credit:
        owners = [TEAMS[teams][slot] for slot in slots_of(clicks)]
        return {"rankers": RANKERS, "credit": [float(owners.count(team)) for team in range(len(RANKERS))]}
    named = [RANKERS[team] for team in TEAMS[teams]]
    return {"rankers": RANKERS, "teams": named if shape.names else TEAMS[teams]}


def acts_as(shape: Shape, first: int, clicks: int, time: float) -> list[dict[str, Any]]:
    """The actions of a row."""
    slots = slots_of(clicks)
    acts = [("add-to-cart", slots[0])] if slots else []
    acts += [("purchase", slots[-1])] if len(slots) > 1 else []
    found: list[dict[str, Any]] = []
    for name, slot in acts:
        place = {"document": documents(first)[slot]} if shape.ids else {"position": slot}
        moment = round(time + LOOKED + slot, 3)
        worth = {"value": (first * 37 + slot) % 9999 / 100, "time": date(moment) if shape.dates else moment}
        found.append({"name": name} | place | (worth if shape.values else {}))
    return found


def cell(items: list[Any]) -> str:
    """A list in a table: items with blanks between, or JSON where they are objects."""
    if items and isinstance(items[0], dict):
        return '"' + json.dumps(items).replace('"', '""') + '"'
    return " ".join(map(str, items))
