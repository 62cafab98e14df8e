"""The lists of a journal as a click log, for `analyze`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from duelist.clicks.records import CLICK, Action, Log, LostAction, Record
from duelist.live.credit import method_of
from duelist.live.definition import Definition
from duelist.live.events import CLICKED, DEFINED, SHOWN, Listed, body_of
from duelist.storage.journal import Event

SECOND = 1e6


class Kept:
    """A list, as far as the journal has told of it."""

    def __init__(self, event: Event, listed: Listed, definition: Definition) -> None:
        self.event, self.listed, self.definition = event, listed, definition
        self.actions: dict[tuple[str, int], Action] = {}  # each once, in the order they came

    def act(self, name: str, slot: int, value: float, at: int) -> bool:
        """Note an action; whether it is new."""
        if (name, slot) in self.actions:
            return False
        self.actions[name, slot] = Action(name, slot, value, at / SECOND)
        return True

    @property
    def own_slots(self) -> bool:
        """Whether the clicks on a ranker's slots are its score."""
        shown = self.listed.shown
        return method_of(shown.method).credits_teams or shown.rankers == 1

    def record(self) -> Record:
        """The list as a row of a log. Scores are written where clicks on a ranker's slots are not what counts."""
        shown, arms = self.listed.shown, self.definition.arms
        placed = [action for action in self.actions.values() if action.slot < len(shown.ranking)]
        unplaced = [action for action in self.actions.values() if action.slot >= len(shown.ranking)]
        clicks = [action for action in placed if action.name == CLICK]
        places = tuple(action.slot for action in clicks)
        credit = () if self.own_slots else tuple(method_of(shown.method).credit(shown, places).tolist())
        return Record(
            id=f"{self.event.experiment}-{self.event.seq}",
            user=self.event.user.hex() or f"list {self.event.seq}",  # nobody's: counted alone
            query=self.listed.query,
            time=self.event.at / SECOND,
            shown=tuple(map(str, shown.ranking)),
            clicks=places,
            rankers=tuple(arms[arm] for arm in self.listed.arms),
            teams=shown.teams and shown.teams + (-1,) * (len(shown.ranking) - len(shown.teams)),
            credit=credit,
            experiment=self.definition.name,
            click_times=tuple(float(action.time or 0.0) for action in clicks),
            actions=tuple(action for action in placed if action.name != CLICK),
            lost=sum(action.name == CLICK for action in unplaced),
            lost_actions=tuple(LostAction(action.name) for action in unplaced if action.name != CLICK),
        )


def log_of(events: Iterable[Event]) -> Log:
    """All lists of interleaved rankings, with everything that was done with them.

    `analyze` decides for itself which clicks came in time: a click that the live experiment called late is there too.
    Users are the journal's hashes.

    >>> from duelist.live import open_experiments
    >>> with open_experiments("memory://") as experiments:
    ...     pair = experiments.define({"name": "search", "kind": "pair", "arms": ["old", "new"]})
    ...     pair.start()
    ...     page = pair.interleave({"old": ["a", "b"], "new": ["b", "c"]}, user="ann", length=2)
    ...     _ = pair.click(page.id, position=1)
    ...     log_of(experiments.journal.events()).records[0].clicks
    (1,)
    """
    definitions: dict[int, Definition] = {}
    lists: dict[int, Kept] = {}
    pages: dict[int, tuple[int, int]] = {}  # of each page the first one, and where it begins
    repeated = 0
    for event in events:
        body: Any = body_of(event) if event.kind in (DEFINED, SHOWN, CLICKED) else None
        if event.kind == DEFINED:
            definitions[event.seq] = Definition.read(body.definition)
        elif event.kind == SHOWN and event.experiment in definitions:
            _show(event, body, definitions[event.experiment], lists, pages)
        elif event.kind == CLICKED and body.of in pages and body.position >= 0:
            first, begin = pages[body.of]
            repeated += not lists[first].act(body.action, begin + body.position, body.value, event.at)
    return Log(tuple(kept.record() for kept in lists.values()), repeated_clicks=repeated)


def _show(
    event: Event, listed: Listed, definition: Definition, lists: dict[int, Kept], pages: dict[int, tuple[int, int]]
) -> None:
    if listed.page == 1:
        lists[event.seq] = Kept(event, listed, definition)
        pages[event.seq] = event.seq, 0
    elif listed.of in lists:
        lists[listed.of].listed = listed  # which has the whole list
        pages[event.seq] = listed.of, listed.begin
