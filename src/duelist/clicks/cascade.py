"""Simulated users who click by grade: the cascade models of online learning to rank.

The dependent click model of Guo, Liu, Wang. Efficient Multiple-Click Models in Web Search.
WSDM 2009; with the probabilities that simulations of online learning to rank have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt

from duelist.clicks.chain import Chain
from duelist.clicks.model import OnePage, probabilities_by_rank
from duelist.clicks.pages import Slots
from duelist.core.compile import compiled, kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.parameters import limits
from duelist.core.registry import Registry
from duelist.core.spec import Spec

CLICKS: Registry[Callable[..., Cascade]] = Registry("clicks")

Chances = Annotated[tuple[float, ...], limits("a probability for each grade", each=float, low=0, high=1)]
Rule = Annotated[str, limits("when stopping is decided", choices=("click", "examined"))]

# By name and number of grades: the probability of a click, and of stopping, for each grade.
TABLES = {
    "perfect": {
        2: ((0.0, 1.0), (0.0, 0.0)),
        3: ((0.0, 0.5, 1.0), (0.0, 0.0, 0.0)),
        5: ((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    },
    "navigational": {
        2: ((0.05, 0.95), (0.2, 0.9)),
        3: ((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
        5: ((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    },
    "informational": {
        2: ((0.4, 0.9), (0.1, 0.5)),
        3: ((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
        5: ((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
    },
    "almost-random": {
        2: ((0.4, 0.6), (0.5, 0.5)),
        3: ((0.4, 0.5, 0.6), (0.5, 0.5, 0.5)),
        5: ((0.4, 0.45, 0.5, 0.55, 0.6), (0.5, 0.5, 0.5, 0.5, 0.5)),
    },
}


class Cascade:
    """Reads from the top, clicks a document by its label, and then may stop.

    The rule says when stopping is decided: after a "click", as in most papers, or after any
    "examined" document, as in one much-used code base.

    >>> user = Cascade(click=[0.0, 1.0], stop=[0.0, 0.5])
    >>> user.probabilities([0, 1, 1]).tolist()
    [0.0, 1.0, 0.5]
    >>> user.clicks([0, 1, 1], np.random.default_rng(1))
    [1]
    """

    def __init__(self, click: Sequence[float] | Floats, stop: Sequence[float] | Floats, rule: str = "click") -> None:
        self.click, self.stop = probabilities_by_rank("click", click), probabilities_by_rank("stop", stop)
        if self.click.size != self.stop.size:
            raise BadInput(f"click and stop must be equally long, not {self.click.size} and {self.stop.size}")
        self.rule = CLICKS.check("cascade", {"rule": rule})["rule"]

    @property
    def spec(self) -> Spec:
        """The name that its probabilities have, or the probabilities."""
        click, stop = tuple(self.click.tolist()), tuple(self.stop.tolist())
        for name, tables in TABLES.items():
            if tables.get(len(click)) == (click, stop):
                return Spec("clicks", name, {"grades": len(click), "rule": self.rule})
        return Spec("clicks", "cascade", {"click": click, "stop": stop, "rule": self.rule})

    def clicks(self, labels: Sequence[int] | npt.NDArray[np.integer], rng: np.random.Generator) -> list[int]:
        """The positions a simulated user clicks in a list of documents with these labels."""
        grades = self.check_labels(labels)
        clicked = np.zeros(grades.size, np.bool_)
        simulate_page(grades, self.click, self.stop, self.rule == "examined", rng, clicked)
        return [int(position) for position in np.flatnonzero(clicked)]

    def probabilities(
        self, labels: Sequence[int] | npt.NDArray[np.integer], clicks: Sequence[int] | None = None
    ) -> Floats:
        """The click probability of each slot; if `clicks` are given, each given the clicks above it."""
        grades = self.check_labels(labels)
        slots = Slots.of([OnePage("", list(map(str, grades)), clicks or ())])
        goes_on = 1 - self.stop[grades]
        chain = Chain(self.click[grades], goes_on, goes_on if self.rule == "examined" else np.ones(grades.size))
        return chain.predict(slots, clicks is not None)

    def check_labels(self, labels: Sequence[int] | npt.NDArray[np.integer]) -> Ints:
        """`labels` as an array, or an error that names the first one without a probability."""
        given = np.asarray(labels if len(labels) else np.zeros(0, np.int64))
        if given.ndim != 1:
            raise BadInput(f"labels must be one list, but their shape is {given.shape}")
        with np.errstate(invalid="ignore"):  # what is not a number is no label either
            grades = given.astype(np.int64) if given.dtype.kind in "iuf" else np.full(given.size, -1)
        bad = np.flatnonzero((grades != given) | (grades < 0) | (grades >= self.click.size))
        if bad.size:
            raise BadInput(f"a label must be from 0 to {self.click.size - 1}, not {given[bad[0]].item()!r}")
        return grades


def by_grade(click: Chances = (), stop: Chances = (), rule: Rule = "click") -> Cascade:
    """A cascade model from its probabilities."""
    return Cascade(click, stop, rule)


def by_table(
    table: str, grades: Annotated[int, limits("how many different labels: 2, 3 or 5")] = 3, rule: Rule = "click"
) -> Cascade:
    """A cascade model of the literature."""
    if grades not in TABLES[table]:
        raise BadInput(f"{table}: grades must be one of {', '.join(map(str, TABLES[table]))}, not {grades!r}")
    return Cascade(*TABLES[table][grades], rule)


CLICKS.add("cascade", by_grade)
for known in TABLES:
    CLICKS.add(known, by_table, table=known)


def cascade(name: str | Spec, grades: int = 3, rule: str = "click") -> Cascade:
    """A cascade model by name: perfect, navigational, informational or almost-random.

    `grades` is the number of different labels: 2, 3 or 5. What is written with the name comes first:
    "perfect:rule=examined", or "cascade:click=0+1,stop=0+0.5" with probabilities of one's own.

    >>> cascade("navigational").click.tolist(), cascade("cascade:click=0+1,stop=0+0.5").click.tolist()
    ([0.05, 0.5, 0.95], [0.0, 1.0])
    """
    spec = Spec.read("clicks", name)
    known = CLICKS.parameters(spec.name)
    usual = {n: value for n, value in {"grades": grades, "rule": rule}.items() if n in known}
    model: Cascade = Spec("clicks", spec.name, usual | dict(spec.parameters)).make()
    return model


@kernel
def cascade_clicks(
    labels: Ints, click: Floats, stop: Floats, examined: bool, rng: np.random.Generator, clicked: Flags
) -> int:
    """Fill `clicked` for a list of documents with these labels; returns how many are clicked.

    `examined` says that stopping is decided after any document, not only after a click.
    """
    count = 0
    reading = True
    for slot in range(labels.size):
        clicked[slot] = reading and rng.random() < click[labels[slot]]
        count += clicked[slot]
        if reading and (examined or clicked[slot]):
            reading = rng.random() >= stop[labels[slot]]
    return count


@compiled
def simulate_page(
    labels: Ints, click: Floats, stop: Floats, examined: bool, rng: np.random.Generator, clicked: Flags
) -> int:
    return cascade_clicks(labels, click, stop, examined, rng, clicked)
