"""duelist compare: rankers on the same queries, with paired tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def compare_command(
    rankers: Annotated[
        list[str], typer.Argument(help="Rankers, also svm-ndcg:k=5; the first is compared with each of the others.")
    ],
    train: Annotated[Path | None, typer.Option(help="Labelled documents to learn from (.txt, .txt.gz).")] = None,
    vali: Annotated[Path | None, typer.Option(help="Those to choose parameters by.")] = None,
    test: Annotated[Path | None, typer.Option(help="Those to measure on.")] = None,
    data: Annotated[
        str | None,
        typer.Option(help="Instead of the three: a directory with S1 to S5, or ...; or synthetic:queries=200,seed=1."),
    ] = None,
    fold: Annotated[
        list[int] | None, typer.Option(help="A fold of --data; test queries of several are put together.")
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE,...", help="Values to try; by default C=0.01,0.1,...,1000 for SVMs."),
    ] = None,
    measure: Annotated[str, typer.Option(help="What to choose parameters by, and to test for.")] = "map",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train several rankers; report metrics, wins, ties and losses by query, and Wilcoxon tests."""
    from duelist.cli.specs import read_values
    from duelist.offline.comparison import compare, format_comparison
    from duelist.offline.files import load_folds

    folds = load_folds(train, vali, test, data, fold or [])
    fitted, found = compare(rankers, folds, read_values(grid or []), measure)
    if as_json:
        summaries = [[part.summary() for part in parts] for parts in fitted]
        rows = [row._asdict() for row in found]
        print(json.dumps({"rankers": summaries, "comparisons": rows}, indent=2))
    else:
        print(format_comparison(fitted, found))
