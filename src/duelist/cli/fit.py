"""duelist fit: train a ranker on labelled data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def fit_command(
    ranker: Annotated[str | None, typer.Argument(help="A ranker, such as svm-ndcg:k=5; without one, the list.")] = None,
    train: Annotated[Path | None, typer.Option(help="Labelled documents to learn from (.txt, .txt.gz).")] = None,
    vali: Annotated[Path | None, typer.Option(help="Those to choose parameters by.")] = None,
    test: Annotated[Path | None, typer.Option(help="Those to measure on.")] = None,
    data: Annotated[
        str | None,
        typer.Option(help="Instead of the three: a directory with S1 to S5, or ...; or synthetic:queries=200,seed=1."),
    ] = None,
    fold: Annotated[int | None, typer.Option(help="The fold of --data; 1 by default.")] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE,...", help="Values to try; by default C=0.01,0.1,...,1000 for SVMs."),
    ] = None,
    measure: Annotated[str, typer.Option(help="What to choose parameters by, on the validation set.")] = "map",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train a ranker, choose its parameters on the validation set and measure it on the test set."""
    from duelist.cli.specs import read_values
    from duelist.offline.files import load_folds
    from duelist.offline.rankers import RANKERS, fit_best
    from duelist.present.tables import Table

    if ranker is None:
        for name in RANKERS:
            kind, fixed = RANKERS.entry(name)
            chosen = f" ({', '.join(f'{key}={value}' for key, value in fixed.items())})" if fixed else ""
            print(f"{name:<18} {(kind.__doc__ or '').strip().splitlines()[0]}{chosen}")
        return
    folds = load_folds(train, vali, test, data, [] if fold is None else [fold])
    found = fit_best(ranker, folds[0], read_values(grid or []), measure).summary()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    chosen = ", ".join(f"{name}={value}" for name, value in found["parameters"].items())
    print(f"{ranker}: {chosen}\n")
    print(Table(["measure", "test"], [[name, f"{value:.4f}"] for name, value in found["metrics"].items()]))
    if not found["trained"]:
        print("\nuntrained: every document has the same score, and the figures are those of the order in the file")
    if found["gap"] is not None:
        print(f"\nprimal {found['primal']:.6g}, dual {found['dual']:.6g}, gap {found['gap']:.2g}")
    print(f"{found['seconds']:.3f} seconds for the fit that was chosen")
    for sentence in found["left_out"]:
        print(f"left out: {sentence}")
