"""What simulations return: curves that print, plot, save and load."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.intervals import Interval, interval
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.named import tell_apart
from duelist.core.spec import Spec
from duelist.present.charts import Lines, Panel, Series

# Every named view and what it is, in the order they are shown.
VIEWS = {
    "strong": "half the sum of both arms' gaps to the best arm; the unit of the others",
    "weak": "the smaller of the two gaps",
    "sum": "the sum of the two gaps, twice the strong regret",
    "generalised": "the larger of the two gaps, the most that the thesis' generalised regret can be",
    "copeland": "half the sum of both arms' gaps in Copeland score",
    "borda": "half the sum of both arms' gaps in Borda score",
    "bandit": "lost utility, an average over the two arms",
    "dynamic": "strong regret against the best arm of the moment",
}


def views_of(sums: Iterable[str]) -> list[str]:
    """The regret views that can be made from these sums."""
    has = {"sum", *sums}
    if "weak" in has:
        has.add("generalised")
    if "copeland" in has:  # a fixed matrix: the best arm of the moment never changes
        has.add("dynamic")
    return [view for view in VIEWS if view in has]


@dataclass(frozen=True)
class Result:
    """Runs of one policy in one environment."""

    policy: str
    parameters: dict[str, Any]
    environment: str
    arms: int
    horizon: int
    runs: int
    seed: int
    checkpoints: Ints  # times, log-spaced, the horizon last
    sums: dict[str, Floats]  # cumulative regret by view: runs x checkpoints
    hits: Flags  # whether both arms duelled at a checkpoint were the best one: runs x checkpoints
    found: Flags  # whether the arm named best at the horizon was right, by run
    steps_per_second: float  # of one core, compile time excluded

    @property
    def spec(self) -> Spec:
        """The policy as it ran, as data: it can be made and run again."""
        return Spec("policy", self.policy, self.parameters)

    @property
    def views(self) -> list[str]:
        """The regret views this environment has."""
        return views_of(self.sums)

    def curve(self, view: str = "strong") -> Floats:
        """Cumulative regret: runs x checkpoints."""
        if view == "sum":
            return 2 * self.sums["strong"]
        if view == "generalised":
            return 2 * self.sums["strong"] - self.sums["weak"]
        if view == "dynamic" and "dynamic" not in self.sums and "dynamic" in self.views:
            return self.sums["strong"]  # the best arm of the moment never changes
        if view not in self.sums:
            raise BadInput(f"{self.environment} has no regret view {view!r}; it has {', '.join(self.views)}")
        return self.sums[view]

    def regret(self, view: str = "strong") -> Interval:
        """Cumulative regret at the horizon."""
        return interval(self.curve(view)[:, -1])

    @property
    def accuracy(self) -> Floats:
        """At each checkpoint, the share of runs in which both arms duelled were the best one."""
        return np.asarray(self.hits.mean(0))

    @property
    def best_arm_rate(self) -> float:
        """The share of runs whose best() at the horizon is right."""
        return float(self.found.mean())

    def summary(self) -> dict[str, Any]:
        """The figures at the horizon, ready for JSON; an unknown limit is None."""
        regret = {view: self.regret(view)._asdict() for view in self.views}
        return {
            "policy": self.policy,
            "parameters": self.parameters,
            "environment": self.environment,
            "arms": self.arms,
            "horizon": self.horizon,
            "runs": self.runs,
            "seed": self.seed,
            "regret": {v: {k: _number(x) for k, x in limits.items()} for v, limits in regret.items()},
            "accuracy": float(self.accuracy[-1]),
            "best_arm_rate": self.best_arm_rate,
            "steps_per_second": self.steps_per_second,
        }

    def __str__(self) -> str:
        settings = ", ".join(f"{n}={v}" for n, v in self.parameters.items())
        runs = f"{self.runs} runs of {self.horizon} duels, seed {self.seed}"
        lines = [f"{self.policy} ({settings}) on {self.environment}: {runs}"]
        for view in self.views:
            mean, low, high = self.regret(view)
            band = f"   95 % interval [{low:.1f}, {high:.1f}]" if self.runs > 1 else ""
            lines.append(f"  {view + ' regret':<20} {mean:>12.1f}{band}")
        lines.append(f"  {'best arm found':<20} {self.best_arm_rate:>12.0%}")
        return "\n".join(lines)

    def plot(self, path: str | Path | None = None, view: str = "strong") -> Any:
        """A chart of mean regret over time with its 95 % band; saved where `path` says."""
        return plot([self], path, view)

    def save(self, path: str | Path) -> None:
        """Write everything to one .npz file."""
        arrays: dict[str, Any] = {f"sums.{view}": values for view, values in self.sums.items()}
        arrays |= {name: getattr(self, name) for name in ("checkpoints", "hits", "found")}
        arrays["facts"] = json.dumps({name: getattr(self, name) for name in _PLAIN})
        with open(path, "wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)

    @staticmethod
    def load(path: str | Path) -> Result:
        """What `save` wrote."""
        try:
            with open(path, "rb") as file:  # numpy leaves it open when it is no archive
                archive: Any = np.load(file)
                arrays = {name: archive[name] for name in archive.files}
            facts = json.loads(str(arrays.pop("facts")))
            sums = {name.removeprefix("sums."): values for name, values in arrays.items() if name.startswith("sums.")}
            rest = {name: arrays[name] for name in ("checkpoints", "hits", "found")}
            return Result(**facts, sums=sums, **rest)
        except (OSError, LookupError, ValueError, EOFError, AttributeError, TypeError, BadZipFile) as error:
            raise BadInput(f"{path} is not a saved result: {error}") from None


_PLAIN = ("policy", "parameters", "environment", "arms", "horizon", "runs", "seed", "steps_per_second")


def plot(results: Sequence[Result], path: str | Path | None = None, view: str = "strong") -> Any:
    """The chart of several results, drawn and saved where `path` says."""
    return regret_chart(results, view).draw(path)


def regret_chart(results: Sequence[Result], view: str = "strong") -> Lines:
    """One chart of several results, regret on top and accuracy below."""
    regret, accuracy = [], []
    for result, label in zip(results, tell_apart([result.spec for result in results]), strict=True):
        mean, low, high = interval(result.curve(view))
        regret.append(Series(label, result.checkpoints, mean, low, high))
        accuracy.append(Series(label, result.checkpoints, result.accuracy))
    first = results[0]
    title = f"{first.environment}, {first.runs} runs, 95 % bands"
    panels = [Panel(f"cumulative {view} regret", regret, True), Panel("accuracy: both arms the best", accuracy)]
    return Lines(panels, "duels", title)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
