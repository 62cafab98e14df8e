"""duelist learn: online learning to rank from simulated clicks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from duelist.online.result import Learning


def learn_command(
    learners: Annotated[
        list[str] | None,
        typer.Argument(help="Learners, or module:Class; also pdgd:rate=1. Begin with tally. None: the list."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="A directory with S1 to S5, or train, vali and test files; or synthetic:queries=200,seed=1."),
    ] = None,
    fold: Annotated[list[int] | None, typer.Option(help="The fold; several are run one after the other.")] = None,
    clicks: Annotated[
        str,
        typer.Option(help="perfect, navigational, informational, almost-random, or cascade:click=0+.5+1,stop=0+.2+.4."),
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
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter, or LEARNER.NAME=VALUE for one of several; NAME=VALUE,VALUE,... learns with each value.",
        ),
    ] = None,
    chart: Annotated[Path | None, typer.Option(help="Save learning curves: .png, .svg or .pdf.")] = None,
    engine: Annotated[str, typer.Option(help="cpu: all cores; cuda: one GPU, a run a thread.")] = "cpu",
    cores: Annotated[int | None, typer.Option(help="How many cores to use; all by default.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: one object, or a list for several learners.")
    ] = False,
    curves: Annotated[bool, typer.Option("--curves", help="With --json: the curves too, not the end alone.")] = False,
) -> None:
    """Let learners learn from simulated users of a data set, and show what they showed and learnt."""
    from duelist.cli.specs import read_specs
    from duelist.core.errors import BadInput
    from duelist.data.load import describe_data, load_fold
    from duelist.online.learner import list_learners
    from duelist.online.simulate import learn_folds
    from duelist.present.charts import check_chart_path

    if not learners:
        print(list_learners())
        return
    if data is None:
        raise BadInput("--data is missing: a directory with S1 to S5, or train, vali and test files; or synthetic")
    if curves and not as_json:
        raise BadInput("--curves needs --json")
    path = check_chart_path(chart) if chart else None
    specs = read_specs("learner", learners, setting or [])
    folds = {number: load_fold(data, number) for number in dict.fromkeys(fold or [1])}
    shared = {"clicks": clicks, "impressions": impressions, "runs": runs, "stop": stop, "drift": drift}
    results = [learn_folds(spec, folds, seed, **shared, engine=engine, cores=cores) for spec in specs]
    print_learning(results, path, as_json, curves, f"{describe_data(data)}, fold {', '.join(map(str, folds))}", clicks)


def print_learning(
    results: Sequence[Learning], chart: Path | None, as_json: bool, curves: bool, where: str, clicks: str
) -> None:
    """What was shown and learnt: a table or JSON, and the chart if one is asked for."""
    from duelist.cli.output import print_summaries
    from duelist.online.result import learning_chart, learning_table
    from duelist.present.tables import show

    if chart:
        learning_chart(results, f"{where}, {clicks} clicks").draw(chart)
    if as_json:
        print_summaries(results, curves)
        return
    show(f"{where}, {clicks} clicks", learning_table(results))
    if chart:
        print(f"\nchart saved to {chart}")
