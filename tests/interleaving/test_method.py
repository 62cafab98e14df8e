from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput, UnknownName
from duelist.interleaving import METHODS, Method, Shown, TeamDraft
from duelist.interleaving.method import has_distribution, make_method, ranks_of


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
    } <= set(METHODS)


def test_a_misspelt_method_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'team-draft'"):
        METHODS.get("team-drafd")


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("team-draft", [], "team-draft"),
        ("probabilistic", ["tau=2.5"], "probabilistic, tau 2.5"),
        ("pairwise-preference", ["pairing=all"], "pairwise-preference, pairing all"),
        ("optimized", ["strict=true", "per_click=negative"], "optimized, per_click negative, strict True"),
        ("debiased-balanced", ["examination=[1, 0.5]"], "debiased-balanced, examination (1, 0.5)"),
    ],
)
def test_a_method_is_made_from_text(name: str, settings: list[str], said: str) -> None:
    assert str(make_method(name, settings)) == said


@pytest.mark.parametrize(
    ("name", "setting", "complaint"),
    [
        ("probabilistic", "tau", "NAME=VALUE for tau"),
        ("probabilistic", "tua=1", "NAME=VALUE for tau"),
        ("probabilistic", "tau=x", "cannot be made with {'tau': 'x'}"),
        ("probabilistic", "tau=-1", "from 0 to 20, not -1"),
        ("pairwise-preference", "pairing=below", "one of above, all, not 'below'"),
        ("optimized", "per_click=rank", "one of inverse, negative, not 'rank'"),
        ("optimized", "candidates=0", "at least 1, not 0"),
        ("debiased-balanced", "examination=[1, 0]", "above 0, not 0"),
        ("team-draft", "tau=1", "no parameter"),
    ],
)
def test_a_bad_parameter_is_named(name: str, setting: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        make_method(name, [setting])


def test_a_document_that_a_ranking_lacks_ranks_just_below_its_last() -> None:
    assert ranks_of([("a", "b", "c"), (), ("c",)], "ca") == ((3, 1, 1), (1, 1, 2))


def test_documents_that_json_cannot_hold_are_refused() -> None:
    with pytest.raises(BadInput, match="JSON has no form"):
        Shown((frozenset({1}),), 2).to_json()


def test_numbers_of_numpy_are_stored_as_numbers() -> None:
    shown = TeamDraft().combine(np.array([[1, 2], [2, 1]]), 2, np.random.default_rng(0))
    assert Shown.from_json(shown.to_json()) == shown


@pytest.mark.parametrize("text", ["", "[1]", '{"ranking": []}', '{"ranking": [], "rankers": 2, "colour": 1}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not the JSON of a shown list"):
        Shown.from_json(text)


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
    for call in ("combine", "credit", "distribution"):
        with pytest.raises(TypeError, match=f"Neither has no {call}"):
            getattr(Neither(), call)(*[None] * {"combine": 3}.get(call, 2))
