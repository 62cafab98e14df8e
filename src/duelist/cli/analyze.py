"""duelist analyze: what a log of interleaved impressions says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def analyze_command(
    log: Annotated[
        Path | None, typer.Argument(help="A click log (.jsonl, .csv, .tsv, or that and .gz), or UBI queries.")
    ] = None,
    events: Annotated[Path | None, typer.Option(help="The UBI events, if they are in a file of their own.")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Instead of a log: 1,200 made-up users of two rankers.")] = False,
    html: Annotated[Path | None, typer.Option(help="Save the report as a page with charts.")] = None,
    window: Annotated[
        float | None,
        typer.Option(help="Hours after a user's first impression at which the user is frozen; otherwise all count."),
    ] = None,
    cap: Annotated[
        float | None, typer.Option(help="Cut preferences at plus and minus this: limits then hold for few users too.")
    ] = None,
    ended: Annotated[
        bool, typer.Option("--ended", help="The experiment is over: count users whose window is open too.")
    ] = False,
    unit: Annotated[str, typer.Option(help="What is counted once: user or query.")] = "user",
    alpha: Annotated[float, typer.Option(help="The chance of a false winner, at most.")] = 0.05,
    weights: Annotated[
        Path | None, typer.Option(help="Learned click weights (JSON): users they were learned from are left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap and the A/A replay.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report who wins an interleaving experiment, how sure, and whether it is healthy."""
    from duelist.analysis import analyze, demo_log, page, weigh
    from duelist.clicks.log import Log, read_log
    from duelist.core.errors import BadInput
    from duelist.evidence.click_weights import ClickWeights

    if (log is None) != demo:
        raise BadInput("analyze needs the file of a log, or --demo" + (", not both" if demo else ""))
    if html is not None and not html.parent.is_dir():
        raise BadInput(f"there is no folder {str(html.parent)!r} to save the page in")
    users = {"bm25": 0.2, "ltr-v3": 0.24}  # how likely a click is
    found = Log(tuple(demo_log(1200, users, seed=1))) if log is None else read_log(log, events)
    if weights is not None:
        weighed = weigh(found, ClickWeights.from_json(weights.read_bytes()))
        found = weighed.log
        typer.echo(
            f"{weighed.left_out:,} impressions of users that the weights were learned from are left out.", err=True
        )
    analysis = analyze(found, alpha, window, unit, ended, seed, cap)
    name = "demo" if log is None else log.name
    if html is not None:
        html.write_text(page(analysis, name), encoding="utf-8")
    if as_json:
        print(json.dumps({"log": str(log or name), **analysis.summary()}, indent=2))
    else:
        print(f"{name}: {analysis}")
        if html is not None:
            print(f"\npage saved to {html}")
