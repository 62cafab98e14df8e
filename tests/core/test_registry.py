"""Names are found, misspelt ones are helped, and two things never share one."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from duelist.core.errors import BadInput, UnknownName
from duelist.core.registry import FAMILIES, Registry, find_family


class Apple:
    pass


class Pear:
    pass


@pytest.fixture(autouse=True)
def no_fruit_remains() -> Iterator[None]:
    """A family made by a test ends with it."""
    yield
    FAMILIES.pop("fruit", None)


@pytest.fixture
def fruits() -> Registry[type]:
    """A registry of two, whose home registers nothing."""
    registry: Registry[type] = Registry("fruit", "math")
    registry.add("pear", Pear)
    registry.add("apple", Apple)
    return registry


@pytest.fixture
def basket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[type]:
    """An empty registry whose home, a module on disk, registers one thing when it is imported."""
    (tmp_path / "orchard.py").write_text("import basket\nclass Plum: pass\nclass Stone: pass\nbasket.add('plum', Plum)")
    monkeypatch.syspath_prepend(tmp_path)
    registry: Registry[type] = Registry("fruit", "orchard")
    monkeypatch.setitem(sys.modules, "basket", registry)
    monkeypatch.delitem(sys.modules, "orchard", raising=False)
    return registry


def test_a_name_gives_the_thing_and_names_are_listed_in_order(fruits: Registry[type]) -> None:
    assert fruits.get("apple") is Apple
    assert list(fruits) == ["apple", "pear"]


def test_the_home_is_imported_by_the_first_look_up(basket: Registry[type]) -> None:
    assert "orchard" not in sys.modules
    assert basket.get("plum").__name__ == "Plum"


def test_the_home_is_imported_by_the_first_listing(basket: Registry[type]) -> None:
    assert list(basket) == ["plum"]


def test_a_name_of_another_module_is_listed_at_once_and_loaded_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, basket: Registry[type]
) -> None:
    (tmp_path / "far.py").write_text("import basket\nclass Lychee: pass\nbasket.add('lychee', Lychee)")
    monkeypatch.delitem(sys.modules, "far", raising=False)
    basket.later("far", "lychee")
    assert list(basket) == ["lychee", "plum"]
    with pytest.raises(UnknownName, match=r"did you mean 'lychee'\?\)\. Known: lychee, plum$"):
        basket.get("lichee")
    assert "far" not in sys.modules
    assert basket.get("lychee").__name__ == "Lychee"
    assert list(basket) == ["lychee", "plum"]


def test_a_misspelt_name_is_answered_with_the_nearest_and_all_known(fruits: Registry[type]) -> None:
    with pytest.raises(UnknownName, match=r"unknown fruit 'aple' \(did you mean 'apple'\?\)\. Known: apple, pear$"):
        fruits.get("aple")


def test_a_name_like_no_other_gets_no_suggestion(fruits: Registry[type]) -> None:
    with pytest.raises(LookupError, match=r"unknown fruit 'xyz'\. Known: apple, pear$"):
        fruits.get("xyz")


def test_a_name_cannot_be_taken_by_another_definition(fruits: Registry[type]) -> None:
    with pytest.raises(BadInput, match=r"fruit 'apple' is already defined by .*\.Apple"):
        fruits.add("apple", Pear)
    assert fruits.get("apple") is Apple


def test_the_same_definition_run_again_replaces_the_old_one(fruits: Registry[type]) -> None:
    again = type("Apple", (), {"__module__": Apple.__module__})
    fruits.add("apple", again)
    assert fruits.get("apple") is again


def test_a_thing_in_a_module_of_the_user_is_found_by_its_path(basket: Registry[type]) -> None:
    assert basket.get("orchard:Plum") is basket.get("plum")


@pytest.mark.parametrize(
    "path", ["orchard:Pear", "nowhere:Plum", ":Plum", ".orchard:Plum", "orchard:", "orchard:Stone"]
)
def test_a_path_that_leads_to_nothing_registered_is_an_unknown_name(path: str, basket: Registry[type]) -> None:
    with pytest.raises(UnknownName, match=path):
        basket.get(path)


# What a name fixes, and what may be set


def jam(arms: int = 3, sugar: float = 0.5) -> tuple[int, float]:
    return arms, sugar


@pytest.fixture
def jams() -> Registry[Any]:
    registry: Registry[Any] = Registry("fruit", "math")
    registry.add("jam", jam)
    registry.add("jelly", jam, sugar=0.9)
    return registry


def test_a_name_may_fix_a_parameter_of_what_others_make_freely(jams: Registry[Any]) -> None:
    assert jams.make("jam", sugar=0.1) == (3, 0.1)
    assert jams.make("jelly", arms=2) == (2, 0.9)
    assert list(jams.parameters("jam")) == ["arms", "sugar"]
    assert list(jams.parameters("jelly")) == ["arms"]


def test_settings_are_checked_by_name_before_anything_is_made(jams: Registry[Any]) -> None:
    assert jams.check("jam", {"arms": 2.0}) == {"arms": 2}
    with pytest.raises(BadInput, match="jelly has no parameter 'sugar'; its parameters: arms"):
        jams.check("jelly", {"sugar": 1})


def test_a_maker_and_what_it_made_have_a_name() -> None:
    policies = find_family("policy")
    assert policies.name_of(policies.get("rucb")) == "rucb"
    assert policies.name_of(policies.make("rucb", 3, seed=0)) == "rucb"


@pytest.mark.parametrize("thing", [object, 3, "apple"])
def test_what_is_not_registered_has_none(thing: Any, fruits: Registry[type]) -> None:
    with pytest.raises(BadInput, match="is no fruit; known by name: apple, pear"):
        fruits.name_of(thing)


# Families


def test_a_family_is_found_by_name(fruits: Registry[type]) -> None:
    assert find_family("fruit") is fruits


def test_the_home_of_a_family_is_imported_by_the_first_look_up() -> None:
    code = "from duelist.core.registry import FAMILIES, find_family; import sys; "
    code += "print(len(FAMILIES), 'duelist.dueling' in sys.modules, 'rucb' in list(find_family('policy')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "False", "True"]


def test_an_unknown_family_is_answered_with_the_nearest_and_all_known() -> None:
    with pytest.raises(UnknownName, match=r"unknown family 'polcy' \(did you mean 'policy'\?\)\. Known: policy, env"):
        find_family("polcy")


def test_a_module_of_ones_own_may_be_called_as_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fruits: Registry[type]
) -> None:
    (tmp_path / "plum.py").write_text("class Plum:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    plum = importlib.import_module("plum").Plum
    fruits.add("plum", plum)
    assert fruits.get("plum:Plum") is plum
    with pytest.raises(BadInput, match="'pear:Pear': parameters are written pear:NAME=VALUE"):
        fruits.get("pear:Pear")
