"""duelist bench: speed, as ratios in one run and with regret beside it."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="Measure speed, with regret beside it.", no_args_is_help=True)


def _show(rows: Any, as_json: bool, table: Callable[[Any], Any]) -> None:
    print(json.dumps(rows, indent=2) if as_json else table(rows))


@app.callback()
def bench() -> None:
    """Measure speed, with regret beside it."""


@app.command("policies")
def policies_command(
    names: Annotated[list[str] | None, typer.Argument(help="Policies to measure; all by default.")] = None,
    runs: Annotated[int, typer.Option(help="Runs of 100,000 duels a cell.")] = 20,
    duelpy: Annotated[str | None, typer.Option(help="A Python interpreter that has duelpy, to measure beside.")] = None,
    engine: Annotated[str, typer.Option(help="cpu, or cuda for a GPU.")] = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Duels a second on one core, and strong regret, at 6, 16 and 64 arms."""
    from duelist.bench.policies import bench_policies, policies_table

    rows = bench_policies(names, runs, duelpy, engine)
    _show(rows, as_json, policies_table)


@app.command("figures")
def figures_command(
    runs: Annotated[int, typer.Option(help="Runs a regret figure.")] = 1000,
    ratio_runs: Annotated[
        int, typer.Option(help="Runs a ratio of thesis Figures 5.1 and 5.2; 0 leaves them out.")
    ] = 100,
    engine: Annotated[str, typer.Option(help="cpu, or cuda for a GPU.")] = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Regret against independent implementations; about 15 minutes on two cores."""
    from duelist.bench.figures import bench_figures, figures_table

    rows = bench_figures(runs, ratio_runs, engine)
    print(json.dumps([row.summary() for row in rows], indent=2) if as_json else figures_table(rows))


@app.command("interleaving")
def interleaving_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Lists and credits a second, one by one and in batches."""
    from duelist.bench.interleaving import bench_interleaving, interleaving_table

    rows = bench_interleaving()
    _show(rows, as_json, interleaving_table)


@app.command("logs")
def logs_command(
    formats: Annotated[
        list[str] | None, typer.Argument(help="jsonl, csv, parquet, journal and ubi.jsonl; all by default.")
    ] = None,
    impressions: Annotated[int, typer.Option(help="Impressions of the log, which is made up.")] = 1_000_000,
    shape: Annotated[
        list[str] | None,
        typer.Option(
            help="Rows with dates, names, labels, ids, actions, values, letters, credit or all; plain ones by default."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Seconds and memory that analyze takes for a large log."""
    from duelist.bench.logs import FORMATS, bench_logs, logs_table

    rows = bench_logs(impressions, formats or FORMATS, shape or ("plain",))
    _show(rows, as_json, logs_table)


@app.command("learners")
def learners_command(
    names: Annotated[list[str] | None, typer.Argument(help="Learners to measure; all by default.")] = None,
    runs: Annotated[int, typer.Option(help="Runs a learner; the best speed counts.")] = 5,
    data: Annotated[Path | None, typer.Option(help="The data folder with mq2008; or DUELIST_DATA.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Impressions a second on one core, and what was shown and learnt."""
    from duelist.bench.learners import bench_learners, learners_table

    rows = bench_learners(names, runs, data)
    _show(rows, as_json, learners_table)


@app.command("rankers")
def rankers_command(
    runs: Annotated[int, typer.Option(help="The best time of so many counts.")] = 5,
    data: Annotated[
        Path | None, typer.Option(help="A directory with S1 to S5 or train, vali and test; else synthetic.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Seconds to fit offline rankers, beside other packages where they are installed."""
    from duelist.bench.rankers import bench_rankers, rankers_table

    rows = bench_rankers(runs, data)
    _show(rows, as_json, rankers_table)


@app.command("metrics")
def metrics_command(
    runs: Annotated[int, typer.Option(help="The best time of so many counts.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """NDCG@10 and MAP of 10,000 queries, beside dense numpy, and ranx where it is installed."""
    from duelist.bench.metrics import bench_metrics, metrics_table

    rows = bench_metrics(runs)
    _show(rows, as_json, metrics_table)


@app.command("boards")
def boards_command(
    duels: Annotated[int, typer.Option(help="How many duels are ranked.")] = 1_000_000,
    arms: Annotated[int, typer.Option(help="Of how many arms.")] = 300,
    peers: Annotated[str | None, typer.Option(help="A Python that has evalica, choix or arena-rank, beside.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Seconds from duels to strengths, and whether other libraries find the same ones."""
    from duelist.bench.boards import bench_boards, boards_table

    rows = bench_boards(duels, arms, peers)
    print(json.dumps([row._asdict() for row in rows], indent=2) if as_json else boards_table(rows))


@app.command("certain")
def certain_command(
    questions: Annotated[list[str] | None, typer.Argument(help="best, 'top three' or order; all by default.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Runs a policy and instance; at most 100 of duelpy's.")] = 200,
    duelpy: Annotated[str | None, typer.Option(help="A Python interpreter that has duelpy, to measure beside.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Duels until policies are certain by themselves, and how often they are right."""
    from duelist.bench.certain import QUESTIONS, bench_certain, certain_table

    rows = bench_certain(runs, duelpy, questions or QUESTIONS)
    print(json.dumps([row._asdict() for row in rows], indent=2) if as_json else certain_table(rows))


@app.command("budget")
def budget_command(
    runs: Annotated[int, typer.Option(min=1, help="Runs a policy and budget.")] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How often the best arm is named after a fixed number of duels."""
    from duelist.bench.budget import bench_budget, budget_table

    rows = bench_budget(runs)
    print(json.dumps([row._asdict() for row in rows], indent=2) if as_json else budget_table(rows))


@app.command("batches")
def batches_command(
    policies: Annotated[list[str] | None, typer.Argument(help="Policies to measure; all by default.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Runs a policy.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How many different pairs policies ask about in a batch of eight, and what that costs."""
    from duelist.bench.batches import batches_table, bench_batches

    rows = bench_batches(runs, policies or ())
    print(json.dumps([row._asdict() for row in rows], indent=2) if as_json else batches_table(rows))


@app.command("journals")
def journals_command(
    postgres: Annotated[str | None, typer.Option(help="postgresql://... of an empty database, to measure too.")] = None,
    nats: Annotated[str | None, typer.Option(help="nats://... of an empty journal, to measure too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """CPU time of an append, in batches of 1, 30 and 200, by the kind of journal."""
    from duelist.bench.journals import bench_journals, journals_table

    rows = bench_journals(postgres, nats)
    _show(rows, as_json, journals_table)


@app.command("writers")
def writers_command(
    seconds: Annotated[float, typer.Option(help="Of each row.")] = 4.0,
    journal: Annotated[
        list[str] | None, typer.Option(help="sqlite, postgres, nats; all that can be started here by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Events a second that a journal takes from one and from several processes, and what opening it costs."""
    from duelist.bench.writers import bench_writers, writers_table

    rows = bench_writers(seconds, journal)
    _show(rows, as_json, writers_table)


@app.command("auto")
def auto_command(
    instances: Annotated[
        list[str] | None, typer.Argument(help="Instances, or '64 rankers, perfect'; all that there are by default.")
    ] = None,
    horizon: Annotated[int, typer.Option(help="The longest horizon; the others are 1,000, 10,000, ...")] = 1_000_000,
    runs: Annotated[int, typer.Option(help="Runs a cell.")] = 10,
    chart: Annotated[Path | None, typer.Option(help="Save a chart of the ratios.")] = None,
    engine: Annotated[str, typer.Option(help="cpu, or cuda for a GPU.")] = "cpu",
    preferences: Annotated[Path | None, typer.Option(help="The folder with MSLR's matrices, to add.")] = None,
    keep: Annotated[Path | None, typer.Option(help="A file of what was measured, to go on from and add to.")] = None,
    seconds: Annotated[float, typer.Option(help="Begin nothing after so many.")] = math.inf,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Regret of `auto` against the best policy of every instance and horizon, 2 to 500 arms; an hour."""
    from duelist.bench.auto import INSTANCES, RANKERS, bench_auto, ratio_chart, ratio_table, regret_table
    from duelist.present.charts import check_chart_path

    path = check_chart_path(chart) if chart else None
    chosen = instances or [*INSTANCES, *(RANKERS if preferences else ())]
    grid = bench_auto(horizon, runs, chosen, engine, preferences, keep, time.time() + seconds)
    if path:
        ratio_chart(grid).draw(path)
    print(json.dumps(grid.rows(), indent=2) if as_json else f"{regret_table(grid)}\n\n{ratio_table(grid)}")


@app.command("drift")
def drift_command(
    runs: Annotated[int, typer.Option(min=2, help="Runs a policy and instance.")] = 40,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Regret of `watchful` where preferences change, beside the best window around D-TS; half an hour."""
    from duelist.bench.drift import bench_drift, drift_table

    rows = bench_drift(runs)
    print(json.dumps([row._asdict() for row in rows], indent=2) if as_json else drift_table(rows))


@app.command("service")
def service_command(
    seconds: Annotated[float, typer.Option(help="Of each kind of request.")] = 3.0,
    connections: Annotated[int, typer.Option(help="That ask at once.")] = 32,
    journal: Annotated[
        list[str] | None, typer.Option(help="sqlite, postgres, nats; all that can be started here by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """CPU a request of the service beside a bare echo, with how many a second and how long they wait."""
    from duelist.bench.service import bench_service, service_table

    rows = bench_service(seconds, connections, journal)
    _show(rows, as_json, service_table)


@app.command("restart")
def restart_command(
    events: Annotated[int, typer.Option(help="In the journal; ten million take 1.5 GB among the temporary files.")] = (
        10_000_000
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How long a start takes on a long journal, from a snapshot and from nothing."""
    from duelist.bench.restart import bench_restart, restart_table

    found = bench_restart(events)
    print(json.dumps(found.summary(), indent=2) if as_json else restart_table(found))


@app.command("crash")
def crash_command(
    rounds: Annotated[int, typer.Option(help="Kills of everything that is killed.")] = 50,
    journal: Annotated[str, typer.Option(help="sqlite, postgres or nats.")] = "sqlite",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """kill -9 of servers, PostgreSQL, NATS under load: nothing acknowledged is lost, and all comes back by itself."""
    from duelist.bench.crash import bench_crash, crash_table

    _show(bench_crash(rounds, journal), as_json, crash_table)


@app.command("soak")
def soak_command(
    minutes: Annotated[float, typer.Option(help="How long.")] = 30.0,
    connections: Annotated[int, typer.Option(help="That ask at once.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """A mixed load for a long time: memory minute by minute, and whether it is flat."""
    from duelist.bench.soak import bench_soak, is_flat, verdict

    rows = bench_soak(minutes, connections, partial(print, file=sys.stderr, flush=True))
    _show(rows, as_json, verdict)
    if not is_flat(rows):
        raise typer.Exit(1)


@app.command("commands")
def commands_command(
    page: Annotated[Path, typer.Argument(help="A page with commands, such as README.md.")] = Path("README.md"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """CPU seconds of every command of a page: the first time and when it was compiled before."""
    from duelist.bench.commands import bench_commands, commands_table

    rows = bench_commands(page)
    print(json.dumps([row._asdict() for row in rows], indent=2) if as_json else commands_table(rows))


@app.command("visitors")
def visitors_command(
    policy: Annotated[str, typer.Option(help="The policy of the experiment.")] = "d-ts",
    matrix: Annotated[str, typer.Option(help="Who is preferred to whom.")] = "arxiv",
    duels: Annotated[int, typer.Option(help="Lists shown in a run.")] = 10_000,
    runs: Annotated[int, typer.Option(help="Experiments.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Regret of a live experiment whose clicks come late, twice or never, beside the simulation."""
    from duelist.bench.visitors import bench_visitors, visitors_table

    _show(bench_visitors(policy, matrix, duels, runs), as_json, visitors_table)


@app.command("demo")
def demo_command(
    visitors: Annotated[int, typer.Option(help="Visitors a run.")] = 3_000,
    runs: Annotated[int, typer.Option(min=1, help="Seeds.")] = 20,
    taste: Annotated[str, typer.Option(help="What visitors look for: names or overviews.")] = "overviews",
    change_after: Annotated[int | None, typer.Option(min=1, help="Visitors until their taste changes.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Whether `duelist demo` finds the best ranker, seed by seed."""
    from duelist.bench.demo import bench_demo, demo_table
    from duelist.demo.options import Options

    options = Options(visitors=visitors, taste=taste, change_after=change_after)
    _show(bench_demo(runs, options), as_json, demo_table)


@app.command("gpu")
def gpu_command(
    names: Annotated[list[str] | None, typer.Argument(help="Policies or learners to measure; all by default.")] = None,
    runs: Annotated[int, typer.Option(help="Runs a speed; 0 leaves it out.")] = 100_000,
    horizon: Annotated[int, typer.Option(help="Duels a run of a speed, at most.")] = 100_000,
    gpu_runs: Annotated[int, typer.Option(help="Runs on the GPU a cell of the agreement; 0 leaves it out.")] = 10_000,
    cpu_runs: Annotated[int, typer.Option(help="Runs on the CPU a cell of the agreement.")] = 300,
    learners: Annotated[bool, typer.Option("--learners", help="Learners instead of policies.")] = False,
    data: Annotated[Path | None, typer.Option(help="For learners: a folder with mq2008; else synthetic.")] = None,
    seconds: Annotated[float, typer.Option(help="Begin nothing after so long.")] = 480.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Duels or impressions a second on a GPU and on one core, and whether both engines agree."""
    from duelist.bench import gpu, gpu_learners

    until = time.time() + seconds
    if learners:
        speed = list(gpu_learners.bench_learning_speed(runs, names, data, until)) if runs else []
        agree = gpu_learners.bench_learning_agreement(gpu_runs, cpu_runs, names, data, until) if gpu_runs else []
        tables = gpu_learners.learning_speed_table, gpu_learners.learning_agreement_table
    else:
        speed = list(gpu.bench_speed(horizon, runs, names, until)) if runs else []
        agree = gpu.bench_agreement(gpu_runs, cpu_runs, names, until=until) if gpu_runs else []
        tables = gpu.speed_table, gpu.agreement_table
    if as_json:
        print(json.dumps({"speed": speed, "agreement": agree}, indent=2))
    else:
        shown = [table(rows) for table, rows in zip(tables, (speed, agree), strict=True) if rows]
        print("\n\n".join(map(str, shown)))


@app.command("scale")
def scale_command(
    axes: Annotated[
        list[str] | None,
        typer.Argument(help="horizon, arms, documents, features, runs, workers, cells; all by default."),
    ] = None,
    chart: Annotated[Path | None, typer.Option(help="Save a chart, a panel an axis.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How speed and memory change with size, and with the number of workers; three minutes."""
    from duelist.bench.scale import bench_scale, scale_chart, scale_table
    from duelist.present.charts import check_chart_path

    path = check_chart_path(chart) if chart else None
    points = bench_scale(axes)
    if path:
        scale_chart(points).draw(path)
    print(json.dumps([point._asdict() for point in points], indent=2) if as_json else scale_table(points))
