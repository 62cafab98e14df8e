"""Learning through a live experiment: visitors whose clicks come late, twice, in another order, or never.

`duelist bench visitors` puts its regret beside the same policy in the undisturbed simulation.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np

from duelist.core.intervals import interval
from duelist.core.progress import progress_bar
from duelist.dueling.environments.instances import load_environment
from duelist.dueling.simulate import simulate
from duelist.live import LocalExperiments
from duelist.live.events import body_of, numbers_of
from duelist.present.tables import Table
from duelist.storage import MemoryJournal

SECOND = 1_000_000
USERS = 200
PAUSE = 60.0  # seconds between two visits of a user, on average
THOUGHT = 8.0  # until a click
REPORT = 4.0  # until the click is reported
LOST = 0.1  # clicks that are never reported
TWICE = 0.1  # clicks that are reported twice
SESSION = {"timeout": 600.0, "grace": 5.0}  # lists are closed soon: what is learnt late costs regret
DOCUMENTS = 20


class Visits(NamedTuple):
    """What came of one experiment."""

    regret: float
    best: str
    counts: dict[str, int]
    lag: float


class Clock:
    """The time of the simulated world."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def visit(policy: str, instance: str, duels: int, seed: int) -> Visits:
    """An experiment of kind arms: a visitor of two rankers' list clicks what the better one, by chance, has shown."""
    preference = np.asarray(load_environment(instance).preference)  # type: ignore[attr-defined]
    arms = [f"r{arm}" for arm in range(len(preference))]
    best = int((preference > 0.5).sum(1).argmax())
    luck, clock = np.random.default_rng([seed, 0]), Clock()
    living = LocalExperiments(MemoryJournal(clock), np.random.default_rng([seed, 1]))
    search = living.define({"name": "visits", "kind": "arms", "arms": arms, "policy": policy, "session": SESSION})
    search.start()
    rankings = {arm: [f"{arm}-{place}" for place in range(DOCUMENTS)] for arm in arms}
    due: list[tuple[int, int, Any]] = []  # when, in which order, and a click; or a user who comes
    for number in range(USERS):
        heapq.heappush(due, (round(luck.exponential(PAUSE) * SECOND), number, f"u{number}"))
    shown, regret, ticket = 0, 0.0, USERS
    while due and shown < duels:
        clock.now, _, what = heapq.heappop(due)
        if isinstance(what, tuple):
            search.click(*what)
            continue
        page = search.interleave(rankings, user=what)
        assert page.id is not None
        left, right = (arms.index(arm) for arm in (page.arms * 2)[:2])
        regret += (preference[best, left] + preference[best, right] - 1) / 2
        shown += 1
        ticket += 3
        heapq.heappush(due, (clock.now + round(luck.exponential(PAUSE) * SECOND), ticket, what))
        for late in _reports(luck):
            click = (page.id, _clicked(living, page.id, preference[left, right], left, right))
            heapq.heappush(due, (clock.now + round(late * SECOND), ticket + 1, click))
    status = search.status()
    living.group.close()
    return Visits(regret, status["best"], status["counts"], status["lag"])


def _reports(luck: np.random.Generator) -> list[float]:
    """When one click is reported, in seconds from now: never, once or twice."""
    chance = luck.random()
    times = 0 if chance < LOST else 2 if chance > 1 - TWICE else 1
    thought = luck.exponential(THOUGHT)
    return [thought + luck.exponential(REPORT) for _ in range(times)]


def _clicked(living: LocalExperiments, id: str, chance: float, left: int, right: int) -> str:
    """A document of the ranker that this visitor prefers; the same one, however often the click is reported."""
    event = living.journal.get(numbers_of(id)[1])
    assert event is not None
    ranking = body_of(event).shown.ranking
    taste = np.random.default_rng(numbers_of(id)[1])
    wanted = left if taste.random() < chance else right
    return str(next(document for document in ranking if document.startswith(f"r{wanted}-")))


def bench_visitors(policy: str, instance: str, duels: int, runs: int) -> dict[str, Any]:
    """Regret of live experiments beside that of the simulation, as numbers for JSON."""
    with progress_bar("visitors", runs) as advance:
        found = []
        for seed in range(runs):
            found.append(visit(policy, instance, duels, seed))
            advance(1)
    preference = np.asarray(load_environment(instance).preference)  # type: ignore[attr-defined]
    right = f"r{int((preference > 0.5).sum(1).argmax())}"
    live = interval([each.regret for each in found])
    quiet = simulate(policy, instance, horizon=duels, runs=1000, seed=1).regret()
    return {
        "policy": policy,
        "instance": instance,
        "duels": duels,
        "runs": runs,
        "live": [float(each) for each in live],
        "undisturbed": [float(each) for each in quiet],
        "ratio": float(live.mean / quiet.mean),
        "right": sum(each.best == right for each in found),
        "lag": float(np.mean([each.lag for each in found])),
        "counts": found[0].counts,
    }


def visitors_table(found: dict[str, Any]) -> Table:
    """The two regrets, with 95 % intervals."""
    rows = [
        [name, f"{found[key][0]:.1f}", f"{found[key][1]:.1f} to {found[key][2]:.1f}"]
        for name, key in (("live, disturbed", "live"), ("simulation", "undisturbed"))
    ]
    rows.append(["ratio", f"{found['ratio']:.2f}", f"best ranker found in {found['right']} of {found['runs']}"])
    return Table([f"{found['policy']}, {found['duels']:,} duels", "regret", "95 % interval"], rows)
