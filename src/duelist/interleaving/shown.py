"""The list that an interleaving method shows, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.records import Record
from duelist.clicks.rows import check_record
from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.record import frozen, read_record, reading, write_record
from duelist.core.spec import Spec

SCHEMA = 1  # of the JSON form; texts without `tops`, as all were once, are of the same

Ranking = tuple[Any, ...]  # documents, any hashable kind
Rankings = Iterable[Iterable[Any]]


class Shown(NamedTuple):
    """A list as it was shown, with all that crediting its clicks will need.

    A value: many may be open at once, and one that was stored as JSON is credited the same.
    A slot beyond the rows of `teams`, `ranks` or `weights`, or the shortest of `tops`, is neutral.

    >>> shown = Shown(("d7", "d2"), rankers=2, method="team-draft", teams=(1, 0))
    >>> Shown.from_json(shown.to_json()) == shown
    True
    >>> shown.record(id="1", user="ann", query="jazz", rankers=("bm25", "ltr"), clicks=[1]).teams
    (1, 0)
    """

    ranking: Ranking  # the documents, best first
    rankers: int  # how many rankings were combined
    method: str = ""  # what made it, and alone can credit it: "probabilistic", "pairwise-preference:pairing=all"
    teams: tuple[int, ...] = ()  # the ranker that owns each slot, -1 for a neutral one
    ranks: tuple[tuple[int, ...], ...] = ()  # ranks[slot][ranker], from 1; one more than its length if it has it not
    weights: tuple[tuple[float, ...], ...] = ()  # weights[slot][ranker]: what a click is worth, or who chose the slot
    choices: tuple[int, ...] = ()  # out of how many documents each slot was drawn
    tops: tuple[Ranking, ...] = ()  # the beginnings of the rankings, as long as the list

    def to_json(self) -> str:
        """The list as text; its documents must be text, numbers, true, false, null or tuples of these."""
        record = {"schema": SCHEMA, **self._asdict()}
        if not self.tops:
            del record["tops"]
        return write_record(record, f"the shown list {self.ranking}")

    @classmethod
    def from_json(cls, record: str | bytes | Mapping[str, Any]) -> Shown:
        """What `to_json` wrote."""
        data = dict(read_record(record, "a shown list", SCHEMA))
        del data["schema"]
        with reading("a shown list"):
            return cls(**{name: frozen(value) for name, value in data.items()})

    def made_by(self) -> Any:
        """The method that made it, parameters included."""
        if not self.method:
            raise BadInput(f"the list {self.ranking} does not say which method made it")
        return Spec.read("method", self.method).make()

    def record(
        self,
        *,
        id: str,
        user: str,
        rankers: Sequence[str],
        clicks: Iterable[int] = (),
        query: str = "",
        time: float = 0.0,
        experiment: str = "",
    ) -> Record:
        """The impression for a click log; `rankers` are the names of the rankings, in their order.

        A log holds text: documents are that, or whole numbers, which are written as such. Where a score is not the
        clicks on a ranker's slots, the record carries the scores, and is to be made anew when more clicks come.
        """
        if len(rankers) != self.rankers or isinstance(rankers, str):
            raise BadInput(f"{self.rankers} rankings were combined, which need as many names, not {rankers!r}")
        positions = tuple(dict.fromkeys(whole(click, "a click") for click in clicks))
        method = self.made_by()
        scores = method.credit(self, positions)
        return check_record(
            Record(
                id=id,
                user=user,
                query=query,
                time=float(time),
                shown=tuple(map(_logged, self.ranking)),
                clicks=positions,
                rankers=tuple(rankers),
                teams=self.teams,
                credit=() if method.credits_teams else tuple(scores.tolist()),
                experiment=experiment,
            )
        )

    def followed_by(self, more: Shown) -> Shown:
        """This list, and behind it another one of slots with teams."""
        neutral = (-1,) * (len(self.ranking) - len(self.teams))
        return self._replace(ranking=self.ranking + more.ranking, teams=self.teams + neutral + more.teams)

    def team_clicks(self, slots: Iterable[int]) -> Floats:
        """How many of the clicked slots each ranker owns."""
        scores = [0.0] * (self.rankers + 1)  # the last one collects what nobody owns
        teams = self.teams
        for slot in slots:
            scores[teams[slot] if slot < len(teams) else -1] += 1.0
        return np.array(scores[:-1])


def _logged(document: Any) -> str:
    if isinstance(document, str):
        return document
    if isinstance(document, int | np.integer) and not isinstance(document, bool):
        return str(document)
    raise BadInput(f"a log holds documents that are text or whole numbers, not {document!r}")


def whole(value: Any, what: str) -> int:
    """`value` as an int, if it is a whole number and not a truth value."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    raise BadInput(f"{what} must be a whole number, not {value!r}")
