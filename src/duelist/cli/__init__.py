"""The command line: one file a command, no logic. Heavy imports happen inside the commands."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from duelist import __version__
from duelist.cli import (
    analyze,
    audit,
    bench,
    compare,
    data,
    demo,
    fit,
    journal,
    learn,
    matrix,
    policies,
    rank,
    reproduce,
    serve,
    simulate,
    sweep,
    vote,
)
from duelist.core.errors import DuelistError, printable
from duelist.core.garbage import collecting_seldom

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo.demo_command,
    "simulate": simulate.simulate_command,
    "policies": policies.policies_command,
    "matrix": matrix.matrix_command,
    "learn": learn.learn_command,
    "fit": fit.fit_command,
    "compare": compare.compare_command,
    "audit": audit.audit_command,
    "analyze": analyze.analyze_command,
    "serve": serve.serve_command,
    "vote": vote.vote_command,
    "rank": rank.rank_command,
    "replay": journal.replay_command,
    "doctor": journal.doctor_command,
    "export": journal.export_command,
    "sweep": sweep.sweep_command,
    "tune": sweep.tune_command,
    "reproduce": reproduce.reproduce_command,
}
for name, command in COMMANDS.items():
    summary = (command.__doc__ or "").partition("\n")[0]  # given as it is: a help that is derived is cut at the margin
    app.command(name, short_help=summary)(command)
app.add_typer(data.app, name="data", short_help="List public data sets, or look at one that was downloaded.")
app.add_typer(bench.app, name="bench")


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"duelist {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """Learn which ranking people prefer by letting rankings duel."""


def narrow(app: typer.Typer, words: Sequence[str]) -> None:
    """Leave only the command that `words` begin with, if they do: Typer would look at every parameter of all others."""
    commands = [command for command in app.registered_commands if command.name in words[:1]]
    groups = [group for group in app.registered_groups if group.name in words[:1]]
    if commands or groups:
        app.registered_commands, app.registered_groups = commands, groups
    for group in groups:
        if group.typer_instance is not None:
            narrow(group.typer_instance, words[1:])


def main() -> None:
    """Run the command line; an error of ours is one line, not a traceback."""
    sys.path.insert(0, "")  # as `python -m` does, so that module:Class finds the user's module
    narrow(app, sys.argv[1:])
    try:
        with collecting_seldom():
            app()
    except DuelistError as error:
        print(f"error: {printable(str(error))}", file=sys.stderr)
        sys.exit(2)
    finally:
        gc.freeze()  # Python would end with a search for circles in all that was loaded: a fifth of a short command
