"""duelist sweep and duelist tune: a plan of many cells, and a search for parameters."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from duelist.sweeps import Cell, Done, Folder

PlanFile = Annotated[Path, typer.Argument(help="The plan, a TOML file; docs/sweeps.md says what is in one.")]
Out = Annotated[Path | None, typer.Option(help="The folder of the results; the plan's name without .toml by default.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on in a folder that has results: what is there is not run.")]
EngineName = Annotated[
    str | None, typer.Option(help="local: all cores; dask: a cluster; cuda: the GPUs of this machine.")
]
Scheduler = Annotated[str | None, typer.Option(help="The address of a Dask scheduler, such as tcp://10.0.0.1:8786.")]
Workers = Annotated[int | None, typer.Option(help="How many processes; one a core by default.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def sweep_command(
    plan: PlanFile,
    engine: EngineName = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    out: Out = None,
    resume: Resume = False,
    check: Annotated[bool, typer.Option("--check", help="Check the plan, say what it would run, and stop.")] = False,
    measure: Annotated[str | None, typer.Option(help="What is shown: strong, final_ndcg, ...; the first one.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Save a chart: .png, .svg or .pdf.")] = None,
    by: Annotated[str | None, typer.Option(help="With --chart: against a parameter or horizon, not over time.")] = None,
    save: Annotated[Path | None, typer.Option(help="Save all rows as one file: .csv or .parquet.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run all cells of a plan, in any number of processes or on a cluster; it can be stopped and resumed."""
    from duelist.present.charts import check_chart_path
    from duelist.present.frames import check_rows_path
    from duelist.present.tables import show
    from duelist.sweeps import Plan, Sweep, open_engine, run_cells

    if chart:
        check_chart_path(chart)
    if save:
        check_rows_path(save)
    wanted = Plan.read(plan)
    wanted = wanted.with_engine("cuda") if engine == "cuda" else wanted
    if check:
        print(f"{len(wanted.cells):,} cells, {wanted.runs:,} runs")
        return
    name = engine or ("dask" if scheduler else wanted.workers)
    kept = open_folder(out or Path(plan.stem), wanted.cells, resume)
    with open_engine(name, scheduler, workers) as opened, stoppable(kept):
        aside = run_cells(wanted.cells, kept, opened, label=wanted.name)
    if any(kept.done()):
        found = Sweep.of(kept)
        if save:
            found.save(save)
        if chart:
            found.chart(measure, by).draw(chart)
        if as_json:
            print(json.dumps(found.summary(measure), indent=2))
        else:
            show(found.table(measure), f"{wanted.name}: results in {kept.path}")
    report_aside(aside)


def tune_command(
    plan: PlanFile,
    trials: Annotated[int | None, typer.Option(help="How many settings to try; what the plan says, or 40.")] = None,
    engine: EngineName = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    out: Out = None,
    resume: Resume = False,
    chart: Annotated[Path | None, typer.Option(help="Save a chart of the trials: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> None:
    """Search for parameters with the least regret or the best NDCG, as a plan's [search] says."""
    from duelist.present.charts import check_chart_path
    from duelist.present.tables import show
    from duelist.sweeps import Folder, Plan, open_engine, tune

    path = check_chart_path(chart) if chart else None
    wanted = Plan.read(plan)
    wanted = wanted.with_engine("cuda") if engine == "cuda" else wanted
    name = engine or ("dask" if scheduler else wanted.workers)
    kept = open_folder(out or Path(plan.stem), wanted.cells, resume)
    with open_engine(name, scheduler, workers) as opened, stoppable(kept):
        found = tune(wanted, lambda cells: Folder(kept.path, cells), opened, trials)
    if found.trials:
        if path:
            found.chart.draw(path)
        if as_json:
            print(json.dumps(found.summary(), indent=2))
        else:
            show(found.table, f"best: {found.best}")
    report_aside(found.aside)


def open_folder(path: Path, cells: Sequence[Cell], resume: bool) -> Folder:
    """Where results go; results that are there already are continued only if that is wanted."""
    from duelist.core.errors import BadInput
    from duelist.sweeps import Folder

    if path.is_file():
        raise BadInput(f"results go to a folder, and {str(path)!r} is a file; --out names another")
    kept = Folder(path, cells)
    if kept.found and not resume:
        raise BadInput(f"{str(path)!r} has results: --resume goes on with them, --out names another folder")
    return kept


@contextmanager
def stoppable(kept: Folder) -> Iterator[None]:
    """Ctrl-C keeps what is finished, and says how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"stopped; what is finished is in {kept.path}, and --resume goes on", file=sys.stderr)
        raise typer.Exit(130) from None


def report_aside(aside: Sequence[Done]) -> None:
    """What was set aside, by name; the exit status says so too."""
    for done in aside:
        for part in done.task:
            print(f"set aside: {part}: {done.trouble}", file=sys.stderr)
    if aside:
        raise typer.Exit(1)
