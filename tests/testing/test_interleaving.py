"""The contract notices what it says it notices: each method here is broken in one way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.interleaving import Method, Shown, TeamDraft, audit, check_clicks, check_rankings
from duelist.testing import check_interleaving
from duelist.testing import interleaving as contract


@pytest.fixture(autouse=True)
def _fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is broken here is so by dozens of standard errors, of a quarter of the usual lists too."""
    monkeypatch.setattr(contract, "kept_audit", partial(audit, draws=5000))


DRAFT = TeamDraft()


class Copied(Method):
    """A method of one's own that keeps the contract: team draft, without a distribution."""

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        drafted = DRAFT.combine(check_rankings(self, rankings, length), length, rng)
        return drafted._replace(method=self.name)

    def credit(self, shown: Shown, clicks: Any) -> Floats:
        scores = np.zeros(shown.rankers + 1)
        for slot in check_clicks(self, shown, clicks):
            scores[shown.teams[slot]] += 1
        return scores[:-1]


class LosesTheLast(Copied):
    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        shown = super().combine(rankings, length, rng)
        return shown._replace(ranking=shown.ranking[:-1]) if len(shown.ranking) > 2 else shown


class Repeats(Copied):
    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        shown = super().combine(rankings, length, rng)
        return shown._replace(ranking=shown.ranking[:-1] + shown.ranking[:1])


class Invents(Copied):
    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        shown = super().combine(rankings, length, rng)
        return shown._replace(ranking=("advertisement", *shown.ranking[1:]))


class PaysForNothing(Copied):
    def credit(self, shown: Shown, clicks: Any) -> Floats:
        return super().credit(shown, clicks) + 1


class CountsTwice(Copied):
    def credit(self, shown: Shown, clicks: Any) -> Floats:
        return super().credit(shown, clicks) * len(list(clicks))


class TakesAnyClick(Copied):
    def credit(self, shown: Shown, clicks: Any) -> Floats:
        return super().credit(shown, [click for click in clicks if 0 <= click < len(shown.ranking)])


class RemembersTheLast(Copied):
    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        shown = super().combine(rankings, length, rng)
        self.teams = shown.teams
        return shown

    def credit(self, shown: Shown, clicks: Any) -> Floats:
        teams = (self.teams + (-1,) * 9)[: len(shown.ranking)]
        return super().credit(shown._replace(teams=teams), clicks)


class Unstable(Copied):
    """Luck of its own."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        return super().combine(rankings, length, self.rng)


class Alphabetical(Copied):
    """Orders what it shows by name."""

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        shown = super().combine(rankings, length, rng)
        return shown._replace(ranking=tuple(sorted(shown.ranking, key=repr)))


class Loose(Copied):
    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        return super().combine([list(dict.fromkeys(ranking)) for ranking in rankings], length, rng)


class FirstFirst(Copied):
    """The first ranker always adds first."""

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        shown = super().combine(rankings, length, rng)
        for _ in range(20):
            if shown.teams[0] <= 0:
                break
            shown = super().combine(rankings, length, rng)
        return shown


class WrongDistribution(TeamDraft):
    def distribution(self, rankings: Any, length: int) -> list[tuple[float, Shown]]:
        outcomes = super().distribution(rankings, length)
        return [(1 / len(outcomes) + (n == 0) * 0.1 - 0.1 / len(outcomes), s) for n, (_, s) in enumerate(outcomes)]


class Incomplete(TeamDraft):
    def distribution(self, rankings: Any, length: int) -> list[tuple[float, Shown]]:
        return super().distribution(rankings, length)[:1]


class FalselyExtends(Copied):
    extends = True

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        rng.random(length)
        return super().combine(rankings, length, rng)


BROKEN = [
    (LosesTheLast, "documents shown of"),
    (Repeats, "has a document twice"),
    (Invents, "a document that is not in"),
    (PaysForNothing, "without clicks the scores are"),
    (CountsTwice, "repeated, score"),
    (TakesAnyClick, "a click on position -1 of 5 must be refused"),
    (RemembersTheLast, "credit depends on lists made later"),
    (Unstable, "the same luck made"),
    (Alphabetical, "became"),
    (Loose, "must be refused with BadInput"),
    (FirstFirst, "unbiased: no"),
    (WrongDistribution, "does not draw"),
    (Incomplete, "sum to|which the distribution does not have"),
    (FalselyExtends, "it extends, but"),
]


@pytest.mark.parametrize(("method", "complaint"), BROKEN, ids=[method.__name__ for method, _ in BROKEN])
def test_a_broken_method_is_noticed(method: type[Method], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_interleaving(method)


def test_a_method_of_ones_own_passes_and_is_sampled() -> None:
    found = check_interleaving(Copied)
    assert found.sampled
    assert found.method == "copied"
    assert not found.fidelity.holds


def test_properties_can_be_required() -> None:
    with pytest.raises(AssertionError, match=r"team-draft: fidelity: no \(-0.5; abcde/eacbd, relevant c, d\)"):
        check_interleaving(TeamDraft(), require=["fidelity"])
    with pytest.raises(BadInput, match="unbiased, fidelity, considerate, not 'fair'"):
        check_interleaving(TeamDraft(), require=["fair"])


def test_parameters_are_taken_from_an_instance() -> None:
    @dataclass(frozen=True)
    class Sized(TeamDraft):
        size: int = 3

    assert check_interleaving(Sized(size=5)).method == "sized, size 5"
