"""duelist policies: what there is, and what each one needs."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def policies_command(
    name: Annotated[str | None, typer.Argument(help="Show one policy with its parameters.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the policies: what they answer with, assumption, horizon, regret bound, parameters."""
    from duelist.cli.entries import print_entry
    from duelist.dueling.facts import facts_of
    from duelist.dueling.policy import POLICIES
    from duelist.present.tables import show

    facts = [facts_of(POLICIES.get(policy)) for policy in ([name] if name else POLICIES)]
    if as_json:
        print(json.dumps(facts[0] if name else facts, indent=2))
    elif name:
        for key, value in facts[0].items():
            if key != "parameters":
                print_entry(key, value, 8)
        for parameter, about in facts[0]["parameters"].items():
            default = "..." if about["required"] else about["default"]
            print_entry(f"--set {parameter}={default}", f"  {about['help']}", 0)
    else:
        for fact in facts:
            print_entry(fact["policy"], fact["summary"])
            for key in ("answers", "needs", "horizon", "regret"):
                print_entry("", f"{key}: {fact[key].rstrip('.')}")
        show("\nduelist policies NAME shows one with its departures from the paper and its parameters")
