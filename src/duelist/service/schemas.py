"""Every request and answer, with its limits. The OpenAPI document is made of these."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from duelist.live.definition import Definition

WHOLE = {"ge": -(2**63), "le": 2**63 - 1}
User = Annotated[str, Meta(max_length=1000)] | Annotated[int, Meta(**WHOLE)]
Document = Annotated[str, Meta(max_length=1000)] | Annotated[int, Meta(**WHOLE)]
Id = Annotated[str, Meta(max_length=40, description="what ask, interleave or rank answered")]
Key = Annotated[str, Meta(max_length=200, description="the caller's own: the same key again gets the same answer")]
Query = Annotated[str, Meta(max_length=1000)]
Length = Annotated[int, Meta(ge=1, le=10_000)]
Arm = Annotated[str, Meta(max_length=1000)]
Action = Annotated[str, Meta(min_length=1, max_length=100)]
Value = Annotated[float, Meta(gt=-1e15, lt=1e15)]
Time = (
    Annotated[int, Meta(ge=0, le=2**62, description="microseconds since 1970")]
    | Annotated[str, Meta(max_length=40, description="ISO 8601")]
)


# Requests.


class Ask(Struct, forbid_unknown_fields=True, gc=False):
    """A pair of arms is wanted."""

    user: User | None = None
    key: Key | None = None
    allowed: Annotated[list[Arm], Meta(max_length=1_000)] | None = None


class Tell(Struct, forbid_unknown_fields=True, gc=False):
    """How a duel ended: a winner, or an outcome from 0 (right wins) to 1 (left wins)."""

    id: Id
    winner: Arm | None = None
    outcome: Annotated[float, Meta(ge=0, le=1)] | None = None


class Interleave(Struct, forbid_unknown_fields=True, gc=False):
    """A list of several rankers' documents is wanted, or its next page."""

    rankings: Annotated[dict[Arm, Annotated[list[Document], Meta(max_length=10_000)]], Meta(max_length=1_000)]
    user: User | None = None
    query: Query = ""
    of: Annotated[Id, Meta(description="an ask; of a later page an earlier page")] | None = None
    length: Length | None = None
    page: Annotated[int, Meta(ge=1, le=10_000)] = 1
    key: Key | None = None


class Candidate(Struct, forbid_unknown_fields=True, gc=False):
    """A document that may be shown."""

    id: Document
    features: Annotated[list[float], Meta(max_length=10_000)]


class Rank(Struct, forbid_unknown_fields=True, gc=False):
    """A list of a learner is wanted."""

    documents: Annotated[list[Candidate], Meta(max_length=10_000)]
    user: User | None = None
    query: Query = ""
    length: Length | None = None
    key: Key | None = None


class Forget(Struct, forbid_unknown_fields=True):
    """A user is to be erased."""

    user: User


class NewVersion(Definition, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A definition that takes the place of another."""

    name: str = ""  # as in the address
    warm: bool = True  # begin with what the version before it learnt


class UbiObject(Struct, gc=False):
    """Of UBI: what somebody did something with."""

    object_id: Document | None = None


class UbiPosition(Struct, gc=False):
    """Of UBI: where it stood, from 1."""

    ordinal: Annotated[int, Meta(**WHOLE)] | None = None


class UbiAttributes(Struct, gc=False):
    """Of UBI."""

    object: UbiObject | None = None
    position: UbiPosition | None = None


class Event(Struct, gc=False):
    """Somebody clicked, bought, ... something: `impression` with `document` or `position`, or an event of UBI 1.3."""

    impression: Id | None = None
    document: Document | None = None
    position: Annotated[int, Meta(**WHOLE, description="in the page, from 0")] | None = None
    action: Action = "click"
    value: Value = 1.0
    at: Time | None = None
    query_id: Annotated[str, Meta(max_length=200, description="UBI: the impression or its key")] | None = None
    action_name: Action | None = None
    timestamp: Time | float | None = None
    event_attributes: UbiAttributes | None = None


class Events(Struct):
    """Many of them."""

    events: list[Event]


# Answers.


class Standing(Struct):
    """Where an experiment stands."""

    name: str
    version: int
    state: str


class Asked(Struct, gc=False):
    """Two arms to show; without an id there is nothing to tell."""

    id: str | None
    left: str
    right: str


class Told(Struct, gc=False, omit_defaults=True):
    """A duel was told; `repeated`: it was told before, and this changed nothing."""

    id: str
    told: bool
    repeated: bool = False


class Page(Struct, gc=False):
    """A page to show; without an id its clicks are nobody's."""

    id: str | None
    ranking: tuple[str | int, ...]
    page: int
    arms: tuple[str, ...]


class Ranking(Struct, gc=False):
    """A list to show."""

    id: str | None
    ranking: tuple[str | int, ...]


class Tally(Struct, gc=False):
    """What became of events."""

    accepted: int = 0
    repeated: int = 0
    late: int = 0
    unknown: int = 0
    rejected: int = 0  # could not be read
    ignored: int = 0  # of UBI: actions that this experiment gives no credit for
    reason: str | None = None  # of the first that was rejected


class Summary(Struct):
    """A line of the list of experiments."""

    name: str
    kind: str
    version: int
    state: str
    best: str | None
    certain: bool
    events: int
    healthy: bool
    chance: float | None  # of the arm with the best one, to be the best
    way: float | None  # to a verdict: from 0 to 1
    shown: int  # lists and duels
    at: int  # of the last event


class Listing(Struct):
    """All experiments."""

    experiments: list[Summary]


class ArmStatus(Struct):
    """What is known of an arm."""

    name: str
    shown: int
    wins: float
    credit: float


class Status(Summary):
    """All that is known of an experiment."""

    stopped_by: str
    definition: dict[str, Any]
    questions: int  # prompts to vote on, 1 where arms have contents without any, 0 where they have none
    arms: list[ArmStatus]
    pairs: list[dict[str, Any]]
    evidence: dict[str, Any]
    health: dict[str, Any]
    counts: dict[str, int]
    lag: float
    weights: list[float] | None
    seq: int
    hash: str


class Forgotten(Struct):
    """A user was erased."""

    forgotten: int  # events that were theirs


class Health(Struct):
    """Whether the service can serve."""

    status: str
    seq: int = 0


ENCODER = msgspec.json.Encoder()
