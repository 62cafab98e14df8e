"""The compiled loop of simulated impressions, written once for every learner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.cascade import cascade_clicks
from duelist.core.compile import kernel, once, specialise
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.sampling import below
from duelist.online.learner import Learner, choose, keep_shown, update
from duelist.online.page import Page, room
from duelist.online.users import Users

FADE = 0.9995  # what comes one impression later counts so much of it
START = np.array([0.0, 0.0, 1.0, 0.0])  # totals of a run that begins


class Room(NamedTuple):
    """Scratch space of a run."""

    scores: Floats
    order: Ints
    placed: Flags
    rankings: Ints
    wanted: Floats
    labels: Ints  # of the list shown
    clicked: Flags


class Curves(NamedTuple):
    """What many runs come to, whichever engine made them: a row a run, a column a checkpoint."""

    final: Floats  # offline NDCG
    online: Floats  # discounted sum of NDCG shown
    lost: Floats  # sum of 1 - NDCG shown
    seconds: float  # compiling and judging excluded; of all cores together


def make_room(learner: Learner, users: Users) -> Room:
    """Room for every query of these users."""
    longest = int(np.diff(users.offsets).max())
    return Room(
        *room(max(longest, learner.length), learner.n_rankers),
        np.zeros(learner.length, np.int64),
        np.zeros(learner.length, np.bool_),
    )


@kernel
def show(users: Users, first: int, impression: Any, room: Room) -> float:
    """Look up the labels of the list, and return its NDCG; 0 for a query without relevant documents."""
    total = 0.0
    for slot in range(room.labels.size):
        label = users.labels[first + impression.shown[slot]] if slot < impression.count[0] else 0
        room.labels[slot] = label
        total += users.gains[label] * users.discounts[slot]
    return total


@kernel
def click(users: Users, impression: Any, room: Room, rng: np.random.Generator) -> None:
    """Fill room.clicked; what is behind the last document is never clicked."""
    cascade_clicks(room.labels, users.click, users.stop, users.examined, rng, room.clicked)
    for slot in range(impression.count[0], room.clicked.size):
        room.clicked[slot] = False


def run(
    learner: Any,
    impression: Any,
    users: Users,
    room: Room,
    start: int,
    stop: int,
    fade: float,
    totals: Floats,
    learner_rng: np.random.Generator,
    users_rng: np.random.Generator,
) -> None:
    """Impressions `start` to `stop` - 1.

    totals: discounted NDCG shown so far, its plain sum, the next discount, and what was missing to NDCG 1.
    """
    for _ in range(start, stop):
        query = below(users.offsets.size - 1, users_rng)
        first, size = users.offsets[query], users.offsets[query + 1] - users.offsets[query]
        page = Page(
            users.features,
            users.keys,
            first,
            size,
            room.scores,
            room.order,
            room.placed,
            room.rankings,
            room.wanted,
        )
        choose(learner, page, impression, learner_rng)
        keep_shown(page, impression)
        quality = show(users, first, impression, room)
        if users.ideal[query] > 0.0:
            totals[0] += totals[2] * quality / users.ideal[query]
            totals[1] += quality / users.ideal[query]
            totals[3] += 1.0 - quality / users.ideal[query]
        totals[2] *= fade
        click(users, impression, room, users_rng)
        update(learner, impression, room.clicked, learner_rng)


@once
def compiled_run(learner: type[Learner]) -> specialise:
    """The loop for one learner."""
    return specialise(run, kernels_of(learner), learner.name)


def kernels_of(learner: type[Learner]) -> dict[str, Any]:
    """What the loop calls, by name."""
    return {name: learner.method(name, kernel) for name in ("choose", "update")}
