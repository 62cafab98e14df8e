"""duelist replay, doctor, export: what can be done with a journal of live experiments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from duelist.core.errors import BadInput

Address = Annotated[str, typer.Argument(help="sqlite:///FILE, postgresql://..., nats://..., or an exported file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def replay_command(
    journal: Address,
    old: Annotated[
        list[Path] | None, typer.Option("--with", help="Files with the events that were moved out of it, oldest first.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fold a journal anew, and prove that a start from its snapshots comes to the same."""
    from duelist.core.progress import progress_bar
    from duelist.live.replay import replay
    from duelist.present.tables import Table
    from duelist.storage.export import open_events

    with open_events(journal, old or []) as opened, progress_bar("replay", opened.head().seq) as advance:
        done = [0]

        def seen(seq: int) -> None:
            advance(seq - done[0])
            done[0] = seq

        found = replay(opened, seen)
    if as_json:
        print(json.dumps(found.summary(), indent=2))
    else:
        rate = found.events / max(found.seconds, 1e-9)
        print(f"{found.events:,} events in {found.seconds:.2f} s, {rate:,.0f} a second")
        rows = [[e.name, str(e.version), str(e.seq), e.hash, "yes" if e.equal else "NO"] for e in found.experiments]
        print(Table(["experiment", "version", "event", "hash", "equal"], rows))
    if not found.equal:
        raise typer.Exit(1)


def doctor_command(
    journal: Address,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Take over snapshots that other code has made, and write that down.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what is wrong with a journal, and what to do about it."""
    from duelist.live.doctor import examine
    from duelist.live.experiments import Experiments
    from duelist.storage.export import open_events

    with open_events(journal) as opened:
        if adopt:
            Experiments(opened, adopt=True)
        found = examine(opened)
    if as_json:
        print(json.dumps([each._asdict() for each in found], indent=2))
    else:
        for level, what, todo in found:
            print(f"{level:<8} {what}" + (f"\n         {todo}" if todo else ""))
    if any(each.level == "error" for each in found):
        raise typer.Exit(1)


def export_command(
    journal: Address,
    file: Annotated[Path, typer.Argument(help="A new file, .jsonl or .parquet.")],
    days: Annotated[float | None, typer.Option(help="Only what is older than so many days.")] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take what was written out of the journal, as far as nobody needs it.")
    ] = False,
    ubi: Annotated[
        Path | None, typer.Option(help="UBI instead: FILE gets the queries, this one what people did. Both new.")
    ] = None,
) -> None:
    """Copy or move events of a journal into a file, from which they can be folded and analysed."""
    from duelist.live.retention import move_events
    from duelist.storage.export import open_events

    with open_events(journal) as opened:
        if ubi is None:
            print(move_events(opened, file, days, remove))
            return
        from duelist.clicks.ubi import write_ubi
        from duelist.live.log import log_of

        if days is not None or remove:
            raise BadInput("--ubi copies all lists; --days and --remove are for the events themselves")
        records = log_of(opened.events()).records
        write_ubi(records, file, ubi)
        print(f"{len(records):,} lists in {file}, what people did with them in {ubi}")
