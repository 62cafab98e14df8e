from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.interleaving import (
    Balanced,
    CompetitivePair,
    DebiasedBalanced,
    Method,
    Optimized,
    PairwisePreference,
    Probabilistic,
    SampleScoredOnly,
    Shown,
    TeamDraft,
    audit,
)
from duelist.interleaving.audit import Audit, Lists, click_sets, credit_all
from duelist.interleaving.kept import kept_audit

# Found by separate enumerations: unbiased, fidelity and considerate, with the worst value of each.
TABLE = [
    (Balanced(), (False, -1.0), (True, 0.0625), (True, 0)),
    (TeamDraft(), (True, 0), (False, -0.5), (True, 0)),
    (CompetitivePair(), (True, 0), (False, -0.5), (True, 0)),
    (Probabilistic(), (True, 0), (False, -0.01558), (False, 4)),
    (Probabilistic(tau=1), (True, 0), (True, 0.01772), (False, 4)),
    (Optimized(), (True, 0), (True, 0.025), (True, 0)),
    (Optimized(strict=True), (True, 0), (True, 0.025), (True, 0)),
    (SampleScoredOnly(), (False, -0.08796), (True, 0.003812), (True, 0)),
    (PairwisePreference(), (True, 0), (True, 0.7222), (True, 0)),
    (PairwisePreference(pairing="all"), (True, 0), (True, 0.7222), (True, 0)),
    (DebiasedBalanced(), (False, -0.9), (True, 0.1111), (True, 0)),
]


@cache
def audited(method: Method) -> Audit:
    """An audit that several tests look at, and the contract and the README's command as well."""
    return kept_audit(method)


@pytest.mark.parametrize(("method", "unbiased", "fidelity", "considerate"), TABLE, ids=[str(row[0]) for row in TABLE])
def test_the_table(method: Method, unbiased: Any, fidelity: Any, considerate: Any) -> None:
    found = audited(method)
    assert not found.sampled
    for finding, (holds, worst) in ((found.unbiased, unbiased), (found.fidelity, fidelity)):
        assert finding.holds is holds
        assert finding.worst.value == pytest.approx(worst, abs=1e-4)
        assert finding.worst.error == 0
    assert (found.considerate.holds, found.considerate.worst.value) == considerate
    assert found.never_loses is (fidelity[1] >= 0)


def test_counterexamples() -> None:
    biased = audit(Balanced()).unbiased.worst
    assert (biased.rankings, biased.slot, biased.length) == (("abcde", "abdec"), 5, 5)
    unfair = audit(TeamDraft()).fidelity.worst
    assert (unfair.rankings, unfair.relevant) == (("abcde", "eacbd"), "cd")
    unfair = audit(CompetitivePair()).fidelity.worst
    assert (unfair.rankings, unfair.relevant) == (("abcde", "eabdc"), "bd")


@pytest.mark.parametrize("method", [Balanced(), TeamDraft(), Probabilistic()], ids=str)
def test_the_worst_case_can_be_checked_by_hand(method: Method) -> None:
    """The expected preference of the counterexample, list by list and click by click."""
    worst = audited(method).fidelity.worst
    total = 0.0
    for chance, shown in method.distribution(worst.rankings, worst.length):
        slots = [slot for slot, document in enumerate(shown.ranking) if str(document) in str(worst.relevant)]
        for clicks in range(2 ** len(slots)):
            mine, theirs = method.credit(shown, [slot for bit, slot in enumerate(slots) if clicks >> bit & 1])
            total += chance * (mine - theirs) / 2 ** len(slots)
    assert total == pytest.approx(worst.value, abs=1e-12)


@pytest.mark.parametrize("method", [Probabilistic(), Probabilistic(tau=1)], ids=str)
@pytest.mark.parametrize("length", [5, 2])
def test_what_is_credited_at_once_is_what_is_credited_list_by_list(method: Method, length: int) -> None:
    shown = [each for _, each in method.distribution(("abcde", "cadeb"), length)]
    scores = [[method.credit(each, clicks) for clicks in click_sets(length)] for each in shown]
    assert np.array_equal(credit_all(method, shown, length), scores)


def test_json_has_the_three_answers() -> None:
    facts = json.loads(json.dumps(audit(TeamDraft()).as_dict()))
    assert facts["method"] == "team-draft"
    assert facts["unbiased"]["holds"] is True
    assert facts["fidelity"]["worst"]["relevant"] == "cd"
    assert facts["fidelity"]["never_loses"] is False
    assert facts["considerate"] == {
        "holds": True,
        "worst": {"value": 0.0, "error": 0.0, "rankings": ["abcde"] * 2, "length": 5, "slot": 1, "relevant": None},
    }


class Unknown(TeamDraft):
    """Team draft that must be sampled, since its combine is its own."""

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        return super().combine(rankings, length, rng)


class Eager(TeamDraft):
    """A mistake seen in the wild: in every round the first ranker adds first."""

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        drafted: dict[Any, int] = {}
        while len(drafted) < length:
            for ranker, ranking in enumerate(rankings):
                new = next((document for document in ranking if document not in drafted), None)
                if new is not None:
                    drafted[new] = ranker
        return Shown(tuple(drafted)[:length], 2, self.name, tuple(drafted.values())[:length])


class Inconsiderate(TeamDraft):
    """Turns the list upside down."""

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        shown = super().combine(rankings, length, rng)
        return shown._replace(ranking=shown.ranking[::-1], teams=shown.teams[::-1])


class Half(TeamDraft):
    """Shows half of what it should."""

    def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
        return super().combine(rankings, max(1, length // 2), rng)


class TakesBack(TeamDraft):
    """Has a distribution, but credits the other ranker."""

    def credit(self, shown: Shown, clicks: Any) -> Floats:
        return super().credit(shown, clicks)[::-1]


def test_a_sampled_method_is_judged_with_its_error() -> None:
    found = audit(Unknown(), draws=5000)
    assert found.sampled
    assert found.unbiased.holds
    assert 0 < found.unbiased.worst.error < 0.05
    assert not found.fidelity.holds
    assert found.fidelity.worst.rankings == ("abcde", "eacbd")
    assert abs(found.fidelity.worst.value + 0.5) < 5 * found.fidelity.worst.error
    assert found.considerate.holds
    assert "±" in str(found)


@pytest.mark.parametrize("seed", range(3))
def test_sampling_raises_no_false_alarm(seed: int) -> None:
    assert audit(Unknown(), draws=2000, seed=seed).unbiased.holds


def test_a_biased_sampled_method_is_found_out() -> None:
    found = audit(Eager(), draws=5000)
    assert not found.unbiased.holds
    assert found.unbiased.worst.slot in (1, 2, 3, 4, 5)
    assert abs(found.unbiased.worst.value) == 1


def test_an_inconsiderate_method_is_found_out() -> None:
    found = audit(Inconsiderate(), draws=1000)
    assert not found.considerate.holds
    assert found.considerate.worst.value == 4


def test_crediting_the_other_ranker_is_unbiased_and_loses() -> None:
    found = audit(TakesBack())
    assert not found.sampled
    assert found.unbiased.holds
    assert not found.fidelity.holds


def test_a_list_of_the_wrong_length_is_named() -> None:
    with pytest.raises(BadInput, match="where 5 were asked for"):
        audit(Half(), draws=1000)


def test_too_few_draws_are_refused() -> None:
    with pytest.raises(BadInput, match="at least 1000, not 10"):
        audit(Unknown(), draws=10)


def test_no_dominance_no_case() -> None:
    """Of abcde and its reverse, a set of relevant documents is a case if none moves up and one moves down."""
    lists = Lists(TeamDraft(), ("abcde", "edcba"), 5, 0, np.random.default_rng(0))
    relevant = sorted(str(case.relevant) for case in lists.relevance_cases())
    assert relevant == ["a", "ab", "abc", "ac", "b", "bc"]
