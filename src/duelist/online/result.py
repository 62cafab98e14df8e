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
from duelist.present.tables import Table


@dataclass(frozen=True)
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

    def summary(self) -> dict[str, Any]:
        """What `duelist learn --json` prints."""
        return {
            "learner": self.learner,
            "parameters": self.parameters,
            "clicks": self.clicks,
            "impressions": self.impressions,
            "runs": len(self.final),
            "seed": self.seed,
            "final_ndcg": _numbers(self.final_ndcg),
            "online_ndcg": _numbers(self.online_ndcg),
            "impressions_per_second": self.impressions_per_second,
            "conventions": self.conventions,
        }


def _numbers(found: Interval) -> dict[str, float | None]:
    return {n: float(v) if np.isfinite(v) else None for n, v in found._asdict().items()}


def join_folds(parts: Sequence[Learning], seed: int) -> Learning:
    """The runs of several folds as one result."""
    curves = [name for name in ("final", "online", "lost") if hasattr(parts[0], name)]
    joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in curves}
    speed = len(parts) / sum(1 / part.impressions_per_second for part in parts)
    return replace(parts[0], seed=seed, impressions_per_second=speed, **joined)


def format_learning(results: Sequence[Learning]) -> str:
    """A line a learner, and how the numbers are to be read."""
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
    notes = [
        f"{len(first.final)} runs of {first.impressions:,} impressions, ± 95 %; speed: one core",
        *(f"{name}: {text}" for name, text in first.conventions.items()),
    ]
    return str(Table(columns, rows, notes))


def _text(found: Interval, digits: int) -> str:
    limits = f" ± {found.high - found.mean:.{digits}f}" if np.isfinite(found.high) else ""
    return f"{found.mean:.{digits}f}{limits}"


def learning_chart(results: Sequence[Learning], title: str) -> Lines:
    """Offline NDCG and discounted online NDCG over time, with 95 % bands."""

    labels = tell_apart([result.spec for result in results])

    def lines(curve: str) -> list[Series]:
        found = [interval(getattr(result, curve)) for result in results]
        bands = [(i.low, i.high) if np.isfinite(i.low).all() else () for i in found]
        return [
            Series(label, result.checkpoints, i.mean, *band)
            for label, result, i, band in zip(labels, results, found, bands, strict=True)
        ]

    panels = [
        Panel("NDCG@10 on test queries", lines("final")),
        Panel("sum of NDCG shown, discounted", lines("online")),
    ]
    return Lines(panels, "impressions", title)
