"""duelist analyze: what a log of interleaved impressions says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def analyze_command(
    log: Annotated[Path, typer.Argument(help="A click log (.jsonl, .csv, .tsv, or that and .gz), or UBI queries.")],
    events: Annotated[Path | None, typer.Option(help="The UBI events, if they are in a file of their own.")] = None,
    html: Annotated[Path | None, typer.Option(help="Save the report as a page with charts.")] = None,
    window: Annotated[
        float, typer.Option(help="Hours after a user's first impression at which the user's outcome is frozen.")
    ] = 24.0,
    ended: Annotated[
        bool, typer.Option("--ended", help="The experiment is over: count users whose window is open too.")
    ] = False,
    unit: Annotated[str, typer.Option(help="What is counted once: user or query.")] = "user",
    alpha: Annotated[float, typer.Option(help="The chance of a false winner, at most.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Of the bootstrap and the A/A replay.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report who wins an interleaving experiment, how sure, and whether it is healthy."""
    from duelist.analysis import analyze, format_analysis, page
    from duelist.clicks.log import read_log
    from duelist.core.errors import BadInput

    if html is not None and not html.parent.is_dir():
        raise BadInput(f"there is no folder {str(html.parent)!r} to save the page in")
    analysis = analyze(read_log(log, events), alpha, 3600 * window, unit, ended, seed)
    if html is not None:
        html.write_text(page(analysis, log.name), encoding="utf-8")
    if as_json:
        print(json.dumps({"log": str(log), **analysis.summary()}, indent=2))
    else:
        print(f"{log.name}: {format_analysis(analysis)}")
        if html is not None:
            print(f"\npage saved to {html}")
