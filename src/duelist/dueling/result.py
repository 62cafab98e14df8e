"""What simulations return: curves that print, plot, save and load."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
from duelist.present.frames import check_rows_path, data_frame, write_rows
from duelist.present.tables import Table

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
    steps_per_second: float  # of one core or one GPU, compile time excluded
    changes: Sequence[int] = ()  # duels with which the environment changed
    engine: str = "cpu"  # what ran it: cpu or cuda

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

    def summary(self, curves: bool = False) -> dict[str, Any]:
        """The figures at the horizon, and all along with `curves`, ready for JSON; an unknown limit is None."""
        return {
            "policy": self.policy,
            "parameters": self.parameters,
            "environment": self.environment,
            "arms": self.arms,
            "horizon": self.horizon,
            "runs": self.runs,
            "seed": self.seed,
            "engine": self.engine,
            "regret": {view: _plain(self.regret(view)) for view in self.views},
            "accuracy": float(self.accuracy[-1]),
            "best_arm_rate": self.best_arm_rate,
            "steps_per_second": self.steps_per_second,
            **({"curves": self._curves()} if curves else {}),
        }

    def _curves(self) -> dict[str, Any]:
        regret = {view: _plain(interval(self.curve(view))) for view in self.views}
        return {"duels": self.checkpoints.tolist(), "regret": regret, "accuracy": self.accuracy.tolist()}

    def facts(self) -> dict[str, Any]:
        """All that is not an array: what JSON holds of it."""
        return {name: getattr(self, name) for name in _PLAIN}

    def columns(self) -> dict[str, Any]:
        """One row a run and checkpoint: run, duels, the regret by each view so far, and whether the last duel hit."""
        runs, points = self.hits.shape
        found = {"run": np.repeat(np.arange(runs), points), "duels": np.tile(self.checkpoints, runs)}
        return {**found, **{view: self.curve(view).ravel() for view in self.views}, "hit": self.hits.ravel()}

    def to_frame(self, library: str | None = None) -> Any:
        """`columns` as a frame of pandas or polars, whichever is installed."""
        return data_frame(self.columns(), library)

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

    def _repr_html_(self) -> str:
        """For a notebook: the table and the chart."""
        return results_table([self])._repr_html_() + (regret_chart([self])._repr_svg_() or "")

    def plot(self, path: str | Path | None = None, view: str = "strong") -> Any:
        """A chart of mean regret over time with its 95 % band; saved where `path` says."""
        return plot([self], path, view)

    def save(self, path: str | Path) -> None:
        """Write everything to an .npz file, which `load` reads, or the `columns` to a .csv or .parquet file."""
        check_rows_path(path := Path(path), SAVED)
        if path.suffix != ".npz":
            write_rows(self.columns(), path)
            return
        arrays: dict[str, Any] = {f"sums.{view}": values for view, values in self.sums.items()}
        arrays |= {name: getattr(self, name) for name in ("checkpoints", "hits", "found")}
        arrays["facts"] = json.dumps(self.facts())
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


def join_runs(parts: Sequence[Result]) -> Result:
    """The runs of several results that differ in the numbers of their runs alone, as one.

    >>> from duelist import simulate
    >>> parts = [simulate("uniform", "cyclic", 100, runs=2, first=first) for first in (0, 2)]
    >>> bool((join_runs(parts).curve() == simulate("uniform", "cyclic", 100, runs=4).curve()).all())
    True
    """
    runs = sum(part.runs for part in parts)
    joined = {view: np.concatenate([part.sums[view] for part in parts]) for view in parts[0].sums}
    hits, found = (np.concatenate([getattr(part, name) for part in parts]) for name in ("hits", "found"))
    speed = runs / sum(part.runs / part.steps_per_second for part in parts)
    return replace(parts[0], runs=runs, sums=joined, steps_per_second=speed, hits=hits, found=found)


SAVED = (".npz", ".csv", ".parquet")
_PLAIN = (
    "policy",
    "parameters",
    "environment",
    "arms",
    "horizon",
    "runs",
    "seed",
    "steps_per_second",
    "changes",
    "engine",
)


def plot(
    results: Sequence[Result], path: str | Path | None = None, view: str = "strong", linear: bool | None = None
) -> Any:
    """The chart of several results, drawn as matplotlib's figure and saved where `path` says.

    >>> from duelist import simulate
    >>> results = [simulate(policy, "arxiv", horizon=1000, runs=5) for policy in ("rucb", "uniform")]
    >>> [text.get_text() for text in plot(results).axes[0].get_legend().get_texts()]
    ['rucb', 'uniform']
    """
    return regret_chart(results, view, linear).draw(path)


def regret_chart(results: Sequence[Result], view: str = "strong", linear: bool | None = None) -> Lines:
    """One chart of several results, regret on top and accuracy below.

    Axes are logarithmic: regret that grows with the logarithm of time is what one looks for. Where the environment
    changes late they would press all changes together, so that they are linear there, unless `linear` says otherwise.
    """
    first, regret, accuracy = results[0], [], []
    linear = bool(first.changes) if linear is None else linear
    for result, label in zip(results, tell_apart([result.spec for result in results]), strict=True):
        mean, low, high = interval(result.curve(view))
        band = (low, high) if result.runs > 1 else ()
        regret.append(Series(label, result.checkpoints, mean, *band))
        accuracy.append(Series(label, result.checkpoints, result.accuracy))
    # Without a Condorcet winner an arm can do better than the one that regret is taken against.
    least = 0.0 if all((result.curve(view) >= 0).all() for result in results) else -math.inf
    panels = [
        Panel(f"cumulative {view} regret", regret, not linear, least),
        Panel("accuracy: both arms the best", accuracy, least=0.0, most=1.0),
    ]
    bands = f"mean of {first.runs} runs, bands: its 95 % interval" if first.runs > 1 else "one run"
    return Lines(panels, "duels", f"{first.environment}: {bands}", not linear, first.changes)


def results_table(results: Sequence[Result], view: str = "strong") -> Table:
    """A row a policy, the lowest regret first by a view, which has its intervals."""
    others = [other for other in results[0].sums if other != view]  # the rest follow from these
    rows, labelled = [], zip(results, tell_apart([result.spec for result in results]), strict=True)
    for result, label in sorted(labelled, key=lambda pair: float(pair[0].regret(view).mean)):
        mean, _, high = result.regret(view)
        regret = f"{mean:.0f} ± {high - mean:.0f}" if result.runs > 1 else f"{mean:.0f}"
        more = [f"{result.regret(other).mean:.0f}" for other in others]
        shares = [f"{result.accuracy[-1]:.0%}", f"{result.best_arm_rate:.0%}"]
        rows.append([label, regret, *more, *shares, f"{result.steps_per_second / 1e6:.1f}"])
    notes = [
        f"{', '.join([view, *others])}: cumulative regret, mean of the runs, ± 95 %",
        "accuracy: both arms of the last duel were the best; found: best() was right",
        f"M/s: million duels a second of one {'GPU' if results[0].engine == 'cuda' else 'core'}",
    ]
    return Table(["policy", view, *others, "accuracy", "found", "M/s"], rows, notes)


def _plain(found: Interval) -> dict[str, Any]:
    """Numbers, or lists of them; an unknown one is None."""
    values = {name: np.array(value, dtype=object) for name, value in found._asdict().items()}
    for value in values.values():
        value[~np.isfinite(value.astype(np.float64))] = None
    return {name: value.tolist() for name, value in values.items()}
