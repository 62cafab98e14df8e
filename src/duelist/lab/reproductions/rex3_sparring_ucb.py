"""REX3, Figure 6: Sparring with UCB instead of EXP3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from duelist.dueling.result import plot
from duelist.dueling.simulate import simulate
from duelist.lab.reproduction import Report, Reproduction, Setting
from duelist.lab.reproductions.rex3_regret import NO_LETOR, NO_NUMBERS, paired


def run(setting: Setting) -> Report:
    """On the navigational matrix; REX3 stays below Sparring whatever the bandit."""
    world = setting.matrix("MSLR_Navigational_PMat.npz")
    results = {}
    for name in ("rex3", "sparring-ucb", "sparring-exp3", "uniform"):
        results[name] = simulate(name, world, 100_000, 10 if setting.quick else 100, 1, progress=False)
        setting.advance(1)
    finals = {name: result.curve()[:, -1] for name, result in results.items()}
    rows = [
        paired("REX3 adaptive / SPARRING UCB: below 1", finals["rex3"], finals["sparring-ucb"]),
        paired("SPARRING UCB / RANDOM: below 1", finals["sparring-ucb"], finals["uniform"]),
    ]

    def draw(path: Path) -> Any:
        return plot(list(results.values()), path)

    return Report(rows, draw)


SPARRING_UCB = Reproduction(
    "rex3-6", "REX3 Figure 6, Sparring with UCB, MSLR navigational", NO_NUMBERS + NO_LETOR, 4, run
)
