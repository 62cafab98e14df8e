"""duelist audit: can an interleaving method be trusted?"""

from __future__ import annotations

from typing import Annotated

import typer


def audit_command(
    method: Annotated[
        str | None,
        typer.Argument(help="A method such as probabilistic:tau=1, or module:Class of your own; without it, a table."),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method; NAME=VALUE,VALUE,... tries each."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Decide whether a method is unbiased, has fidelity and is considerate, with the worst counterexample.

    What was found of the built-in methods is kept in the cache directory: the first table takes six seconds.
    """
    from duelist.cli.output import print_json
    from duelist.cli.specs import read_specs
    from duelist.core.errors import BadInput
    from duelist.core.progress import progress_bar
    from duelist.interleaving.audit import audit_table, built_in
    from duelist.interleaving.kept import kept_audit
    from duelist.interleaving.method import make_method
    from duelist.present.tables import show

    if method is None and setting:
        raise BadInput("--set needs the method that the parameter belongs to")
    chosen = [make_method(spec) for spec in read_specs("method", [method], setting or [])] if method else built_in()
    found = []
    with progress_bar("audit", len(chosen)) as advance:
        for each in chosen:
            found.append(kept_audit(each))
            advance(1)
    if as_json:
        print_json([each.as_dict() for each in found])
    else:
        show(audit_table(found) if len(found) > 1 else found[0])
