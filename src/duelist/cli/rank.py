"""duelist rank: a leaderboard of duels that are over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def rank_command(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="Duels (.csv, .tsv, .jsonl, that and .gz, .parquet), or a journal's address."
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Instead of a file: 1,200 made-up duels of eight prompts.")
    ] = False,
    kind: Annotated[
        str, typer.Option(help="What intervals promise: planned (one look at planned data) or always-valid.")
    ] = "planned",
    confidence: Annotated[float, typer.Option(help="How often they keep it.")] = 0.95,
    sides: Annotated[
        bool | None, typer.Option("--sides/--no-sides", help="Correct that the left side wins more often, or do not.")
    ] = None,
    prior: Annotated[float, typer.Option(help="Imagined ties of each arm with an average one: place them all.")] = 0.0,
    column: Annotated[list[str] | None, typer.Option(help="A column by another name, as left=model_a.")] = None,
    context: Annotated[str | None, typer.Option(help="Only duels of this context.")] = None,
    experiment: Annotated[str | None, typer.Option(help="Of a journal that has several.")] = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="Show how often each arm beats each other one.")] = False,
    chart: Annotated[Path | None, typer.Option(help="Save strengths with their intervals as a chart.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Rank arms by duels that were made anywhere: strengths, ranks and how sure they are."""
    from duelist.core.errors import BadInput
    from duelist.live.told import is_journal, read_journal
    from duelist.present.charts import check_chart_path
    from duelist.present.tables import show
    from duelist.ranking import leaderboard, pairs_table
    from duelist.ranking.charts import board_chart
    from duelist.ranking.demo import demo_duels

    if (source is None) != demo:
        raise BadInput("rank needs a file of duels or a journal, or --demo" + (", not both" if demo else ""))
    if chart is not None:
        check_chart_path(chart)
    if wrong := [each for each in column or [] if "=" not in each]:
        raise BadInput(f"--column says which of your columns is ours, as left=model_a, not {wrong[0]!r}")
    rename = {ours: theirs for ours, _, theirs in (each.partition("=") for each in column or [])}
    if source is None:
        duels: Any = demo_duels()
    else:
        duels = read_journal(source, experiment) if is_journal(source) else source
    board = leaderboard(duels, kind, confidence, sides, prior, rename, context)
    if chart is not None:
        board_chart(board).draw(chart)
    if as_json:
        print(json.dumps(board.summary(), indent=2, default=str))
    else:
        show(str(board), *([pairs_table(board)] if pairs else []))
