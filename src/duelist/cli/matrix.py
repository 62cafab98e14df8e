"""duelist matrix: who wins a preference matrix, and which assumptions it satisfies."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer


def matrix_command(
    matrix: Annotated[
        str,
        typer.Argument(help="A matrix file (.txt, .csv, .npy, .npz; a first line may name the arms), or an instance."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report the winners of a preference matrix and the assumptions that hold."""
    from duelist.core.errors import BadInput
    from duelist.dueling.environments import Matrix, load_environment
    from duelist.dueling.preferences import Preferences

    environment = load_environment(matrix)
    if not isinstance(environment, Matrix):
        raise BadInput(f"{matrix!r} has no fixed matrix to report on")
    report = Preferences.of(environment.preference, environment.arms)
    if as_json:
        print(json.dumps({"matrix": environment.name, **dataclasses.asdict(report)}, indent=2))
    else:
        print(f"{environment.name}\n{report}")
