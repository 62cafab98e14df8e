"""Rankers side by side on the same test queries, with paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.parameters import meant
from duelist.core.spec import Spec
from duelist.data import Fold
from duelist.evidence import wilcoxon_test
from duelist.offline.rankers import RANKERS, Fitted, fit_best
from duelist.present.tables import Table


class PairedTest(NamedTuple):
    """The first ranker against another, query by query."""

    first: str
    second: str
    measure: str
    difference: float  # mean of first - second
    wins: int
    ties: int
    losses: int
    p_value: float  # of the two-sided Wilcoxon signed rank test, as in the thesis


def compare(
    names: Sequence[str],
    folds: Sequence[Fold],
    grid: Mapping[str, Sequence[Any]] | None = None,
    measure: str = "map",
) -> tuple[list[list[Fitted]], list[PairedTest]]:
    """Train every ranker on every fold, and compare the first with each of the others on all test queries.

    A parameter of the grid is for all rankers that have it.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=60, documents=10, features=5, seed=1)
    >>> fold = Fold(*(pages.select(range(start, start + 20)) for start in (0, 20, 40)))
    >>> _, found = compare(["svm-map", "svm-acc"], [fold])
    >>> found[0].second, found[0].wins + found[0].ties + found[0].losses
    ('svm-acc', 20)
    """
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise BadInput(f"compare needs two or more different rankers, not {', '.join(names) or 'none'}")
    grids = _share(names, grid or {})
    fitted = [[fit_best(name, fold, own, measure) for fold in folds] for name, own in zip(names, grids, strict=True)]
    values = [np.concatenate([part.values[measure] for part in parts]) for parts in fitted]
    found = []
    for name, other in zip(names[1:], values[1:], strict=True):
        deltas = values[0] - other
        wins, losses = int((deltas > 0).sum()), int((deltas < 0).sum())
        ties, p_value = len(deltas) - wins - losses, wilcoxon_test(deltas).p_value
        found.append(PairedTest(names[0], name, measure, float(deltas.mean()), wins, ties, losses, p_value))
    return fitted, found


def _share(names: Sequence[str], grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Sequence[Any]]]:
    """The part of the grid that each ranker has."""
    specs = [Spec.read("ranker", name).check() for name in names]
    known = [RANKERS.parameters(spec.name).keys() - spec.parameters.keys() for spec in specs]
    for parameter in grid:
        if not any(parameter in own for own in known):
            hint = meant(parameter, set().union(*known))
            raise BadInput(f"none of {', '.join(names)} has a parameter {parameter!r} to choose{hint}")
    return [{name: values for name, values in grid.items() if name in own} for own in known]


def mean_metrics(parts: Sequence[Fitted]) -> dict[str, float]:
    """The mean over folds of each metric."""
    return {name: float(np.mean([part.metrics[name] for part in parts])) for name in parts[0].metrics}


def format_comparison(fitted: Sequence[Sequence[Fitted]], found: Sequence[PairedTest]) -> str:
    """Two tables: the metrics of each ranker, and the first against each other one."""
    measures = list(fitted[0][0].metrics)
    metrics = [
        [parts[0].name, *(f"{value:.4f}" for value in mean_metrics(parts).values()), _chosen(parts)] for parts in fitted
    ]
    tests = [
        [row.second, f"{row.difference:+.4f}", f"{row.wins}/{row.ties}/{row.losses}", f"{row.p_value:.3f}"]
        for row in found
    ]
    head = f"{found[0].first} against, by {found[0].measure}"
    return "\n\n".join(
        [
            str(Table(["ranker", *measures, "chosen"], metrics)),
            str(Table([head, "difference", "win/tie/loss", "Wilcoxon p"], tests)),
        ]
    )


def _chosen(parts: Sequence[Fitted]) -> str:
    """The parameter that was searched for, fold by fold, what has learned nothing, and choices without an end."""
    costs = ",".join(f"{part.parameters['C']:g}" for part in parts if "C" in part.parameters)
    untrained = sum(not part.ranker.trained_ for part in parts)
    left_out = sum(len(part.left_out) for part in parts)
    notes = [("C=", costs), ("untrained: ", untrained), ("left out: ", left_out)]
    return ", ".join(f"{text}{value}" for text, value in notes if value)
