"""REX3, Figure 3 (right): regret at T = 1e5 against the number of rankers."""

from __future__ import annotations

from functools import partial

import numpy as np

from duelist.dueling.environments import Matrix
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.policy_cells import PolicyCell
from duelist.reproductions.reproduction import Found, Reproduction, Setting
from duelist.reproductions.rex3_regret import ANYTIME, COMPETITIVE, OUTPERFORMS, PLANNED, RANDOM, REX3, SPARRING
from duelist.reproductions.samples import ratio_of
from duelist.reproductions.verdicts import Reference, Row

ALL = 136
SIZES = (4, 8, 16, 32, 64, 100, ALL)
QUICK = (8, ALL)
POLICIES = {label: policy for label, policy in (ANYTIME | PLANNED).items() if label != RANDOM}


def draw_rankers(size: int, setting: Setting, runs: int) -> list[Matrix]:
    """For each run, so many rankers drawn from those of the navigational matrix."""
    whole = setting.matrix("MSLR_Navigational_PMat.npz").preference
    luck = np.random.default_rng(size)
    draws = [np.sort(luck.choice(ALL, size, replace=False)) for _ in range(runs)]
    return [Matrix(whole[np.ix_(chosen, chosen)], f"{size} rankers") for chosen in draws]


def label_of(policy: str, size: int) -> str:
    return f"{policy}, {size} rankers"


CELLS = [
    PolicyCell(label_of(label, size), policy, partial(draw_rankers, size), runs=50, quick_runs=6, quick=size in QUICK)
    for size in SIZES
    for label, policy in POLICIES.items()
]


def judge(found: Found) -> list[Row]:
    """With all rankers, REX3 is below the others."""
    ours, rows = found[label_of(REX3, ALL)].sample, []
    for rival in ("RUCB", "BTM", "SAVAGE", SPARRING):
        claim = Reference("claim", OUTPERFORMS if rival == SPARRING else COMPETITIVE, below=1.0)
        ratio = ratio_of(ours, found[label_of(rival, ALL)].sample)
        rows.append(Row(f"{ALL} rankers, {REX3} / {rival}", claim, ratio))
    return rows


def draw(found: Found) -> Lines:
    """Means against the number of rankers."""
    sizes = [size for size in SIZES if label_of(REX3, size) in found]
    lines = [
        Series(label, sizes, np.array([found[label_of(label, size)].sample.mean() for size in sizes]))
        for label in POLICIES
    ]
    title = "REX3 Figure 3 right: regret at T = 1e5 against K, MSLR navigational"
    return Lines([Panel("cumulative strong regret", lines, True)], "rankers", title)


ARMS = Reproduction(
    *listed("rex3-3-arms"),
    "The paper prints curves without numbers; a draw of rankers without a Condorcet winner is kept, as there.",
    CELLS,
    judge,
    draw,
)
