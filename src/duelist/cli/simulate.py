"""duelist simulate: the regret of one or several policies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def simulate_command(
    policies: Annotated[
        list[str],
        typer.Argument(
            help="One or more policies: names from `duelist policies`, or module:Class; also rucb:alpha=0.6 and so on."
        ),
    ],
    matrix: Annotated[
        str, typer.Option(help="A matrix file, or an instance: arxiv, worst-case:arms=50,epsilon=0.1, ...")
    ],
    horizon: Annotated[int, typer.Option(help="Duels in a run.")] = 100_000,
    runs: Annotated[int, typer.Option(help="Independent runs.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter, or POLICY.NAME=VALUE for one of several; NAME=VALUE,VALUE,... runs with each value.",
        ),
    ] = None,
    view: Annotated[str, typer.Option(help="The regret that sorts the table and is drawn.")] = "strong",
    chart: Annotated[Path | None, typer.Option(help="Save a chart: .png, .svg or .pdf.")] = None,
    linear: Annotated[
        bool | None,
        typer.Option("--linear/--logarithmic", help="Axes of the chart; linear where the environment changes."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Save all runs: .npz, .csv or .parquet; several policies also to a folder, each as .npz."),
    ] = None,
    engine: Annotated[str, typer.Option(help="cpu: all cores; cuda: one GPU, a run a thread.")] = "cpu",
    cores: Annotated[int | None, typer.Option(help="How many cores to use; all by default.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: one object, or a list for several policies.")
    ] = False,
    curves: Annotated[bool, typer.Option("--curves", help="With --json: the curves too, not the end alone.")] = False,
) -> None:
    """Run policies against a matrix many times and show their regret."""
    from duelist.cli.output import print_summaries
    from duelist.cli.results import prepare_outputs, print_results, save_results
    from duelist.cli.specs import read_specs
    from duelist.core.errors import BadInput
    from duelist.dueling.environments import load_environment
    from duelist.dueling.result import plot
    from duelist.dueling.simulate import simulate

    if curves and not as_json:
        raise BadInput("--curves needs --json")
    environment = load_environment(matrix)
    specs = read_specs("policy", policies, setting or [])
    prepare_outputs(chart, save, len(specs), view, environment)
    results = [simulate(spec, environment, horizon, runs, seed, engine=engine, cores=cores) for spec in specs]
    if save is not None:
        save_results(results, save)
    if chart is not None:
        plot(results, chart, view, linear)
    if as_json:
        print_summaries(results, curves)
    else:
        print_results(results, view)
        if chart is not None:
            print(f"\nchart saved to {chart}")
