"""duelist learn: online learning to rank from simulated clicks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def learn_command(
    learners: Annotated[
        list[str] | None,
        typer.Argument(help="Learners, or module:Class; tally is the one to begin with. None: the list."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="A directory with S1 to S5, or train, vali and test files (.txt, .txt.gz).")
    ] = None,
    fold: Annotated[list[int] | None, typer.Option(help="The fold; several are run one after the other.")] = None,
    clicks: Annotated[
        str, typer.Option(help="perfect, navigational, informational or almost-random.")
    ] = "navigational",
    stop: Annotated[
        str, typer.Option(help="Users decide to stop after a click, or after any examined document.")
    ] = "click",
    drift: Annotated[
        str | None,
        typer.Option(help="Wishes that change: abrupt:times=3000+6000,seed=1, or smooth:turns=1,seed=1."),
    ] = None,
    impressions: Annotated[int, typer.Option(help="Impressions in a run.")] = 10_000,
    runs: Annotated[int, typer.Option(help="Independent runs of each fold.")] = 5,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter, or LEARNER.NAME=VALUE for one of several."),
    ] = None,
    chart: Annotated[Path | None, typer.Option(help="Save learning curves: .png, .svg or .pdf.")] = None,
    cores: Annotated[int | None, typer.Option(help="How many cores to use; all by default.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: one object, or a list for several learners.")
    ] = False,
) -> None:
    """Let learners learn from simulated users of a data set, and show what they showed and learnt."""
    from duelist.cli.output import parse_settings
    from duelist.core.errors import BadInput
    from duelist.data import read_fold
    from duelist.online.learner import LEARNERS, list_learners
    from duelist.online.result import format_learning, learning_chart
    from duelist.online.simulate import learn_folds
    from duelist.present.charts import check_chart_path

    if not learners:
        print(list_learners())
        return
    if data is None:
        raise BadInput("--data is missing: a directory with S1 to S5, or train, vali and test files")
    path = check_chart_path(chart) if chart else None
    learners = list(dict.fromkeys(learners))
    settings = parse_settings(learners, setting or [], LEARNERS)
    folds = {number: read_fold(data, number) for number in dict.fromkeys(fold or [1])}
    shared = {"clicks": clicks, "impressions": impressions, "runs": runs, "stop": stop, "drift": drift, "cores": cores}
    results = [learn_folds(name, folds, seed, parameters=settings[name], **shared) for name in learners]
    if path:
        learning_chart(results, f"{data.name}, {clicks} clicks").draw(path)
    if as_json:
        summaries = [result.summary() for result in results]
        print(json.dumps(summaries if len(summaries) > 1 else summaries[0], indent=2))
    else:
        where = f"{data.name}, fold {', '.join(map(str, folds))}"
        print(f"{where}, {clicks} clicks\n\n{format_learning(results)}")
        if path:
            print(f"\nchart saved to {path}")
