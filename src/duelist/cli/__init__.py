"""The command line: one file a command, no logic. Heavy imports happen inside the commands."""

from __future__ import annotations

import sys

import typer

from duelist.cli import analyze, audit, bench, compare, data, fit, learn, matrix, policies, reproduce, simulate
from duelist.core.errors import DuelistError

app = typer.Typer(
    help="Learn which ranking people prefer by letting rankings duel.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("simulate")(simulate.simulate_command)
app.command("policies")(policies.policies_command)
app.command("matrix")(matrix.matrix_command)
app.command("learn")(learn.learn_command)
app.command("fit")(fit.fit_command)
app.command("compare")(compare.compare_command)
app.command("audit")(audit.audit_command)
app.command("analyze")(analyze.analyze_command)
app.command("reproduce")(reproduce.reproduce_command)
app.add_typer(data.app, name="data")
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Run the command line; an error of ours is one line, not a traceback."""
    sys.path.insert(0, "")  # as `python -m` does, so that module:Class finds the user's module
    try:
        app()
    except DuelistError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
