"""duelist reproduce: the papers' tables and figures, made again."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer


def reproduce_command(
    name: Annotated[
        str | None, typer.Argument(help="Which one, or module:NAME of your own; without it, the list.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, for a minute on a laptop.")] = False,
    data: Annotated[Path | None, typer.Option(help="The data folder, for those that need it; or DUELIST_DATA.")] = None,
    engine: Annotated[str, typer.Option(help="Of simulated policies: cpu, or cuda for a GPU.")] = "cpu",
    workers: Annotated[int | None, typer.Option(help="Run cells in so many processes; else all cores here.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Run cells on the Dask cluster of this address.")] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep cells in a folder; what is there is not run again.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Where to save the chart; NAME.png by default.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when not all agree.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Reproduce a table or figure of a paper: what it says, ours, whether they agree, and a chart."""
    from duelist.cli.entries import print_entry
    from duelist.reproductions import CATALOGUE, find

    if name is None:
        for each, entry in CATALOGUE.items():
            print_entry(each, entry.source + (f" (needs duelist[{entry.missing}])" if entry.missing else ""))
        return
    reproduction = find(name)

    from duelist.core.errors import MissingExtra
    from duelist.present.charts import check_chart_path
    from duelist.present.tables import show
    from duelist.reproductions.reproduction import Setting
    from duelist.sweeps import open_engine

    path = check_chart_path(chart or Path(f"{reproduction.name}.png"))
    with ExitStack() as stack:
        where = "dask" if scheduler else None if workers is None else "local"
        hired = stack.enter_context(open_engine(where, scheduler, workers)) if where else None
        report = reproduction.run_watched(Setting(quick, data, engine, workers=hired, keep=keep))
    try:
        report.chart.draw(path)
        drawn = f"chart saved to {path}"
    except MissingExtra as error:
        drawn = f"no chart: {error}"
    if as_json:
        print(json.dumps(reproduction.summary(report), indent=2))
    else:
        show(reproduction.source, report.table, f"{report.verdict}; {drawn}\n{reproduction.missing}")
    if strict and not report.agrees:
        raise typer.Exit(1)
