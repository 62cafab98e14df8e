"""REX3, Figures 2, 3 (left) and 5 to 8: regret and accuracy over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.dueling.environment import Environment
from duelist.dueling.environments import load_environment
from duelist.dueling.simulate import simulate
from duelist.lab.figures import FIGURES
from duelist.lab.reproduction import Report, Reproduction, Row, Setting, claim, compare

# Policies by their name in the paper. Those that need the horizon are run anew for each one.
ANYTIME: dict[str, tuple[str, dict[str, float]]] = {
    "RANDOM": ("uniform", {}),
    "RUCB": ("rucb", {}),
    "REX3 adaptive": ("rex3", {}),
}
PLANNED: dict[str, tuple[str, dict[str, float]]] = {
    "REX3 Gmax=T/2": ("rex3", {"gain": 0.5}),
    "REX3 Gmax=T/10": ("rex3", {"gain": 0.1}),
    "SPARRING EXP3": ("sparring-exp3", {}),
    "BTM": ("btm", {"gamma": 1.1}),
    "SAVAGE": ("savage", {}),
}


@dataclass(frozen=True)
class Measured:
    """Final regrets of the runs, and the curves to draw, by the paper's name."""

    finals: dict[str, Any]
    regret: Sequence[Series]
    accuracy: Sequence[Series]


def measure(world: Environment, horizon: int, runs: int, view: str, setting: Setting) -> Measured:
    """All of the paper's policies, the bands from the lowest to the highest run as in its figures."""
    finals, regret, accuracy = {}, [], []
    for label, (name, settings) in ANYTIME.items():
        result = simulate(name, world, horizon, runs, 1, settings, progress=False)
        curve = result.curve(view)
        finals[label] = curve[:, -1]
        regret.append(Series(label, result.checkpoints, curve.mean(0), curve.min(0), curve.max(0)))
        accuracy.append(Series(label, result.checkpoints, result.accuracy))
        setting.advance(1)
    for label, (name, settings) in PLANNED.items():
        times = np.unique(np.geomspace(1000, horizon, 5).astype(int))
        results = [simulate(name, world, int(t), max(2, runs // 2), 1, settings, progress=False) for t in times]
        last = [result.curve(view)[:, -1] for result in results]
        finals[label] = last[-1]
        series = [np.array([f(sample) for sample in last]) for f in (np.mean, np.min, np.max)]
        regret.append(Series(label, times, *series))
        accuracy.append(Series(label, times, np.array([result.accuracy[-1] for result in results])))
        setting.advance(1)
    return Measured(finals, regret, accuracy)


def independent(instance: str, measured: Measured, view: str) -> list[Row]:
    """The finals against independent implementations, where there are figures for them."""
    names = {(name, tuple(settings.items())): label for label, (name, settings) in (ANYTIME | PLANNED).items()}
    rows = []
    for figure in FIGURES:
        label = names.get((figure.policy, tuple(figure.parameters.items())))
        if figure.environment == instance and figure.horizon == 100_000 and figure.view == view and label:
            rows.append(compare(f"{label}, {view} regret", figure.mean, figure.error, measured.finals[label]))
    return rows


def paired(label: str, lower: Any, higher: Any) -> Row:
    """The claim that one regret is below another: the ratio of the means, with a bootstrap interval."""
    luck = np.random.default_rng(0)
    draws = [luck.choice(lower, len(lower)).mean() / luck.choice(higher, len(higher)).mean() for _ in range(2000)]
    low, high = (float(q) for q in np.quantile(draws, (0.025, 0.975)))
    return Row(label, None, float(np.mean(lower) / np.mean(higher)), low, high, high < 1)


def rex3_beats_sparring(measured: Measured) -> list[Row]:
    """The paper's main claim, made for all data sets."""
    return [
        paired(
            "REX3 adaptive / SPARRING EXP3: below 1", measured.finals["REX3 adaptive"], measured.finals["SPARRING EXP3"]
        )
    ]


def make(
    name: str,
    source: str,
    missing: str,
    world: Callable[[Setting], Environment],
    *,
    instance: str = "",
    view: str = "strong",
    claims: Callable[[Measured], list[Row]] = rex3_beats_sparring,
) -> Reproduction:
    """One figure."""

    def run(setting: Setting) -> Report:
        # The independent figures are for 1e5 duels, so a quick run saves on runs, not on the horizon.
        measured = measure(world(setting), 100_000, 10 if setting.quick else 100, view, setting)
        rows = independent(instance, measured, view) + claims(measured)

        def draw(path: Path) -> Any:
            panels = [(f"cumulative {view} regret", measured.regret, True), ("accuracy", measured.accuracy, False)]
            return draw_lines(panels, "duels", f"{source}", path)

        return Report(rows, draw)

    return Reproduction(name, source, missing, len(ANYTIME) + len(PLANNED), run)


NO_NUMBERS = "The paper prints curves without numbers: compared are its claims, and independent implementations' means."
NO_LETOR = " The LETOR NP2004 matrices (16, 32 and 64 rankers) were not released with the paper and could not be found."


def rucb_still_explores(measured: Measured) -> list[Row]:
    """Figure 3: at 1e5 duels and many rankers REX3 is far below the stochastic policies."""
    best = measured.finals["REX3 adaptive"]
    below = [
        paired(f"REX3 adaptive / {rival}: below 1", best, measured.finals[rival]) for rival in ("RUCB", "BTM", "SAVAGE")
    ]
    return rex3_beats_sparring(measured) + below


def condorcet_winner_missed(measured: Measured) -> list[Row]:
    """BVS: what assumes utilities finds the Borda winner, so its regret is near the most there is, 0.01 a duel."""
    return [
        claim(
            "REX3 adaptive, regret a duel: linear",
            measured.finals["REX3 adaptive"] / 100_000,
            lambda low, high: low > 0.009,
        )
    ]


def rucb_is_deceived(measured: Measured) -> list[Row]:
    """Figure 8: RUCB's regret is nearly that of random play, REX3's is not."""
    return [
        paired("REX3 adaptive / RUCB: below 1", measured.finals["REX3 adaptive"], measured.finals["RUCB"]),
        claim(
            "RUCB, regret of 5457 for RANDOM: most of it", measured.finals["RUCB"], lambda low, high: low > 0.7 * 5457
        ),
    ]


FIGURES_OVER_TIME = (
    make(
        "rex3-2", "REX3 Figure 2, arXiv", NO_NUMBERS + NO_LETOR, lambda s: load_environment("arxiv"), instance="arxiv"
    ),
    make(
        "rex3-3",
        "REX3 Figure 3 left, MSLR navigational",
        NO_NUMBERS,
        lambda s: s.matrix("MSLR_Navigational_PMat.npz"),
        claims=rucb_still_explores,
    ),
    make(
        "rex3-5-informational",
        "REX3 Figure 5, MSLR informational (no Condorcet winner)",
        NO_NUMBERS + " Regret is against the Copeland winner and may be negative for some arms, as the paper says.",
        lambda s: s.matrix("MSLR_Informational_PMat.npz"),
    ),
    make(
        "rex3-5-perfect",
        "REX3 Figure 5, MSLR perfect",
        NO_NUMBERS,
        lambda s: s.matrix("MSLR_Perfect_PMat.npz"),
        claims=rucb_still_explores,
    ),
    make(
        "rex3-7-savage",
        "REX3 Figure 7, SAVAGE matrix",
        NO_NUMBERS,
        lambda s: load_environment("savage-30"),
        instance="savage-30",
    ),
    make(
        "rex3-7-bvs",
        "REX3 Figure 7, BVS matrix",
        NO_NUMBERS,
        lambda s: load_environment("bvs-20"),
        instance="bvs-20",
        claims=condorcet_winner_missed,
    ),
    make(
        "rex3-8",
        "REX3 Figure 8, non-stationary utilities",
        NO_NUMBERS + " The lead sqrt(K ln t / t) exceeds 1/2 early on and is clipped there.",
        lambda s: load_environment("deceptive"),
        instance="deceptive",
        view="bandit",
        claims=rucb_is_deceived,
    ),
)
