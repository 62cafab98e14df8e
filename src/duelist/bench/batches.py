"""Eight questions at once: how many different pairs a policy asks about, and what it costs not to wait for answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.bench.certain import INSTANCES
from duelist.core.progress import progress_bar
from duelist.core.spec import Spec
from duelist.dueling.policy import POLICIES, Policy
from duelist.present.tables import Table

SIZE, CALLS = 8, 600
WORLD = "prompts"  # twelve arms, the best one clearly ahead


class Row(NamedTuple):
    """A policy whose judge works at `SIZE` duels at a time."""

    policy: str
    pairs: float  # different ones in a batch, on average
    settled: float  # share of its draws that were of an arm with itself, for which nobody is asked
    calls: float  # that were made: fewer than allowed where it had nothing more to ask
    right_alone: float  # share of runs that name the best arm at the end, one duel at a time
    right: float  # the same, eight at a time


class Played(NamedTuple):
    """What became of one run."""

    batches: list[int]  # different pairs in each
    calls: int
    settled: int
    right: bool


def every_policy() -> list[str]:
    """All that there are, told the horizon where they need one.

    >>> len(every_policy()) == len(list(POLICIES))
    True
    """
    needs = {name: POLICIES.get(name).parameters().get("horizon") for name in POLICIES}
    return [f"{name}:horizon={CALLS}" if each is not None and each.required else name for name, each in needs.items()]


def bench_batches(runs: int = 10, policies: Sequence[str] = ()) -> list[Row]:
    """Each policy, in batches and one duel at a time.

    >>> row = bench_batches(1, ["rucb"])[0]
    >>> row.pairs > 7, row.calls
    (True, 600.0)
    """
    rows = []
    known = {spec.split(":")[0]: spec for spec in every_policy()}
    chosen = [known.get(name, name) for name in policies] or list(known.values())
    with progress_bar("batches", len(chosen)) as advance:
        for name in chosen:
            found = [play(name, SIZE, seed) for seed in range(runs)]
            alone = [play(name, 1, seed) for seed in range(runs)]
            calls, settled = (sum(getattr(each, part) for each in found) for part in ("calls", "settled"))
            pairs = [size for each in found for size in each.batches]
            rights = (float(np.mean([each.right for each in kind])) for kind in (alone, found))
            rows.append(
                Row(name.split(":")[0], float(np.mean(pairs)), settled / (calls + settled), calls / runs, *rights)
            )
            advance(1)
    return rows


def play(name: str, size: int, seed: int) -> Played:
    """Ask `size` duels at a time until so many calls are made, or there is nothing to ask."""
    preference, luck = INSTANCES[WORLD], np.random.default_rng((seed, 1))
    policy: Policy = Spec.read("policy", name).make(len(preference), seed=seed)
    calls, batches = 0, []
    while calls < CALLS and (batch := policy.ask(n=min(size, CALLS - calls))):
        if len(batch) == size:
            batches.append(len({frozenset((duel.left, duel.right)) for duel in batch}))
        for duel in batch:
            policy.tell(duel, float(luck.random() < preference[duel.left, duel.right]))
        calls += len(batch)
    return Played(batches, calls, policy.told - calls, policy.best() == 0)


def batches_table(rows: Sequence[Row]) -> Table:
    """A line a policy."""
    lines = [
        [
            row.policy,
            f"{row.pairs:.1f}",
            f"{row.settled:.0%}",
            f"{row.calls:.0f}",
            f"{row.right_alone:.0%}",
            f"{row.right:.0%}",
        ]
        for row in rows
    ]
    names = ["policy", f"pairs of {SIZE}", "settled", "calls", "best, 1 at a time", f"best, {SIZE} at a time"]
    notes = [
        "pairs: different ones in a batch; settled: draws of an arm with itself, for which nobody is asked",
        f"calls: of at most {CALLS}; best: how often the best of twelve arms is named at the end",
    ]
    return Table(names, lines, notes)
