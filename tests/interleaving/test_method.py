from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput, UnknownName
from duelist.interleaving import METHODS, CompetitivePair, DebiasedBalanced, Method, Probabilistic, Shown, TeamDraft
from duelist.interleaving.method import check_clicks, has_distribution, make_method, ranks_of


def test_every_method_has_its_name_on_the_command_line() -> None:
    assert {
        "balanced",
        "team-draft",
        "probabilistic",
        "optimized",
        "competitive-pair",
        "debiased-balanced",
        "sample-scored-only",
        "pairwise-preference",
    } == {name for name in METHODS if METHODS.get(name).__module__.startswith("duelist.")}


def test_a_misspelt_method_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'team-draft'"):
        METHODS.get("team-drafd")


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("team-draft", [], "team-draft"),
        ("probabilistic", ["tau=2.5"], "probabilistic, tau 2.5"),
        ("pairwise-preference", ["pairing=all"], "pairwise-preference, pairing all"),
        ("optimized", ["strict=true", "per_click=negative"], "optimized, per_click negative, strict True"),
        ("optimized", ["strict=true,candidates=9"], "optimized, strict True, candidates 9"),
        ("debiased-balanced", ["examination=1+0.5"], "debiased-balanced, examination (1.0, 0.5)"),
        ("probabilistic:tau=2", [], "probabilistic, tau 2.0"),
        ("optimized:strict=true", ["candidates=9"], "optimized, strict True, candidates 9"),
    ],
)
def test_a_method_is_made_from_text(name: str, settings: list[str], said: str) -> None:
    assert str(make_method(name, settings)) == said


@pytest.mark.parametrize(
    ("name", "setting", "complaint"),
    [
        ("probabilistic", "tau", "settings are written NAME=VALUE, each name once, not 'tau'"),
        ("probabilistic", "tua=1", "probabilistic has no parameter 'tua' .did you mean 'tau'"),
        ("probabilistic", "tau=x", "tau must be a number at least 0 and at most 20, not 'x'"),
        ("probabilistic", "tau=-1", "at least 0 and at most 20, not -1"),
        ("probabilistic", "tau=1,2", r"tau must be a number .*, not \[1, 2\]"),
        ("pairwise-preference", "pairing=below", "one of above, all, not 'below'"),
        ("optimized", "per_click=rank", "one of inverse, negative, not 'rank'"),
        ("optimized", "candidates=0", "at least 1, not 0"),
        ("debiased-balanced", "examination=1+0", "above 0, not 0"),
        ("team-draft", "tau=1", "its parameters: neutral"),
    ],
)
def test_a_bad_parameter_is_named(name: str, setting: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        make_method(name, [setting])


def test_a_document_that_a_ranking_lacks_ranks_just_below_its_last() -> None:
    assert ranks_of([("a", "b", "c"), (), ("c",)], "ca") == ((3, 1, 1), (1, 1, 2))


@pytest.mark.parametrize(
    ("clicks", "slots"),
    [
        ([], []),
        ([0, 2, 3], [0, 2, 3]),
        ((3, 0, 2), [0, 2, 3]),
        ([2, 2, 0, 2], [0, 2]),
        (iter([1, 3, 3]), [1, 3]),
        ({3: 1.0, 1: 1.0}, [1, 3]),
        (np.array([3, 0, 3]), [0, 3]),
        ([1, np.int64(1), np.int8(3)], [1, 3]),
        (range(3, -1, -1), [0, 1, 2, 3]),
    ],
)
def test_clicks_are_put_in_order(clicks: Any, slots: list[int]) -> None:
    found = check_clicks(TeamDraft(), Shown(tuple("abcd"), 2, "team-draft"), clicks)
    assert found == slots
    assert found is not clicks
    assert {type(slot) for slot in found} <= {int}


@pytest.mark.parametrize(
    ("clicks", "complaint"),
    [
        ([0, 1, 4], "there is no position 4 in a shown list of 4, counted from 0"),
        ([5, 1], "there is no position 5"),
        ([-1, 0], "there is no position -1"),
        ([2, -3, 9], "there is no position -3"),
        ([0, True], "a click must be a whole number, not True"),
        ([0, 2.0], "a click must be a whole number, not 2.0"),
        (["a"], "a click must be a whole number, not 'a'"),
        ([0, "a"], r"clicks must be positions in the shown list, counted from 0, not \[0, 'a'\]"),
        ([0, [1]], r"clicks must be positions in the shown list, counted from 0, not \[0, \[1\]\]"),
        (3, "clicks must be positions in the shown list, counted from 0, not 3"),
    ],
)
def test_a_click_that_is_none_is_named(clicks: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        check_clicks(TeamDraft(), Shown(tuple("abcd"), 2, "team-draft"), clicks)


def test_an_inherited_distribution_does_not_speak_for_a_combine_of_ones_own() -> None:
    class OwnCombine(TeamDraft):
        def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
            return super().combine(rankings, length, rng)

    class OwnCredit(TeamDraft):
        def credit(self, shown: Shown, clicks: Any) -> Any:
            return super().credit(shown, clicks)

    class Neither(Method):
        pass

    assert not has_distribution(OwnCombine())
    assert has_distribution(OwnCredit())
    assert not has_distribution(Neither())
    for call, arguments in (("combine", 3), ("distribution", 2), ("proceed", 4)):
        with pytest.raises(TypeError, match=f"Neither has no {call}"):
            getattr(Neither(), call)(*[None] * arguments)
    with pytest.raises(TypeError, match="Neither has no credit, and its list no teams"):
        Neither().credit(Shown(("a",), 2), [0])


def test_a_constructor_checks_too() -> None:
    with pytest.raises(BadInput, match="tau must be a number at least 0 and at most 20, not 21"):
        Probabilistic(tau=21)
    assert Probabilistic(tau=1) == Probabilistic(tau=1.0)
    assert DebiasedBalanced([1, 0.5]).examination == (1.0, 0.5)  # type: ignore[arg-type]


def test_a_method_that_needs_more_is_refused() -> None:
    @dataclass(frozen=True)
    class Needy(CompetitivePair):
        patience: int

    assert Needy(3).combine(["ab", "ba"], 2, np.random.default_rng(0)).ranking
    with pytest.raises(BadInput, match=r"needy cannot be made with {}: .*patience"):
        make_method("needy")
