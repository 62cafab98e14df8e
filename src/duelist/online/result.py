"""What simulated learning returns: curves that print and plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from duelist.core.intervals import Interval, interval
from duelist.core.memory import Floats, Ints
from duelist.core.named import tell_apart
from duelist.core.spec import Spec
from duelist.present.charts import Lines, Panel, Series
from duelist.present.frames import data_frame
from duelist.present.tables import Table


@dataclass(frozen=True, kw_only=True)
class Learning:
    """Learning curves of one learner, one row a run."""

    learner: str
    parameters: dict[str, Any]
    clicks: str
    impressions: int
    seed: Any
    checkpoints: Ints
    final: Floats  # NDCG on test queries at each checkpoint
    online: Floats  # discounted sum of the NDCG shown, up to each checkpoint
    impressions_per_second: float
    conventions: dict[str, str]
    engine: str = "cpu"

    @property
    def spec(self) -> Spec:
        """The learner as it ran, as data: it can be made and run again."""
        return Spec("learner", self.learner, self.parameters)

    @property
    def final_ndcg(self) -> Interval:
        """NDCG on test queries after the last impression."""
        return interval(self.final[:, -1])

    @property
    def online_ndcg(self) -> Interval:
        """Discounted sum of the NDCG of all lists shown."""
        return interval(self.online[:, -1])

    @property
    def changes(self) -> Sequence[int]:
        """Impressions with which people began to want something else; none that are known."""
        return ()

    def summary(self, curves: bool = False) -> dict[str, Any]:
        """What `duelist learn --json` prints; with `curves`, also how it went."""
        return {
            "learner": self.learner,
            "parameters": self.parameters,
            "clicks": self.clicks,
            "impressions": self.impressions,
            "runs": len(self.final),
            "seed": self.seed,
            "engine": self.engine,
            "final_ndcg": _numbers(self.final_ndcg),
            "online_ndcg": _numbers(self.online_ndcg),
            "impressions_per_second": self.impressions_per_second,
            "conventions": self.conventions,
            **({"curves": self._curves()} if curves else {}),
        }

    def _curves(self) -> dict[str, Any]:
        means = {name: np.asarray(getattr(self, name)).mean(0).tolist() for name in ("final", "online")}
        return {"impressions": self.checkpoints.tolist(), **means}

    def columns(self) -> dict[str, Any]:
        """One row a run and checkpoint: run, impressions, NDCG on test queries, and the discounted sum shown so far."""
        runs, points = self.final.shape
        places = {"run": np.repeat(np.arange(runs), points), "impressions": np.tile(self.checkpoints, runs)}
        return {**places, "final_ndcg": self.final.ravel(), "online_ndcg": self.online.ravel()}

    def to_frame(self, library: str | None = None) -> Any:
        """`columns` as a frame of pandas or polars, whichever is installed."""
        return data_frame(self.columns(), library)

    def _repr_html_(self) -> str:
        """For a notebook: the table and the chart."""
        return learning_table([self])._repr_html_() + (learning_chart([self], self.learner)._repr_svg_() or "")


def _numbers(found: Interval) -> dict[str, float | None]:
    return {n: float(v) if np.isfinite(v) else None for n, v in found._asdict().items()}


def join_runs(parts: Sequence[Learning], seed: Any) -> Learning:
    """The runs of several results, of other folds or with other numbers, as one result."""
    curves = [name for name in ("final", "online", "lost") if hasattr(parts[0], name)]
    joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in curves}
    speed = len(joined["final"]) / sum(len(part.final) / part.impressions_per_second for part in parts)
    return replace(parts[0], seed=seed, impressions_per_second=speed, **joined)


def learning_table(results: Sequence[Learning]) -> Table:
    """A row a learner, and how the numbers are to be read."""
    labelled = zip(results, tell_apart([result.spec for result in results]), strict=True)
    rows = [
        [
            label,
            _text(result.online_ndcg, 1),
            _text(result.final_ndcg, 4),
            f"{result.impressions_per_second:,.0f}",
            *([_text(result.dynamic_regret, 0)] if hasattr(result, "dynamic_regret") else []),
        ]
        for result, label in sorted(labelled, key=lambda pair: -pair[0].online_ndcg.mean)
    ]
    first = results[0]
    columns = ["learner", "online NDCG", "final NDCG@10", "impressions/s", "dynamic regret"][: len(rows[0])]
    speed = "one core" if first.engine == "cpu" else "one GPU"
    notes = [
        f"{len(first.final)} runs of {first.impressions:,} impressions, ± 95 %; speed: {speed}",
        *(f"{name}: {text}" for name, text in first.conventions.items()),
    ]
    return Table(columns, rows, notes)


def _text(found: Interval, digits: int) -> str:
    limits = f" ± {found.high - found.mean:.{digits}f}" if np.isfinite(found.high) else ""
    return f"{found.mean:.{digits}f}{limits}"


def learning_chart(results: Sequence[Learning], title: str, linear: bool | None = None) -> Lines:
    """Offline NDCG and discounted online NDCG over time, with 95 % bands; a linear axis where wishes change."""

    labels = tell_apart([result.spec for result in results])

    def lines(curve: str) -> list[Series]:
        found = [interval(getattr(result, curve)) for result in results]
        bands = [(i.low, i.high) if np.isfinite(i.low).all() else () for i in found]
        return [
            Series(label, result.checkpoints, i.mean, *band)
            for label, result, i, band in zip(labels, results, found, bands, strict=True)
        ]

    panels = [
        Panel("NDCG@10 on test queries", lines("final"), least=0.0, most=1.0),
        Panel("sum of NDCG shown, discounted", lines("online"), least=0.0),
    ]
    first = results[0]
    linear = bool(first.changes) if linear is None else linear
    runs = len(first.final)
    bands = f"mean of {runs} runs, bands: its 95 % interval" if runs > 1 else "one run"
    return Lines(panels, "impressions", f"{title}: {bands}", not linear, first.changes)
