"""Speed of the interleaving methods from Python, for lists of ten.

Speeds are for a second of one core's time, whoever else is on the machine: the best of several tries, with compiled
code in the cache. They move from machine to machine: compare rows of one run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.interleaving import Method, Optimized, Probabilistic, TeamDraft
from duelist.interleaving.audit import built_in
from duelist.present.tables import Table

LENGTH = 10
CLICKS = [0, 2, 3, 5, 8]
BATCH = 20_000  # impressions
SECONDS = 0.05  # of one try

# What each row should reach, and what another library does, a second: one that makes an object for every list
# (mpkato/interleaving, from its repository; at PyPI the name is another's).
FLOORS = {
    "balanced list and credit": 3 * 65_000,
    "team-draft list": 250_000,
    "team-draft lists in batch": 8_000_000,
    "probabilistic list": 90_000,
    "probabilistic credit, 5 clicks": 300_000,
}
PEERS = {
    "balanced list": 217_000,
    "balanced list and credit": 65_000,
    "team-draft list": 13_500,
    "team-draft list and credit": 13_000,
    "probabilistic list": 11_100,
    "probabilistic credit, 5 clicks": 49,
}


def bench_interleaving(tries: int = 10) -> list[dict[str, Any]]:
    """A row for each method and for the batches: how many a second, the floor and the other library's speed.

    >>> rows = bench_interleaving(tries=1)
    >>> rows[0]["what"], rows[0]["per_second"] > 0
    ('balanced list', True)
    """
    if tries < 1:
        raise BadInput(f"tries must be a whole number of at least 1, not {tries!r}")
    jobs = [job for method in built_in() for job in _one_by_one(method)] + _batches()
    rows = []
    with progress_bar("bench", len(jobs)) as advance:
        for what, call, amount in jobs:
            speed = amount * max(_calls_a_second(call) for _ in range(tries))
            rows.append({"what": what, "per_second": speed, "floor": FLOORS.get(what), "peer": PEERS.get(what)})
            advance(1)
    return rows


def _one_by_one(method: Method) -> list[tuple[str, Callable[[], Any], int]]:
    """A list, and credit for five clicks; optimized lists are of rankings that were seen before."""
    rng = np.random.default_rng(1)
    documents = [f"document {number}" for number in range(LENGTH)]
    rankings = [documents, [documents[number] for number in rng.permutation(LENGTH)]]
    shown = method.combine(rankings, LENGTH, rng)
    known = ", known rankings" if isinstance(method, Optimized) else ""
    return [
        (f"{method} list{known}", lambda: method.combine(rankings, LENGTH, rng), 1),
        (f"{method} credit, 5 clicks", lambda: method.credit(shown, CLICKS), 1),
        (f"{method} list and credit{known}", lambda: method.credit(method.combine(rankings, LENGTH, rng), CLICKS), 1),
    ]


def _batches() -> list[tuple[str, Callable[[], Any], int]]:
    rng = np.random.default_rng(1)
    rankings = rng.permuted(np.tile(np.arange(LENGTH), (BATCH, 2, 1)), axis=2)
    clicked = rng.random((BATCH, LENGTH)) < 0.3
    draft, probabilistic = TeamDraft(), Probabilistic()
    teams = draft.combine_many(rankings, LENGTH, rng)[1]
    chances = probabilistic.combine_many(rankings, LENGTH, rng)[1]
    return [
        ("team-draft lists in batch", lambda: draft.combine_many(rankings, LENGTH, rng), BATCH),
        ("team-draft credits in batch", lambda: draft.credit_many(teams, clicked, 2), BATCH),
        ("probabilistic lists in batch", lambda: probabilistic.combine_many(rankings, LENGTH, rng), BATCH),
        ("probabilistic credits in batch", lambda: probabilistic.credit_many(chances, clicked), BATCH),
    ]


def _calls_a_second(call: Callable[[], Any]) -> float:
    call()
    calls, begun = 0, time.process_time()
    while time.process_time() - begun < SECONDS:
        for _ in range(10):
            call()
        calls += 10
    return calls / (time.process_time() - begun)


def interleaving_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a row."""
    lines = [
        [row["what"], f"{row['per_second']:,.0f}", *(f"{row[k]:,}" if row[k] else "" for k in ("floor", "peer"))]
        for row in rows
    ]
    title = f"a second, on one core, from Python; two rankings of {LENGTH}, all shown"
    return Table(["what", "a second", "floor", "another library"], lines, title=title)
