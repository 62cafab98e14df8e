"""duelist reproduce: the papers' tables and figures, made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def reproduce_command(
    name: Annotated[str | None, typer.Argument(help="Which one; without it, the list.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, for a minute on a laptop.")] = False,
    data: Annotated[Path | None, typer.Option(help="The data folder, for those that need it; or DUELIST_DATA.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Where to save the chart; NAME.png by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Reproduce a table or figure of a paper: published value, ours, whether they agree, and a chart."""
    from dataclasses import asdict, replace

    from duelist.core.charts import check_chart_path
    from duelist.core.progress import progress_bar
    from duelist.lab.reproduction import Setting, find, format_report
    from duelist.lab.reproductions import REPRODUCTIONS

    if name is None:
        for reproduction in REPRODUCTIONS:
            print(f"{reproduction.name:<22} {reproduction.source}")
        return
    chosen = find(REPRODUCTIONS, name)
    path = check_chart_path(chart or Path(f"{name}.png"))
    setting = Setting(quick, data)
    with progress_bar(name, chosen.steps) as advance:
        report = chosen.run(replace(setting, advance=advance))
    report.draw(path)
    agrees = all(row.agrees for row in report.rows)
    if as_json:
        rows = [asdict(row) for row in report.rows]
        print(json.dumps({"name": name, "source": chosen.source, "rows": rows, "agrees": agrees}, indent=2))
    else:
        print(f"{chosen.source}\n\n{format_report(report)}\n")
        print(f"{'all agree' if agrees else 'NOT ALL AGREE'}; chart saved to {path}")
        print(chosen.missing)
