"""Trying an experiment out before it is there: what cannot run is refused, and what must be compiled is compiled.

Compiling takes seconds, in which Python does little else. So it is done in a process of its own, which leaves the
machine code on the disk; here it is then only loaded.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from duelist.core.errors import BadInput, DuelistError, UnknownName
from duelist.core.registry import find_family
from duelist.core.spec import Spec
from duelist.live.definition import Definition
from duelist.live.local import open_experiments

PATIENCE = 300.0  # seconds for a process that compiles
MOST = 50  # arms in a list


def read_definition(given: dict[str, Any]) -> Definition:
    """A definition that came over the wire: it may name what is registered here, and import nothing."""
    for field in ("policy", "learner", "method"):
        if field in given:
            _check_name(field, field, given[field])
    _check_name("policy", "parameters", given.get("parameters", {}))
    try:
        return Definition.read(given)
    except UnknownName as error:
        raise BadInput(str(error)) from None


def _check_name(family: str, field: str, value: Any) -> None:
    """Refuse module:Class, wherever it hides: the parameters of one may name another."""
    if isinstance(value, str):
        spec = Spec.read(family, value)
        if ":" in spec.name:
            raise BadInput(f"{field}: over HTTP things go by their registered names, and {value!r} is none")
        if field == family and spec.name not in find_family(family):
            known = ", ".join(find_family(family))
            raise BadInput(f"{field} must be one of {known}, not {spec.name!r}")
        value = spec.parameters
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            _check_name(family, "parameters", each)


def rehearse(definition: Definition) -> None:
    """Run it once in memory, from the definition to learning.

    >>> rehearse(Definition.read({"name": "search", "kind": "pair", "arms": ["bm25", "ltr"]}))
    """
    try:
        _play(definition)
    except DuelistError:
        raise
    except Exception as error:  # parameters of all kinds meet all kinds of code
        raise BadInput(f"this definition cannot be run: {error!r}") from error


def _play(definition: Definition) -> None:
    plain = definition.document() | {"shadow": False, "share": 1.0, "holdout": 0.0}
    with open_experiments("memory://") as experiments:
        trial = experiments.define(plain)
        trial.start()
        if definition.kind == "arms":
            asked = trial.ask()
            trial.tell(asked.id or "", outcome=0.5)
        if definition.kind == "weights":
            page = trial.rank([(f"d{n}", [0.1 * n] * definition.n_features) for n in range(3)], user="ann")
        else:
            page = trial.interleave({arm: ["a", "b", "c", "d"] for arm in definition.arms[:MOST]}, user="ann")
        if page.id is not None:
            action = next(iter(definition.credit))
            trial.click(page.id, position=0, action=action)
            far = experiments.fold.at + round(definition.session.timeout * 2e6)
            experiments.fold.states[1].tick(far)  # its time comes, and it is learnt from
        trial.status()


async def compile_apart(definition: Definition) -> bool:
    """Rehearse in another process; whether that succeeded. What is wrong is said when it is done again here."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "duelist.service.rehearsal"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.wait_for(process.communicate(msgspec.json.encode(definition)), PATIENCE)
    except TimeoutError:
        process.kill()
        await process.wait()
    return process.returncode == 0


def kernels_of(definition: Definition) -> tuple[Any, ...]:
    """The same for definitions that need the same machine code."""
    if definition.kind in ("arms", "weights"):
        agent = definition.agent
        return definition.kind, agent.name, str(agent.parameters.get("base")), definition.method
    return definition.kind, definition.method


if __name__ == "__main__":
    rehearse(msgspec.json.decode(sys.stdin.buffer.read(), type=Definition))
