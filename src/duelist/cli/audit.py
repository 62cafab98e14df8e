"""duelist audit: can an interleaving method be trusted?"""

from __future__ import annotations

import json
from typing import Annotated

import typer


def audit_command(
    method: Annotated[
        str | None, typer.Argument(help="A method, or module:Class of your own; without it, a table of all.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Decide whether a method is unbiased, has fidelity and is considerate, with the worst counterexample."""
    from duelist.core.errors import BadInput
    from duelist.interleaving.audit import audit, audit_table, built_in
    from duelist.interleaving.method import make_method

    if method is not None:
        one = audit(make_method(method, setting or []))
        print(json.dumps(one.as_dict(), indent=2) if as_json else one)
    elif setting:
        raise BadInput("--set needs the method that the parameter belongs to")
    else:
        found = [audit(each) for each in built_in()]
        print(json.dumps([each.as_dict() for each in found], indent=2) if as_json else audit_table(found))
