"""Answers that the pages are made of."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from duelist.live.definition import Definition
from duelist.service.errors import Fault
from duelist.service.schemas import Summary


class ArmView(Struct):
    """An arm; rates are against the other arms on average, with limits that hold at every look."""

    name: str
    traffic: float  # lists and duels, each divided among its arms
    share: float
    rate: float
    low: float
    high: float
    strength: float | None  # log-odds, 0 on average
    chance: float  # of being the best


class PairView(Struct):
    """Two arms; duels and users, by the first list on which they preferred one."""

    first: str
    second: str
    wins: float
    losses: float
    rate: float
    low: float
    high: float


class Rival(Struct):
    """How far the leader is on its way to be surely preferred to this arm: from 0 to 1."""

    name: str
    way: float


class EvidenceView(Struct):
    """How far it is to a verdict."""

    rule: str
    alpha: float
    leader: str
    chance: float
    way: float  # of the rival that is nearest
    missing: int | None  # users, about; none where nobody can tell yet
    rivals: list[Rival]


class BalanceView(Struct):
    """Whether every ranker has its share."""

    name: str
    counts: list[int]
    e_value: float
    threshold: float
    healthy: bool


class HealthView(Struct):
    """What health is judged by."""

    healthy: bool
    problems: list[str]
    balance: list[BalanceView]
    counts: dict[str, int]
    lag: float
    silence: float | None  # the share of closed lists without a click
    at: int


class WeightView(Struct):
    """A weight of a learner."""

    name: str
    weight: float


class ChangeView(Struct):
    """Who did what, when."""

    at: int
    what: str
    by: str


class VersionView(Struct):
    """A version of an experiment."""

    version: int
    state: str
    events: int
    changes: list[ChangeView]


class Insight(Summary):
    """All that a page about an experiment shows of now."""

    definition: dict[str, Any]  # without the contents of arms
    contents: bool  # whether they have any: people vote on them at /vote/NAME
    stopped_by: str
    health: HealthView
    weights: list[WeightView]
    versions: list[VersionView]
    seq: int
    arms: list[ArmView]
    pairs: list[PairView]
    evidence: EvidenceView | None
    regret: float | None


class Course(Struct):
    """How it came to be so: a bounded number of points, by columns; those of another kind are empty."""

    at: list[int]
    events: list[int]
    lessons: list[int]
    way: list[float]
    regret: list[float]
    chance: dict[str, list[float]]
    traffic: dict[str, list[float]]
    weights: dict[str, list[float]]
    alike: list[float | None]  # the direction of the weights then and now


class Line(Struct):
    """A list or a duel, in short."""

    id: str
    at: int
    what: str  # list, duel or ranking
    arms: list[str]
    query: str
    clicks: int
    outcome: float | None
    open: bool


class Lines(Struct):
    """The last ones, the newest first."""

    impressions: list[Line]


class Given(Struct):
    """A list that came in."""

    name: str
    documents: list[str]


class Slot(Struct):
    """A document that was shown, who brought it in, and what was done with it."""

    document: str
    team: str | None
    actions: list[str]


class Earned(Struct):
    """What an arm earned."""

    name: str
    credit: float


class Explained(Line):
    """A list or a duel, step by step."""

    lists: list[Given]
    shown: list[Slot]
    credit: list[Earned]
    learnt: str


class Choice(Struct):
    """Something that can be chosen by its name."""

    name: str
    about: str


class Choices(Struct):
    """What a definition may name."""

    policies: list[Choice]
    learners: list[Choice]
    methods: list[Choice]


class Trial(Struct, forbid_unknown_fields=True):
    """Something that may be a definition."""

    definition: dict[str, Any]


class Checked(Struct):
    """What became of it: the definition with every default filled in, or what is wrong with it."""

    definition: Definition | None = None
    error: Fault | None = None
    known: bool = False  # there is an experiment by that name
