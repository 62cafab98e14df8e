"""The duels of an experiment that were told, from its journal: for a leaderboard, or for another policy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput, MissingExtra
from duelist.dueling.policy import Duel
from duelist.live.contents import as_content, prompts_of
from duelist.live.events import DRAWN, View, view_of
from duelist.live.experiments import Experiments
from duelist.live.kinds import make_state
from duelist.live.kinds.arms import Arms
from duelist.live.replay import fold_anew
from duelist.ranking.log import DuelLog, duel_log
from duelist.storage.export import ENDINGS, open_events, read_events
from duelist.storage.journal import Event, Journal


def read_journal(where: str, experiment: str | None = None) -> DuelLog:
    """The duels of the journal at an address, or of a file that was exported of one."""
    with open_events(where) as journal:
        return told_duels(journal, experiment)


def is_journal(where: str) -> bool:
    """Whether this is the address of a journal, or a file with events of one: its first row says so."""
    if "://" in where:
        return True
    if not where.endswith(ENDINGS) or not Path(where).is_file():
        return False
    try:
        next(read_events(where), None)
    except (BadInput, MissingExtra, TypeError):
        return False
    return True


def told_duels(journal: Journal, experiment: str | None = None) -> DuelLog:
    """What the last version of an experiment of kind `arms` was told, by direct answers and by clicks on lists.

    >>> from duelist.live import LocalExperiments
    >>> from duelist.storage import MemoryJournal
    >>> living = LocalExperiments(MemoryJournal())
    >>> search = living.define({"name": "search", "kind": "arms", "arms": ["old", "new"], "policy": "uniform"})
    >>> _ = search.start()
    >>> for visitor in range(9):
    ...     asked = search.ask(user=f"u{visitor % 3}")
    ...     _ = search.tell(asked.id, winner="new" if "new" in (asked.left, asked.right) else "old")
    >>> log = told_duels(living.journal)
    >>> len(log) + log.settled, sorted(set(log.user.tolist())) <= [0, 1, 2]
    (9, True)
    """
    fold = fold_anew(journal)
    found = [state for state in map(fold.current, fold.versions) if isinstance(state, Arms)]
    names = [state.definition.name for state in found]
    if experiment is None and len(names) == 1:
        experiment = names[0]
    if experiment not in names:
        which = "say which experiment" if experiment is None else f"there is no experiment {experiment!r}"
        raise BadInput(f"{which}; the journal has duels of {', '.join(map(repr, names)) or 'none'}")
    state = found[names.index(experiment)]
    again = make_state(state.number, state.definition, state.version, journal.get)
    assert isinstance(again, Arms)
    asks: dict[int, Event] = {}

    def noted() -> Iterator[Event]:
        for event in Experiments.history(journal)(state.number, journal.head().seq + 1):
            if event.kind == DRAWN or event.user:
                asks[event.seq] = event
            yield event

    told = list(again.lessons_of(noted()))
    if not told:
        raise BadInput(f"no duel of the experiment {experiment!r} was told yet")
    users = [asks[duel.id].user.hex() or None if duel.id in asks else None for duel, _ in told]
    if again.questions is not None:
        return _votes(again, told, users, [view_of(asks[duel.id]) if duel.id in asks else View() for duel, _ in told])
    return duel_log(
        {
            "left": [duel.left for duel, _ in told],
            "right": [duel.right for duel, _ in told],
            "outcome": [outcome for _, outcome in told],
            "user": users,
        },
        source="the journal",
    )


def _votes(state: Arms, told: list[tuple[Duel, float]], users: list[str | None], views: list[View]) -> DuelLog:
    """Duels as people saw them, so that a liking for one side can be measured.

    Of prompts no users are named: nobody judges the same two answers twice, and on another prompt they are others.
    """
    contents = state.definition.contents
    assert contents
    prompts = prompts_of(contents)
    rows = [
        (duel.right, duel.left, 1 - outcome) if view.swapped else (duel.left, duel.right, outcome)
        for (duel, outcome), view in zip(told, views, strict=True)
    ]
    columns: dict[str, Any] = dict(zip(("left", "right", "outcome"), zip(*rows, strict=True), strict=True))
    if len(prompts) == 1:
        columns["user"] = users
    else:
        texts = [as_content(each.prompt) for each in prompts]
        shown = [each.text or each.markdown or each.image or each.link for each in texts]
        columns["context"] = [shown[view.prompt] for view in views]
    return duel_log(columns, source="the journal")
