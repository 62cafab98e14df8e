"""What is done with the results of simulated policies: shown, saved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from duelist.cli.output import labels_of
from duelist.core.errors import BadInput
from duelist.dueling.environment import Environment
from duelist.dueling.result import SAVED, Result, results_table, views_of
from duelist.present.charts import check_chart_path
from duelist.present.frames import ENDINGS, check_rows_path, join_columns, write_rows
from duelist.present.tables import show


def prepare_outputs(chart: Path | None, save: Path | None, n_results: int, view: str, environment: Environment) -> None:
    """Find out before a long run that its outputs can be made."""
    if view not in (views := views_of(environment.sums)):
        raise BadInput(f"{environment.describe()} has no regret view {view!r}; it has {', '.join(views)}")
    if chart is not None:
        check_chart_path(chart)
    if save is not None:
        _prepare_saving(save, n_results)


def _prepare_saving(path: Path, n_results: int) -> None:
    """Results go to a file whose ending says how; several also to a folder, which is made."""
    if path.is_dir() and n_results == 1:
        raise BadInput(f"one result is saved to a file, but {str(path)!r} is a folder")
    if not path.parent.is_dir():
        raise BadInput(f"there is no folder {str(path.parent)!r} to save in")
    if n_results == 1 or path.suffix:
        check_rows_path(path, SAVED if n_results == 1 else ENDINGS)
    elif path.exists() and not path.is_dir():
        raise BadInput(f"several results are saved to a folder, or to one file of {', '.join(ENDINGS)}, not to {path}")
    else:
        path.mkdir(exist_ok=True)


def save_results(results: Sequence[Result], path: Path) -> None:
    """One result to a file; several to one file with a column that tells them apart, or to a folder of files."""
    labels = labels_of(results)
    if len(results) == 1:
        results[0].save(path)
    elif path.suffix:
        parts = [{"label": np.full(r.hits.size, x), **r.columns()} for r, x in zip(results, labels, strict=True)]
        write_rows(join_columns(parts), path)
    else:
        for result, label in zip(results, labels, strict=True):
            file = re.sub(r"[^\w.,=+-]", ",", label)  # some systems allow no colons
            result.save(path / f"{file}.npz")


def print_results(results: Sequence[Result], view: str = "strong") -> None:
    """A table with a row a policy, the lowest regret first."""
    first = results[0]
    runs = f"{first.environment}: {first.runs} runs of {first.horizon:,} duels, seed {first.seed}"
    show(runs, results_table(results, view))
