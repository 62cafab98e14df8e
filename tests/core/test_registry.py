"""Names are found, misspelt ones are helped, and two things never share one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from duelist.core.errors import BadInput, UnknownName
from duelist.core.registry import Registry


class Apple:
    pass


class Pear:
    pass


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


def test_a_misspelt_name_is_answered_with_the_nearest_and_all_known(fruits: Registry[type]) -> None:
    with pytest.raises(UnknownName, match=r"unknown fruit 'aple'\. Did you mean 'apple'\? Known: apple, pear$"):
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
