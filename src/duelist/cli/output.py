"""What commands share when they have results."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.named import tell_apart
from duelist.dueling.environment import Environment
from duelist.dueling.result import Result, views_of
from duelist.present.charts import check_chart_path
from duelist.present.tables import Table


def labels_of(results: Sequence[Any]) -> list[str]:
    """A text for each result that tells its policy or learner apart from the others."""
    return tell_apart([result.spec for result in results])


def print_summaries(results: Sequence[Any]) -> None:
    """The results as JSON, each with its label."""
    print_json([{"label": label, **r.summary()} for label, r in zip(labels_of(results), results, strict=True)])


def print_json(summaries: Sequence[dict[str, Any]]) -> None:
    """One object, or a list of several."""
    print(json.dumps(summaries if len(summaries) > 1 else summaries[0], indent=2))


def prepare_outputs(chart: Path | None, save: Path | None, n_results: int, view: str, environment: Environment) -> None:
    """Find out before a long run that its outputs can be made."""
    if view not in (views := views_of(environment.sums)):
        raise BadInput(f"{environment.describe()} has no regret view {view!r}; it has {', '.join(views)}")
    if chart is not None:
        check_chart_path(chart)
    if save is not None:
        folder = save if n_results > 1 else save.parent
        if n_results > 1 and folder.parent.is_dir() and not folder.exists():
            folder.mkdir()
        if not folder.is_dir():
            raise BadInput(f"there is no folder {str(folder)!r} to save in")
        if n_results == 1 and save.is_dir():
            raise BadInput(f"one result is saved to a file, but {str(save)!r} is a folder")


def save_results(results: Sequence[Result], path: Path) -> None:
    """One result to a file, several to a folder, each called by what tells it apart."""
    for result, label in zip(results, labels_of(results), strict=True):
        file = re.sub(r"[^\w.,=+-]", ",", label)  # some systems allow no colons
        result.save(path if len(results) == 1 else path / f"{file}.npz")


def print_results(results: Sequence[Result]) -> None:
    """A table with a row a policy, the lowest strong regret first."""
    first = results[0]
    views = [view for view in first.sums if view != "strong"]  # the others follow from these
    rows, labelled = [], zip(results, labels_of(results), strict=True)
    for result, label in sorted(labelled, key=lambda pair: float(pair[0].regret().mean)):
        mean, _, high = result.regret()
        strong = f"{mean:.0f} ± {high - mean:.0f}" if result.runs > 1 else f"{mean:.0f}"
        others = [f"{result.regret(view).mean:.0f}" for view in views]
        shares = [f"{result.accuracy[-1]:.0%}", f"{result.best_arm_rate:.0%}"]
        rows.append([label, strong, *others, *shares, f"{result.steps_per_second / 1e6:.1f}"])
    print(f"{first.environment}: {first.runs} runs of {first.horizon:,} duels, seed {first.seed}\n")
    print(Table(["policy", "strong", *views, "accuracy", "found", "M duels/s"], rows))
    print(f"\nstrong, {', '.join(views)}: cumulative regret, mean of the runs, ± 95 %")
    print("accuracy: both arms of the last duel were the best; found: best() was right; speed: one core")
