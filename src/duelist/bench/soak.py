"""A mixed load for a long time, and the memory of the service meanwhile.

Users come back and lists close soon, so after a while nothing new is to be kept: memory that still grows is a leak.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from duelist.bench.load import Says, measure, request
from duelist.bench.servers import serving
from duelist.client import Client
from duelist.core.errors import BadInput

USERS = 5_000
SESSION = {"timeout": 10.0, "grace": 2.0}  # seconds, so that lists close while the load goes on
SAMPLES = 6  # a minute
WARM = 1 / 3  # of the time, before memory is judged
FLAT = 0.05  # of the memory, by which it may grow in the rest of the time
ARMS = ("bm25", "ltr", "vector")
RANKINGS = {"bm25": [f"d{n}" for n in range(10)], "ltr": [f"d{n}" for n in range(5, 15)]}
EVERY = 50  # rounds of a connection between two looks at status and metrics


def bench_soak(
    minutes: float = 30.0, connections: int = 8, say: Callable[[str], None] = lambda line: None
) -> list[dict[str, Any]]:
    """A row every ten seconds: minutes since the beginning, requests so far, resident memory. Says one a minute."""
    if minutes <= 0 or connections < 1:
        raise BadInput(f"minutes and connections must be more than 0, not {minutes!r}, {connections!r}")
    samples = max(6, round(SAMPLES * minutes))
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as name, serving(f"sqlite:///{name}/soak.db", Path(name) / "log") as server:
        _prepare(server.url)
        began, requests = time.monotonic(), 0
        for number in range(1, samples + 1):
            found = measure([server.address()], _mixed, 60 * minutes / samples, connections)
            requests += found.requests
            memory = resident(server.process.pid)
            rows.append({"minutes": (time.monotonic() - began) / 60, "requests": requests, "memory_mb": memory})
            if number % SAMPLES == 0:
                say(f"{rows[-1]['minutes']:6.1f} minutes {requests:12,} requests {memory:8.1f} MB")
    return rows


def resident(pid: int) -> float:
    """Megabytes that a process holds in memory.

    >>> import os
    >>> 10 < resident(os.getpid()) < 10_000
    True
    """
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def growth(rows: Sequence[dict[str, Any]]) -> float:
    """By which share memory grew after the first third of the time, along the line that fits best.

    >>> round(growth([{"minutes": n, "memory_mb": 100 + n} for n in range(31)]), 3)
    0.167
    """
    late = [row for row in rows if row["minutes"] >= WARM * rows[-1]["minutes"]]
    minutes, memory = (np.array([row[name] for row in late]) for name in ("minutes", "memory_mb"))
    slope = np.polyfit(minutes, memory, 1)[0]
    return float(slope * (minutes[-1] - minutes[0]) / memory.mean())


def is_flat(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether memory grows no more: by at most 5 % after the first third of the time."""
    return growth(rows) <= FLAT


def _prepare(url: str) -> None:
    with Client(url, timeout=60) as client:
        client.define({"name": "duels", "kind": "arms", "arms": ARMS, "policy": "rucb", "session": SESSION}).start()
        client.define({"name": "pair", "kind": "pair", "arms": ARMS[:2], "session": SESSION}).start()


def _mixed(number: int) -> Says:
    """One user after the other: a duel, a list, its clicks one by one and many at once; now and then a look."""
    luck = np.random.default_rng()
    looks = [request(path, b"", "GET") for path in ("/v1/experiments/pair", "/v1/experiments", "/metrics", "/readyz")]
    while True:
        for _ in range(EVERY):
            user = f"user {luck.integers(USERS)}"
            asked = msgspec.json.decode((yield _post("duels/ask", {"user": user})))
            yield _post("duels/tell", {"id": asked["id"], "winner": min(asked["left"], asked["right"])})
            page = msgspec.json.decode((yield _post("pair/interleave", {"user": user, "rankings": RANKINGS})))
            click = {"impression": page["id"], "position": int(luck.integers(10))}
            yield request("/v1/events", msgspec.json.encode(click))
            many = [{"impression": page["id"], "position": int(place)} for place in luck.integers(12, size=5)]
            yield request("/v1/events", msgspec.json.encode(many))
        for look in looks:  # noqa: UP028 - a list takes no answers
            yield look


def _post(path: str, body: dict[str, Any]) -> bytes:
    return request(f"/v1/experiments/{path}", msgspec.json.encode(body))


def verdict(rows: Sequence[dict[str, Any]]) -> str:
    """Whether memory is flat, and how that was judged."""
    flat = "flat" if is_flat(rows) else "NOT flat"
    return (
        f"memory is {flat}: after the first third of the time it grew by {growth(rows):.1%} along the line through "
        f"{SAMPLES} samples a minute; {FLAT:.0%} are allowed"
    )
