"""Yue's thesis, sections 5.3.3 and B.2: how many rounds Interleaved Filter plays, by a random walk.

From arm j, the j-th best, the walk goes to each better arm with the same chance, and ends at the best. Its nodes are
the incumbents of a filter that makes no mistake, where every better arm beats a worse one equally often; elsewhere the
filter plays fewer rounds. The walk visits arm i with chance 1 / i whatever else it visits (Lemma 6), so that the
number of rounds is a sum of independent coins, and its distribution exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelist.core.intervals import Interval
from duelist.core.memory import Floats
from duelist.core.seeds import split_seed
from duelist.dueling.environment import SUMS
from duelist.dueling.environments import Matrix
from duelist.dueling.environments.instances import arithmetic, worst_case
from duelist.dueling.loop import compiled_run
from duelist.dueling.policies.interleaved_filter import IF1, IF2
from duelist.present.charts import Boxes
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import Reference, Row

HORIZON, RUNS, QUICK_RUNS, SEED = 30_000, 400, 60, 1
ARMS, LARGEST = 10, 400  # arms that filters duel with; walks whose tails are looked at have up to so many nodes
MISSING = (
    "The proof of Lemma 7 says that (5.13) follows with m = d for all d >= e. It does not: (eK)^(m - 1 - m log m) is "
    "at most K^-d for large K only where m log m - m + 1 >= d, with m = d from d = 6.31 on; and it bounds P(S > m (1 + "
    "H)), not P(S > m log K). With a larger m the lemma holds: rounds are O(log K). (5.12) counts nodes, the first "
    "included, which is rounds; steps are one fewer. Filters begin at an arm drawn uniformly, and then play H_K rounds "
    "in the mean."
)
WALK = "the walk of Definition 1 and Lemma 6, by formula: from an arm drawn uniformly H_K = "
FEWER = Reference("claim", "Proposition 2: the number of rounds is stochastically dominated by the walk's", below=0.0)
CHERNOFF = Reference("claim", "(5.14): P(S > m (1 + H)) <= (eK)^(m - 1 - m log m)", below=1.0)
ANY_E = Reference("claim", "Lemma 7: for any d >= e, m = d satisfies (5.13), P(S > m log K) <= K^-d", below=1.0)


def rounds_from_worst(arms: int) -> Floats:
    """The chance of each number of rounds, from 0, of a walk that begins at the worst arm: (5.12).

    >>> rounds_from_worst(3)  # by the middle arm or not
    array([0. , 0. , 0.5, 0.5])
    """
    return np.concatenate([[0.0], visits(arms - 1)])


def rounds_from_any(arms: int) -> Floats:
    """The same of a walk that begins at an arm drawn uniformly, as if it had come there from a worse one.

    >>> rounds_from_any(3).round(3)
    array([0.   , 0.333, 0.5  , 0.167])
    """
    return visits(arms)


def visits(arms: int) -> Floats:
    """The chance of each number of visited arms among the best `arms`: arm i is visited with chance 1 / i."""
    chances = np.ones(1)
    for arm in range(1, arms + 1):
        chances = np.convolve(chances, [1.0 - 1.0 / arm, 1.0 / arm])
    return chances


def beyond(chances: Floats, limit: float) -> float:
    """The chance of more than `limit`."""
    return float(chances[math.floor(limit) + 1 :].sum())


def rounds_of(kind: type[IF2], world: Matrix, seed: np.random.SeedSequence) -> int:
    """How many incumbents a filter has until one arm is left."""
    own, luck = split_seed(seed, 2)
    policy, rng = kind(world.n_arms, horizon=HORIZON, radius_constant=1.0, seed=own), np.random.default_rng(luck)
    own_memory, memory, totals = policy.memory, world.memory(HORIZON), np.zeros(len(SUMS))
    play = compiled_run(type(policy), Matrix).entry(own_memory, memory, 0, 0, totals, policy.rng, rng)
    incumbent, waiting = policy.incumbent, policy.n_waiting  # arrays, which change
    rounds, last, t = 1, incumbent[0], 0
    while t < HORIZON and waiting[0] > 0:
        play(own_memory, memory, t, t + 1, totals, policy.rng, rng)
        rounds, last, t = rounds + int(incumbent[0] != last), incumbent[0], t + 1
    return rounds


def bounds(sizes: Sequence[int]) -> list[Row]:
    """The two inequalities in the proof of Lemma 7, where they are nearest to failing."""
    walks = {arms: rounds_from_worst(arms) for arms in sizes}
    chernoff, simple = 0.0, 0.0
    for arms, walk in walks.items():
        mean = 1 + sum(1 / i for i in range(1, arms))
        for m in (1.5, 2.0, math.e, 4.0):
            chernoff = max(chernoff, beyond(walk, m * mean) / (math.e * arms) ** (m - 1 - m * math.log(m)))
        simple = max(simple, beyond(walk, math.e * math.log(arms)) * arms**math.e)
    exact = (Interval(value, value, value) for value in (chernoff, simple))
    cells = ("P(S > m (1 + H)) over its bound, the largest", "P(S > e log K) over K^-e, the largest")
    return [Row(cell, claim, own) for cell, claim, own in zip(cells, (CHERNOFF, ANY_E), exact, strict=True)]


def run(setting: Setting) -> Report:
    runs = QUICK_RUNS if setting.quick else RUNS
    mean = sum(1 / i for i in range(1, ARMS + 1))
    walk = Reference("independent", WALK + f"{mean:.3f}", mean)
    equal, unequal = worst_case(ARMS, epsilon=0.4), arithmetic(5, step=0.12)
    plans = [("IF1, equal gaps", IF1, equal), ("IF2, equal gaps", IF2, equal), ("IF1, unequal gaps", IF1, unequal)]
    rows, samples = [], {}
    for place, (name, kind, world) in enumerate(plans):
        seeds = np.random.SeedSequence([SEED, place]).spawn(runs)
        samples[name] = np.array([rounds_of(kind, world, seed) for seed in seeds], np.float64)
        setting.advance(1)
        if world is equal:
            rows.append(Row(f"{name}, {ARMS} arms, mean rounds", walk, mean_of(samples[name])))
        else:
            fewer = samples[name] - sum(1 / i for i in range(1, world.n_arms + 1))
            rows.append(Row(f"{name}, {world.n_arms} arms, mean rounds less the walk's", FEWER, mean_of(fewer)))
    luck = np.random.default_rng(SEED)
    samples["the walk"] = luck.choice(ARMS + 1, size=1000, p=rounds_from_any(ARMS)).astype(np.float64)
    rows += bounds(range(2, LARGEST + 1))
    return Report(rows, Boxes(samples, "", "rounds", "thesis 5.3.3: rounds of Interleaved Filter, and of the walk"))


RANDOM_WALK = Reproduction(*listed("thesis-B.2"), MISSING, code=run, steps=3)
