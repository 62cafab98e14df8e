"""REX3, Figure 6: Sparring with UCB instead of EXP3."""

from __future__ import annotations

from duelist.core.spec import Spec
from duelist.dueling.result import regret_chart
from duelist.present.charts import Lines
from duelist.reproductions.catalogue import listed
from duelist.reproductions.policy_cells import PolicyCell
from duelist.reproductions.reproduction import Found, Reproduction
from duelist.reproductions.rex3_regret import NO_LETOR, NO_NUMBERS, OUTPERFORMS, RANDOM, REX3, SPARRING, below
from duelist.reproductions.samples import ratio_of
from duelist.reproductions.verdicts import OBSERVATION, Row

UCB = "SPARRING UCB"
POLICIES = {REX3: "rex3", UCB: "sparring-ucb", SPARRING: "sparring-exp3", RANDOM: "uniform"}
CELLS = [
    PolicyCell(label, Spec.read("policy", name), "MSLR_Navigational_PMat.npz", points=100)
    for label, name in POLICIES.items()
]


def judge(found: Found) -> list[Row]:
    """REX3 stays below Sparring whatever the bandit; that Sparring learns something is nobody's claim."""
    return [
        *(below(found, REX3, rival, OUTPERFORMS) for rival in (UCB, SPARRING)),
        Row(f"{UCB} / {RANDOM}", OBSERVATION, ratio_of(found[UCB].sample, found[RANDOM].sample)),
    ]


def draw(found: Found) -> Lines:
    return regret_chart([measured.curves for measured in found.values()])


SPARRING_UCB = Reproduction(*listed("rex3-6"), NO_NUMBERS + NO_LETOR, CELLS, judge, draw)
