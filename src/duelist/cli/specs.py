"""What people type after a command, as specs: names with parameters, and --set for several of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.parameters import read_settings
from duelist.core.spec import Spec
from duelist.core.variants import make_variants


def read_specs(family: str, texts: Sequence[str], settings: Sequence[str] = ()) -> list[Spec]:
    """Every thing to run, checked: NAME or NAME:KEY=VALUE,...

    A setting KEY=VALUE is for all that have the parameter, NAME.KEY=VALUE for those called so, and what is written
    with a name comes first. Several values, KEY=VALUE,VALUE, make several specs.

    >>> [str(spec) for spec in read_specs("policy", ["uniform", "rucb"], ["alpha=.6,2"])]
    ['uniform', 'rucb:alpha=0.6', 'rucb:alpha=2.0']
    """
    return make_variants([Spec.read(family, text) for text in texts], read_values(settings), "--set ")


def read_values(settings: Sequence[str]) -> dict[str, list[Any]]:
    """The values of each name in texts like NAME=VALUE,VALUE."""
    found: dict[str, list[Any]] = {}
    for setting in settings:
        for name, values in read_settings(setting).items():
            if name in found or len(set(map(repr, values))) < len(values):
                raise BadInput(f"{name} comes twice; different values are written {name}=VALUE,VALUE")
            found[name] = values
    return found
