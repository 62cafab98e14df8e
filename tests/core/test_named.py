from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from duelist.core.errors import BadInput
from duelist.core.named import Named, named, tell_apart
from duelist.core.parameters import limits, parameters_of
from duelist.core.registry import Registry
from duelist.core.spec import Spec

CAKES: Registry[object] = Registry("cake", "math")


@dataclass(frozen=True)
class Cake(Named):
    layers: int
    sweet: float
    toppings: tuple[float, ...]


@named(CAKES, "tall")
def tall(
    eaters: int,
    layers: Annotated[int, limits("how many", low=2)] = 3,
    sweet: float = 1,
    toppings: Annotated[tuple[float, ...], limits("grams", each=float, above=0)] = (),
    icing: Literal["white", "pink"] = "white",
) -> Cake:
    return Cake(layers, sweet, toppings)


def test_what_a_function_makes_knows_the_spec() -> None:
    assert tall(8, 4, toppings=(1, 2.5)).spec == Spec(
        "cake", "tall", {"layers": 4, "sweet": 1.0, "toppings": (1.0, 2.5), "icing": "white"}
    )
    assert str(tall(8).spec) == "tall:layers=3,sweet=1.0,icing=white"


def test_what_was_made_otherwise_has_none() -> None:
    with pytest.raises(BadInput, match="this Cake was not made by a name"):
        Cake(1, 1.0, ()).spec  # noqa: B018


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"layers": 1}, "tall: layers must be a whole number at least 2, not 1"),
        ({"layers": 2.5}, "layers must be a whole number at least 2, not 2.5"),
        ({"sweet": "very"}, "sweet must be a number, not 'very'"),
        ({"toppings": (1.5, 0)}, "toppings must be a number above 0, not 0"),
        ({"icing": "pin"}, "icing must be one of white, pink, not 'pin' .did you mean 'pink'"),
    ],
)
def test_every_call_is_checked(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        tall(8, **given)  # type: ignore[arg-type]


def test_a_float_may_have_a_whole_default_and_need_not_be_whole() -> None:
    assert tall(8, sweet=0.5).sweet == 0.5
    assert isinstance(parameters_of(tall)["sweet"].default, float)


def test_arguments_without_defaults_are_no_parameters() -> None:
    assert list(parameters_of(tall)) == ["layers", "sweet", "toppings", "icing"]


def spec(name: str, **parameters: object) -> Spec:
    return Spec("cake", name, parameters)


def test_labels_say_no_more_than_tells_apart() -> None:
    assert tell_apart([spec("a", x=1, y=1), spec("b", x=2, y=1)]) == ["a", "b"]
    assert tell_apart([spec("a", x=1, y=1), spec("a", x=2, y=1), spec("b", x=2)]) == ["a:x=1", "a:x=2", "b"]
    grid = [spec("a", x=x, y=y) for x in (1, 2) for y in (3, 4)]
    assert tell_apart(grid) == ["a:x=1,y=3", "a:x=1,y=4", "a:x=2,y=3", "a:x=2,y=4"]
    assert tell_apart([spec("a", base="b", size=1), spec("a", base="c", width=2)]) == ["a:base=b", "a:base=c"]
    assert tell_apart([spec("a"), spec("a", x=1)]) == ["a", "a:x=1"]
