"""REX3, Figure 3 (right): regret at a fixed horizon against the number of arms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.dueling.environments import Matrix
from duelist.dueling.simulate import simulate
from duelist.lab.reproduction import Report, Reproduction, Setting
from duelist.lab.reproductions.rex3_regret import ANYTIME, PLANNED, paired

HORIZON = 100_000


def run(setting: Setting) -> Report:
    """For each K and run, K rankers drawn from the 136 of the navigational matrix."""
    whole = setting.matrix("MSLR_Navigational_PMat.npz").preference
    sizes, runs = ((8, 136), 6) if setting.quick else ((4, 8, 16, 32, 64, 100, 136), 50)
    policies = {label: policy for label, policy in (ANYTIME | PLANNED).items() if label != "RANDOM"}
    samples: dict[str, list[Any]] = {label: [] for label in policies}
    for size in sizes:
        luck = np.random.default_rng(size)
        draws = [np.sort(luck.choice(136, size, replace=False)) for _ in range(runs)]
        worlds = [Matrix(whole[np.ix_(chosen, chosen)], f"{size} rankers") for chosen in draws]
        for label, (name, settings) in policies.items():
            regrets = [
                simulate(name, world, HORIZON, 1, seed, settings, points=1, progress=False).curve()[0, -1]
                for seed, world in enumerate(worlds)
            ]
            samples[label].append(np.array(regrets))
        setting.advance(1)
    last = {label: values[-1] for label, values in samples.items()}
    rows = [
        paired(f"136 rankers, REX3 adaptive / {rival}: below 1", last["REX3 adaptive"], last[rival])
        for rival in ("RUCB", "BTM", "SAVAGE", "SPARRING EXP3")
    ]

    def draw(path: Path) -> Any:
        lines = [
            Series(label, np.array(sizes), np.array([s.mean() for s in values])) for label, values in samples.items()
        ]
        title = "REX3 Figure 3 right: regret at T = 1e5 against K, MSLR navigational"
        return draw_lines([("cumulative strong regret", lines, True)], "rankers", title, path)

    return Report(rows, draw)


ARMS = Reproduction(
    "rex3-3-arms",
    "REX3 Figure 3 right, regret against K",
    "The paper prints curves without numbers; a draw of rankers without a Condorcet winner is kept, as there.",
    7,
    run,
)
