"""One spec for each combination of values of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.parameters import meant
from duelist.core.registry import find_family
from duelist.core.spec import Spec

Chosen = Mapping[str, Sequence[Any]]  # values by NAME, or by OWNER.NAME for those called so


def make_variants(typed: Sequence[Spec], chosen: Chosen, where: str = "") -> list[Spec]:
    """Every spec with every combination of the values chosen for it, checked.

    NAME is for all that have the parameter, OWNER.NAME for those called so; what a spec says itself comes first. An
    error about a name begins with `where`.

    >>> [str(spec) for spec in make_variants([Spec("policy", "uniform"), Spec("policy", "rucb")], {"alpha": [0.6, 2]})]
    ['uniform', 'rucb:alpha=0.6', 'rucb:alpha=2.0']
    """
    known: dict[str, set[str]] = {spec.name: set() for spec in typed}
    specs: list[Spec] = []
    for spec in typed:
        variants = list(_variants(spec, _options(spec, chosen), known[spec.name]))
        specs += [variant for place, variant in enumerate(variants) if variant not in variants[:place]]
    _refuse_strangers(chosen, known, where)
    whole = [str(spec.complete()) for spec in specs]
    for place, text in enumerate(whole):
        if text in whole[:place]:
            raise BadInput(f"{str(specs[place])!r} comes twice with the same parameters")
    return specs


def _options(spec: Spec, chosen: Chosen) -> dict[str, Sequence[Any]]:
    """The values that `chosen` has for a spec, those with its name first."""
    options: dict[str, Sequence[Any]] = {}
    for wanted in ("", spec.name):
        for key, values in chosen.items():
            owner, _, name = key.rpartition(".")
            if owner == wanted and name not in spec.parameters:
                options[name] = values
    return options


def _variants(spec: Spec, options: Mapping[str, Sequence[Any]], known: set[str]) -> Iterator[Spec]:
    """The spec with every combination of options that it knows, which may depend on what it holds."""
    for values in product(*options.values()):
        given = dict(zip(options, values, strict=True)) | dict(spec.parameters)
        own = find_family(spec.family).parameters(spec.name, given)
        known.update(own)
        settings = {name: value for name, value in given.items() if name in own or name in spec.parameters}
        yield Spec(spec.family, spec.name, settings).check()


def _refuse_strangers(chosen: Chosen, known: Mapping[str, set[str]], where: str) -> None:
    """An error for a setting that is for nobody here."""
    for key in chosen:
        owner, _, name = key.rpartition(".")
        if owner and owner not in known:
            raise BadInput(f"{where}{key}: {owner!r} is not one of {', '.join(known)}{meant(owner, known)}")
        here = sorted(known[owner] if owner else set().union(*known.values()))
        if name not in here:
            names = ", ".join(here) or "none"
            raise BadInput(f"{where}{key}: no such parameter{meant(name, here)}; known here: {names}")
