"""Lists and duels that were learnt from last, and one of them step by step."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from duelist.core.errors import UnknownName
from duelist.live.credit import credit_of
from duelist.live.events import Listed, Pair, Ranked, body_of, id_of
from duelist.live.state import State
from duelist.storage.journal import Event

OPEN = 10  # lists that may still be clicked: the last ones are told of too


class Entry(NamedTuple):
    """One of them, as a state remembers it."""

    of: int  # the ask, or the first page
    by: int  # the tell, or the last page
    outcome: float | None  # of a ranking how far the weights moved
    clicks: list[Any]  # position, action, value
    open: bool = False


def entries_of(state: State) -> list[Entry]:
    """The last ones, the newest first; to be called while nobody folds."""
    opened = [
        Entry(each.seq, each.pages[-1][0], None, [[*place, value] for place, value in each.clicks.items()], open=True)
        for each in islice(reversed(state.impressions.open.values()), OPEN)
    ]
    return [*opened, *(Entry(*each) for each in reversed(state.recent))]


def recent(state: State, entries: list[Entry]) -> list[dict[str, Any]]:
    """A line each; what has left the journal is left out."""
    found = [(state.fetch(entry.of), entry) for entry in entries]
    return [_line(state, event, entry) for event, entry in found if event is not None]


def _line(state: State, event: Event, entry: Entry) -> dict[str, Any]:
    body = body_of(event)
    what, arms = "ranking", []
    if isinstance(body, Pair):
        what, arms = "duel", [body.left, body.right]
    elif isinstance(body, Listed):
        what, arms = "list", list(body.arms)
    return {
        "id": id_of(state.number, event.seq),
        "at": event.at,
        "what": what,
        "arms": [state.definition.arms[arm] for arm in arms],
        "query": "" if isinstance(body, Pair) else body.query,
        "clicks": len(entry.clicks),
        "outcome": None if isinstance(body, Ranked) else entry.outcome,
        "open": entry.open,
    }


def explain(state: State, entries: list[Entry], id: str) -> dict[str, Any]:
    """One of them, from what came in to what was learnt."""
    entry = next((each for each in entries if id_of(state.number, each.of) == id), None)
    event = None if entry is None else state.fetch(entry.of)
    last = None if entry is None else state.fetch(entry.by)
    if entry is None or event is None or last is None:
        raise UnknownName(f"{id!r} is not among the last lists and duels of {state.definition.name!r}")
    line, body = _line(state, event, entry), body_of(event)
    if isinstance(body, Pair):
        return line | _duel(state, body, entry)
    whole = body_of(last)
    return line | (_list(state, body, whole, entry) if isinstance(whole, Listed) else _ranking(whole, entry))


def _duel(state: State, pair: Pair, entry: Entry) -> dict[str, Any]:
    left, right = state.definition.arms[pair.left], state.definition.arms[pair.right]
    return {"lists": [], "shown": [], "credit": [], "learnt": _lesson(left, right, entry.outcome)}


def _lesson(left: str, right: str, outcome: float | None) -> str:
    if left == right:
        return f"{left} was shown alone: there is nothing to compare"
    if outcome is None or outcome == 0.5:
        return f"a tie of {left} and {right}: half a win for each"
    ahead, behind = (left, right) if outcome > 0.5 else (right, left)
    return f"{max(outcome, 1 - outcome):g} of a win for {ahead} over {behind}"


def _list(state: State, first: Listed, whole: Listed, entry: Entry) -> dict[str, Any]:
    arms = [state.definition.arms[arm] for arm in whole.arms]
    clicks = {(place, action): value for place, action, value in entry.clicks}
    teams = whole.shown.teams
    shown = [
        {
            "document": str(document),
            "team": arms[teams[place]] if place < len(teams) and teams[place] >= 0 else None,
            "actions": [action for where, action in clicks if where == place],
        }
        for place, document in enumerate(whole.shown.ranking)
    ]
    earned = [0.0] * len(arms)
    if clicks and len(arms) > 1:
        earned = credit_of(state.definition, whole.shown, clicks).tolist()
    return {
        "lists": [
            {"name": arm, "documents": [str(document) for document in ranking]}
            for arm, ranking in zip(arms, first.rankings, strict=False)
        ],
        "shown": shown,
        "credit": [{"name": arm, "credit": credit} for arm, credit in zip(arms, earned, strict=True)],
        "learnt": _lesson_of_list(state, whole, arms, earned, entry),
    }


def _lesson_of_list(state: State, whole: Listed, arms: list[str], earned: list[float], entry: Entry) -> str:
    if entry.open:
        return "it is open: nothing is learnt before it is closed"
    if not entry.clicks and state.definition.silence == "skip":
        return "nobody clicked: it counts as shown, and nothing is learnt of a preference"
    if whole.pair is not None:
        names = state.definition.arms
        return _lesson(names[whole.pair.left], names[whole.pair.right], entry.outcome)
    best = max(earned)
    ahead = [arm for arm, credit in zip(arms, earned, strict=True) if credit == best]
    return f"this user prefers {ahead[0]} here" if len(ahead) == 1 else "nobody is ahead: a tie"


def _ranking(ranked: Ranked, entry: Entry) -> dict[str, Any]:
    clicked = {place: action for place, action, _ in entry.clicks}
    shown = [
        {"document": str(document), "team": None, "actions": [clicked[place]] if place in clicked else []}
        for place, document in enumerate(ranked.documents)
    ]
    moved = "the weights stay as they are" if not entry.outcome else f"the weights moved by {entry.outcome:.4g}"
    return {"lists": [], "shown": shown, "credit": [], "learnt": moved}
