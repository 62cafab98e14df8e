"""Yue's thesis, Figures 5.3 and 5.4: Interleaved Filter on rankers of a real data set, regret and matches played."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import kernel, once, specialise
from duelist.core.memory import Floats, Ints
from duelist.dueling.environment import STRONG, SUMS
from duelist.dueling.environments import Matrix
from duelist.dueling.environments.rankers import ndcg_rankers
from duelist.dueling.loop import account, duel
from duelist.dueling.policies import IF1, IF2
from duelist.dueling.policy import choose, update
from duelist.present.charts import Boxes
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of, median_of, ratio_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

HORIZON = 10_000_000
POOL = 1000  # rankers to draw from
ARMS = tuple(range(100, 501, 50))
NOTES = (
    "The thesis' web data was never released: these are 1,000 linear rankers with random weights on the training "
    "queries of MQ2008, fold 1. As there, people see both rankings of a random query and prefer by the logistic of "
    "NDCG@10, times 10 as in the DBGD paper, for the thesis does not say; K rankers are drawn anew for each of 25 "
    "settings, with 4 trials of each instead of 25, T = 1e7 and the radius constant 1 as in thesis-5.1. Both filters "
    "share the first incumbent and the order of arms. A match is an incumbent against an arm that was there when its "
    "round began."
)
OUTPERFORMS = Reference("claim", "section 5.5.2: IF2 consistently outperforms IF1", above=1.0)
FLAT = Reference(
    "claim",
    "section 5.5.2: the performance ratio does not scale as log(K)",
    below=math.log(ARMS[-1]) / math.log(ARMS[0]),
    reason="what log(K) grows by, from 100 to 500 arms",
)
ROUNDS = Reference(
    "claim",
    "section 5.5.2: only a small number of rounds are played (typically between 2 and 4)",
    above=0.5,
    reason="typically is read as: in more than half of the runs",
)


class Played(NamedTuple):
    """One run, or arrays of many."""

    regret: Any
    matches: Any
    rounds: Any


def play(policy: Any, world: Any, horizon: int, totals: Floats, counts: Ints, own: Any, people: Any) -> None:
    """Explore until one arm is left. counts: matches, rounds and duels."""
    incumbent = -1
    for t in range(1, horizon + 1):
        if policy.n_waiting[0] == 0:
            break
        if policy.incumbent[0] != incumbent:
            incumbent = policy.incumbent[0]
            counts[0] += policy.n_waiting[0]
            counts[1] += 1
        chosen = choose(policy, t, own)
        update(policy, chosen, duel(world, t, chosen.left, chosen.right, people), t, own)
        account(world, t, chosen.left, chosen.right, totals)
        counts[2] += 1


@once
def compiled_play(kind: type[IF2]) -> specialise:
    """The loop of one filter."""
    methods = {name: kind.method(name, kernel) for name in ("choose", "update")}
    return specialise(play, {**methods, "duel": Matrix.duel, "account": Matrix.account})


def play_once(kind: type[IF2], world: Matrix, seed: int) -> Played:
    """A run. Of the duels after one arm was left, each costs what that arm is behind the best."""
    policy = kind(world.n_arms, seed=seed, horizon=HORIZON, radius_constant=1.0)
    totals, counts, people = np.zeros(len(SUMS)), np.zeros(3, np.int64), np.random.default_rng([1, seed])
    compiled_play(kind)(policy.memory, world.memory(HORIZON), HORIZON, totals, counts, policy.rng, people)
    later = (HORIZON - counts[2]) * world.gap[policy.best_arm(), 0]
    return Played(totals[STRONG] + later, counts[0], counts[1])


def play_settings(pool: Floats, arms: int, settings: int, trials: int) -> dict[str, Played]:
    """Both filters on rankers drawn from the pool, from the same start."""
    done: dict[str, list[Played]] = {"if1": [], "if2": []}
    for setting in range(settings):
        chosen = np.random.default_rng([arms, setting]).permutation(len(pool))[:arms]
        world = Matrix(pool[np.ix_(chosen, chosen)])
        for trial in range(trials):
            for kind in (IF1, IF2):
                done[kind.name].append(play_once(kind, world, 1000 * setting + trial))
    return {name: Played(*np.array(runs, np.float64).T) for name, runs in done.items()}


def judge(found: dict[int, dict[str, Played]]) -> list[Row]:
    """The sentences of 5.5.2, and how many matches are saved."""
    rows, ratios = [], {}
    for arms, both in found.items():
        ratios[arms] = both["if1"].regret / both["if2"].regret
        rows.append(Row(f"{arms} arms: regret of IF1 / IF2, median", OUTPERFORMS, median_of(ratios[arms])))
        matches = both["if1"].matches / both["if2"].matches
        rows.append(Row(f"{arms} arms: matches of IF1 / IF2, median", OBSERVATION, median_of(matches)))
        rounds = np.concatenate([played.rounds for played in both.values()])
        rows.append(Row(f"{arms} arms: runs of 2 to 4 rounds", ROUNDS, mean_of((rounds >= 2) & (rounds <= 4))))
    few, many = min(ratios), max(ratios)
    growth = ratio_of(ratios[many], ratios[few], centre=np.median)
    return [*rows, Row(f"median of regret ratios at {many} over that at {few} arms", FLAT, growth)]


def run(setting: Setting) -> Report:
    """All numbers of arms."""
    pool = ndcg_rankers(path=str(setting.folder("mq2008")), arms=POOL).preference
    found = {}
    for arms in ARMS[:3:2] if setting.quick else ARMS:
        found[arms] = play_settings(pool, arms, 5 if setting.quick else 25, 2 if setting.quick else 4)
        setting.advance(1)
    ratios = {arms: both["if1"].regret / both["if2"].regret for arms, both in found.items()}
    title = "thesis Figure 5.3, on rankers of MQ2008: T = 1e7"
    return Report(judge(found), Boxes(ratios, "arms", "regret of IF1 / regret of IF2", title))


WEB_RANKERS = Reproduction(*listed("thesis-5.3"), NOTES, code=run, steps=len(ARMS))
