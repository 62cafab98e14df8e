"""Parameters: stored in their own type, refused with what is allowed, and read from text in one way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.parameters import (
    Parameter,
    check_settings,
    constant,
    limits,
    meant,
    parameter,
    parameters_of,
    read_settings,
    read_value,
    write_value,
)

KNOWN = {
    "rate": Parameter(0.5, "how fast", above=0.0, high=1.0),
    "count": Parameter(3, "how many", low=1),
    "bonus": Parameter(1.0, "how much more"),
    "share": Parameter(0.5, "how much", low=0, below=1),
    "eager": Parameter(False, "whether at once"),
    "link": Parameter("logistic", "the shape", choices=("logistic", "linear")),
    "label": Parameter("", "any text"),
    "times": Parameter((1, 2), "when", low=1),
    "thing": Parameter(None, "of a type only its owner knows"),
}


# Checking


@pytest.mark.parametrize(
    ("name", "given", "stored"),
    [
        ("rate", 1, 1.0),
        ("rate", np.float32(0.25), 0.25),
        ("count", 2.0, 2),
        ("count", np.int32(4), 4),
        ("share", 0, 0.0),
        ("eager", np.True_, True),
        ("link", "linear", "linear"),
        ("label", "a b", "a b"),
        ("times", [300, 600.0], (300, 600)),
        ("times", 300, (300,)),
        ("thing", KNOWN, KNOWN),
    ],
)
def test_a_value_is_stored_in_the_type_of_the_default(name: str, given: Any, stored: Any) -> None:
    found = check_settings("Settings", KNOWN, {name: given})
    assert found == {name: stored}
    assert type(found[name]) is type(stored)


@pytest.mark.parametrize(
    ("name", "given", "allowed"),
    [
        ("rate", 0.0, "a number above 0 and at most 1"),
        ("rate", 1.01, "a number above 0 and at most 1"),
        ("rate", math.nan, "a number above 0"),
        ("rate", "0.5", "a number above 0"),
        ("rate", None, "a number above 0"),
        ("rate", True, "a number above 0"),
        ("rate", np.True_, "a number above 0"),
        ("count", 0, "a whole number at least 1"),
        ("count", 2.5, "a whole number at least 1"),
        ("count", math.inf, "a whole number at least 1"),
        ("count", 2**63, "a whole number at least 1"),  # compiled code counts in 64 bits
        ("count", True, "a whole number at least 1"),
        ("count", [2], "a whole number at least 1"),
        ("bonus", math.inf, "a number"),
        ("share", 1, "a number at least 0 and below 1"),
        ("eager", 1, "true or false"),
        ("eager", "yes", "true or false"),
        ("link", "cubic", "one of logistic, linear"),
        ("link", 1, "one of logistic, linear"),
        ("label", 3, "text"),
        ("times", [300, 0], "a whole number at least 1"),
    ],
)
def test_what_is_outside_type_or_limits_is_refused_with_what_is_allowed(name: str, given: Any, allowed: str) -> None:
    with pytest.raises(BadInput, match=f"^Settings: {name} must be {allowed}.*, not "):
        check_settings("Settings", KNOWN, {name: given})


def test_a_choice_that_is_nearly_right_is_helped() -> None:
    with pytest.raises(BadInput, match=r"not 'linaer' \(did you mean 'linear'\?\)"):
        check_settings("Settings", KNOWN, {"link": "linaer"})


def test_an_unknown_name_is_answered_with_the_nearest_and_all_known() -> None:
    with pytest.raises(
        BadInput, match=r"^Thing has no parameter 'raet' \(did you mean 'rate'\?\); its parameters: rate,"
    ):
        check_settings("Thing", KNOWN, {"raet": 1})
    with pytest.raises(BadInput, match=r"^Thing has no parameter 'x'; its parameters: none$"):
        check_settings("Thing", {}, {"x": 1})


def test_only_numbers_reach_kernels() -> None:
    assert {name for name, known in KNOWN.items() if known.compiles} == {"rate", "count", "bonus", "share", "eager"}


def test_a_constant_is_not_for_users() -> None:
    assert parameter(1, "how many").settable
    assert not constant(1).settable


@pytest.mark.parametrize(("name", "hint"), [("rcub", " (did you mean 'rucb'?)"), ("xyz", ""), (3, "")])
def test_a_hint_is_given_only_when_a_name_is_close(name: Any, hint: str) -> None:
    assert meant(name, ["rucb", "if2"]) == hint


# What makers declare


def worst_case(
    arms: Annotated[int, limits("how many", low=2)] = 100, epsilon: float = 0.1, *, seed: Any = None
) -> None:
    pass


@dataclass
class Drift:
    size: int
    speed: Annotated[float, limits("how fast", above=0)] = 0.5


class Plain:
    def __init__(self, size: int, depth: Annotated[int, limits("how deep", high=9)] = 3) -> None:
        pass


def nothing() -> None:
    pass


def test_arguments_with_defaults_are_parameters_with_the_limits_of_their_annotation() -> None:
    found = parameters_of(worst_case)
    assert {name: known.default for name, known in found.items()} == {"arms": 100, "epsilon": 0.1, "seed": None}
    assert (found["arms"].low, found["arms"].help) == (2, "how many")
    assert found["epsilon"].low == -math.inf


@pytest.mark.parametrize(
    ("maker", "name", "default", "help"),
    [(Drift, "speed", 0.5, "how fast"), (Plain, "depth", 3, "how deep")],
)
def test_a_class_shows_the_arguments_of_its_constructor(maker: Any, name: str, default: Any, help: str) -> None:
    found = parameters_of(maker)
    assert list(found) == [name]
    assert (found[name].default, found[name].help) == (default, help)


def test_a_maker_without_arguments_has_none() -> None:
    assert parameters_of(nothing) == {}


# Text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        (".51", 0.51),
        ("1e5", 1e5),
        ("true", True),
        ("False", False),
        ("none", None),
        ("rucb", "rucb"),
        ("300+600", (300, 600)),
        (".5+1", (0.5, 1)),
        ("d-ts+", "d-ts+"),
        ("a+b", "a+b"),
    ],
)
def test_a_value_is_read_as_people_mean_it_and_written_back(text: str, value: Any) -> None:
    read = read_value(text)
    assert read == value
    assert type(read) is type(value)
    assert read_value(write_value(value)) == value


def test_settings_are_names_with_one_or_several_values() -> None:
    assert read_settings(" alpha = .51 , 1 ,base=d-ts+") == {"alpha": [0.51, 1], "base": ["d-ts+"]}


@pytest.mark.parametrize("text", ["", "alpha", "=1", "alpha=", "alpha=1,,beta=2", "alpha=1,alpha=2", "1,alpha=2"])
def test_what_is_not_written_as_settings_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="settings are written NAME=VALUE, each name once, not "):
        read_settings(text)
