"""duelist data: public data sets, and a look at what was downloaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.callback(invoke_without_command=True)
def data_command(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List public data sets: what each is, where it is published, on which terms."""
    from duelist.cli.entries import print_entry
    from duelist.data.catalogue import CATALOGUE
    from duelist.present.tables import show

    if context.invoked_subcommand is not None:
        return
    if as_json:
        print(json.dumps({name: entry._asdict() for name, entry in CATALOGUE.items()}, indent=2))
        return
    for name, entry in CATALOGUE.items():
        sizes = {"queries": entry.queries, "documents": entry.documents, "features": entry.features}
        known = ", ".join(f"{size:,} {what}" for what, size in sizes.items() if size)
        print_entry(name, entry.what + (f": {known}" if known else ""), 21)
        for label, text in (("published", entry.page), ("terms", entry.terms), ("files", entry.files)):
            print_entry("", f"{label}: {text}", 21)
    show("\nduelist data check DIR looks at what you downloaded; --data synthetic needs nothing")


@app.command("check")
def check_command(
    folder: Annotated[Path, typer.Argument(help="Where S1 to S5, Fold1, set1.train or train, vali and test are.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look at downloaded data: folds, queries, documents, features, labels, and what is missing or odd."""
    from duelist.data.check import check_folder
    from duelist.present.tables import show

    found = check_folder(folder)
    if as_json:
        print(json.dumps(found.summary(), indent=2))
    else:
        show(*found.parts())
    if not found.folds:
        raise typer.Exit(1)
