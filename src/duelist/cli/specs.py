"""What people type after a command, as specs: names with parameters, and --set for several of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.parameters import meant, read_settings
from duelist.core.registry import find_family
from duelist.core.spec import Spec


def read_specs(family: str, texts: Sequence[str], settings: Sequence[str] = ()) -> list[Spec]:
    """Every thing to run, checked: NAME or NAME:KEY=VALUE,...

    A setting KEY=VALUE is for all that have the parameter, NAME.KEY=VALUE for those called so, and what is written
    with a name comes first. Several values, KEY=VALUE,VALUE, make several specs.

    >>> [str(spec) for spec in read_specs("policy", ["uniform", "rucb"], ["alpha=.6,2"])]
    ['uniform', 'rucb:alpha=0.6', 'rucb:alpha=2.0']
    """
    typed, chosen = [Spec.read(family, text) for text in texts], read_values(settings)
    known: dict[str, set[str]] = {spec.name: set() for spec in typed}
    specs: list[Spec] = []
    for spec in typed:
        variants = list(_variants(spec, _options(spec, chosen), known[spec.name]))
        specs += [variant for place, variant in enumerate(variants) if variant not in variants[:place]]
    _refuse_strangers(chosen, known)
    whole = [str(spec.complete()) for spec in specs]
    for place, text in enumerate(whole):
        if text in whole[:place]:
            raise BadInput(f"{str(specs[place])!r} comes twice with the same parameters")
    return specs


def read_values(settings: Sequence[str]) -> dict[str, list[Any]]:
    """The values of each name in texts like NAME=VALUE,VALUE."""
    found: dict[str, list[Any]] = {}
    for setting in settings:
        for name, values in read_settings(setting).items():
            if name in found or len(set(map(repr, values))) < len(values):
                raise BadInput(f"{name} comes twice; different values are written {name}=VALUE,VALUE")
            found[name] = values
    return found


def _options(spec: Spec, chosen: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The values that `chosen` has for a spec, those with its name first."""
    options: dict[str, list[Any]] = {}
    for wanted in ("", spec.name):
        for key, values in chosen.items():
            owner, _, name = key.rpartition(".")
            if owner == wanted and name not in spec.parameters:
                options[name] = values
    return options


def _variants(spec: Spec, options: Mapping[str, list[Any]], known: set[str]) -> Iterator[Spec]:
    """The spec with every combination of options that it knows, which may depend on what it holds."""
    for values in product(*options.values()):
        given = dict(zip(options, values, strict=True)) | dict(spec.parameters)
        own = find_family(spec.family).parameters(spec.name, given)
        known.update(own)
        settings = {name: value for name, value in given.items() if name in own or name in spec.parameters}
        yield Spec(spec.family, spec.name, settings).check()


def _refuse_strangers(chosen: Mapping[str, Any], known: Mapping[str, set[str]]) -> None:
    """An error for a setting that is for nobody here."""
    for key in chosen:
        owner, _, name = key.rpartition(".")
        if owner and owner not in known:
            raise BadInput(f"--set {key}: {owner!r} is not one of {', '.join(known)}{meant(owner, known)}")
        here = sorted(known[owner] if owner else set().union(*known.values()))
        if name not in here:
            names = ", ".join(here) or "none"
            raise BadInput(f"--set {key}: no such parameter{meant(name, here)}; known here: {names}")
