"""Decide by enumeration whether a method can be trusted, and find the worst counterexample.

*Unbiased*: clicks that do not depend on the documents prefer nobody: a click on one slot alone, and
independent clicks on every slot with probability 1/2; at every length.
*Fidelity*: of two rankings of which one places no relevant document lower and one strictly higher, the
better one is preferred when relevant documents alone are clicked, each with probability 1/2; in lists
shown in full.
*Considerate*: a document in slot i has rank i or better in some ranking; at every length.

The rankings are abcde and each of its 120 permutations: up to the names of the documents, that is every
pair. Preferences are expected differences of the two scores. Slots are counted from 1, like ranks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.interleaving.balanced import Balanced
from duelist.interleaving.competitive_pair import CompetitivePair
from duelist.interleaving.debiased_balanced import DebiasedBalanced
from duelist.interleaving.method import Method, Shown, has_distribution, whole
from duelist.interleaving.optimized import Optimized
from duelist.interleaving.pairwise_preference import PairwisePreference
from duelist.interleaving.probabilistic import Probabilistic
from duelist.interleaving.sample_scored_only import SampleScoredOnly
from duelist.interleaving.team_draft import TeamDraft
from duelist.present.tables import Table

DOCUMENTS = "abcde"  # with four, team draft's worst failure would be missed
LENGTHS = tuple(range(len(DOCUMENTS), 0, -1))
TOLERANCE = 1e-9  # of exact values
SIGNIFICANT = 4.0  # errors away from zero, of sampled ones
SUSPECTS = 5  # sampled cases of each property that are drawn anew, with many more draws

Pair = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """A pair of rankings, how they were clicked, and what came of it."""

    value: float  # expected preference for the first ranking; slots too high, where that is the question
    error: float  # standard error of a sampled value, 0 of an exact one
    rankings: Pair
    length: int
    slot: int | None = None  # the one clicked, or the one with a document too high
    relevant: str | None = None

    @property
    def strength(self) -> float:
        """The value, in errors if it was sampled."""
        return self.value / (self.error or 1.0)

    @property
    def is_zero(self) -> bool:
        """Whether the value cannot be told from 0."""
        return abs(self.strength) <= (SIGNIFICANT if self.error else TOLERANCE)

    def __str__(self) -> str:
        clicked = "random clicks" if self.slot is None else f"slot {self.slot}"
        how = clicked if self.relevant is None else f"relevant {', '.join(self.relevant)}"
        error = f" ± {self.error:.2g}" if self.error else ""
        cut = "" if self.length == len(DOCUMENTS) else f", {self.length} shown"
        return f"{self.value:+.3g}{error}; {'/'.join(self.rankings)}{cut}, {how}"


@dataclass(frozen=True)
class Finding:
    """Whether a property holds, and the case where it holds least."""

    holds: bool
    worst: Case

    def __str__(self) -> str:
        answer = "yes" if self.holds else "no"
        return answer if self.holds and self.worst.value == 0 else f"{answer} ({self.worst})"


@dataclass(frozen=True)
class Audit:
    """What is true of a method for two rankings of five documents.

    >>> from duelist.interleaving import TeamDraft
    >>> print(audit(TeamDraft()))
    team-draft, two rankings of 5 documents, exact
      unbiased     yes
      fidelity     no (-0.5; abcde/eacbd, relevant c, d)
      never loses  no
      considerate  yes
    """

    method: str  # its name, and the parameters that are not as usual
    sampled: bool  # it has no distribution: values have errors, and what holds was not contradicted
    unbiased: Finding
    fidelity: Finding
    considerate: Finding

    @property
    def never_loses(self) -> bool:
        """Whether the better ranking is at least never the less preferred one."""
        return self.fidelity.worst.value >= 0 or self.fidelity.worst.is_zero

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        facts = asdict(self)
        facts["fidelity"]["never_loses"] = self.never_loses
        return facts

    def __str__(self) -> str:
        lines = [f"{self.method}, two rankings of {len(DOCUMENTS)} documents, {'sampled' if self.sampled else 'exact'}"]
        never_loses = "yes" if self.never_loses else "no"
        lines += [f"  unbiased     {self.unbiased}", f"  fidelity     {self.fidelity}"]
        lines += [f"  never loses  {never_loses}", f"  considerate  {self.considerate}"]
        return "\n".join(lines)


def audit(method: Method, draws: int = 20_000, seed: int = 0) -> Audit:
    """Decide the three properties: exactly if the method has a distribution, else from samples.

    Of a method that must be sampled every case is looked at with draws / 100 lists, and the most suspicious
    ones are drawn anew with `draws`. What these do not contradict, by four standard errors, holds.

    >>> from duelist.interleaving import Balanced
    >>> found = audit(Balanced())
    >>> found.unbiased.worst.value, found.fidelity.holds, found.considerate.holds
    (-1.0, True, True)
    """
    if whole(draws, "draws") < 1000:
        raise BadInput(f"draws must be a whole number of at least 1000, not {draws!r}")
    sampled, rng = not has_distribution(method), np.random.default_rng(seed)
    bias, losses, lifts = _all_cases(method, draws // 100 if sampled else 0, rng)
    if sampled:
        bias = _draw_anew(method, sorted(bias, key=lambda case: -abs(case.strength))[:SUSPECTS], draws, rng)
        losses = _draw_anew(method, sorted(losses, key=lambda case: case.strength)[:SUSPECTS], draws, rng)
    worst_bias = max(bias, key=lambda case: abs(case.strength))
    worst_loss = min(losses, key=lambda case: case.strength)
    worst_lift = max(lifts, key=lambda case: case.value)
    return Audit(
        method=str(method) if isinstance(method, Method) else type(method).__name__,
        sampled=sampled,
        unbiased=Finding(worst_bias.is_zero, worst_bias),
        fidelity=Finding(worst_loss.strength > (-SIGNIFICANT if sampled else TOLERANCE), worst_loss),
        considerate=Finding(worst_lift.value == 0, worst_lift),
    )


def _all_cases(method: Method, draws: int, rng: np.random.Generator) -> tuple[list[Case], list[Case], list[Case]]:
    """Where a method could be biased, prefer the worse ranking, or show a document too high."""
    bias: list[Case] = []
    losses: list[Case] = []
    lifts: list[Case] = []
    for length in LENGTHS:
        for second in map("".join, permutations(DOCUMENTS)):
            lists = Lists(method, (DOCUMENTS, second), length, draws, rng)
            bias += lists.position_cases()
            lifts.append(lists.highest_lift())
            if length == len(DOCUMENTS):
                losses += lists.relevance_cases()
    return bias, losses, lifts


def _draw_anew(method: Method, suspects: Sequence[Case], draws: int, rng: np.random.Generator) -> list[Case]:
    """The same cases from fresh samples: the worst of many small samples looks worse than it is."""
    again = []
    for suspect in suspects:
        lists = Lists(method, suspect.rankings, suspect.length, draws, rng)
        cases = lists.relevance_cases() if suspect.relevant else lists.position_cases()
        again += [case for case in cases if (case.slot, case.relevant) == (suspect.slot, suspect.relevant)]
    return again


class Lists:
    """The lists that a method shows for two rankings, and the preference that every set of clicks would give."""

    def __init__(self, method: Method, rankings: Pair, length: int, draws: int, rng: np.random.Generator) -> None:
        self.rankings, self.length, self.draws = rankings, length, draws
        if draws:
            counts = Counter(method.combine(rankings, length, rng) for _ in range(draws))
            outcomes = [(count / draws, shown) for shown, count in counts.items()]
        else:
            outcomes = method.distribution(rankings, length)
        for _, shown in outcomes:
            if len(shown.ranking) != length:
                raise BadInput(f"{method!r} showed {shown.ranking} of {rankings} where {length} were asked for")
        self.chances = np.array([chance for chance, _ in outcomes])
        self.shown = [shown.ranking for _, shown in outcomes]
        scores = credit_all(method, [shown for _, shown in outcomes], length)
        self.preferences = scores[..., 0] - scores[..., 1]

    def position_cases(self) -> Iterator[Case]:
        """A click on each slot alone, and independent clicks on all."""
        for slot in range(self.length):
            yield self._case(self.preferences[:, 1 << slot], slot=slot + 1)
        yield self._case(self.preferences.mean(1))

    def relevance_cases(self) -> Iterator[Case]:
        """Every set of relevant documents by which the first ranking is the better one."""
        subsets = self.preferences.copy()  # becomes, for each set of slots, the sum over clicks inside it
        for slot in range(self.length):
            without = np.flatnonzero(np.arange(subsets.shape[1]) >> slot & 1 == 0)
            subsets[:, without | 1 << slot] += subsets[:, without]
        first, second = self.rankings
        for size in range(1, len(first) + 1):
            for relevant in combinations(first, size):
                gains = [second.index(document) - first.index(document) for document in relevant]
                if min(gains) >= 0 < max(gains):
                    slots = [sum(1 << ranking.index(d) for d in relevant) for ranking in self.shown]
                    means = subsets[np.arange(len(slots)), slots] / 2**size
                    yield self._case(means, relevant="".join(relevant))

    def highest_lift(self) -> Case:
        """The document shown the most slots above its better rank."""
        first, second = map(tuple, self.rankings)
        lift, slot = max(
            (min(first.index(document), second.index(document)) - slot, -slot)
            for ranking in self.shown
            for slot, document in enumerate(ranking)
        )
        return Case(max(0.0, float(lift)), 0.0, self.rankings, self.length, slot=1 - slot)

    def _case(self, values: Floats, slot: int | None = None, relevant: str | None = None) -> Case:
        """The mean of a value of each list; an error of one draw is the least a sample can have."""
        mean = float(self.chances @ values)
        error = 0.0
        if self.draws:
            variance = float(self.chances @ (values - mean) ** 2)
            error = max(math.sqrt(variance / self.draws), 1 / self.draws)
        return Case(round(mean, 12) + 0.0, error, self.rankings, self.length, slot, relevant)


def credit_all(method: Method, lists: Sequence[Shown], length: int) -> Floats:
    """Scores[list, clicks, ranker] of every set of clicks on lists of one length."""
    sets = click_sets(length)
    if type(method) is not Probabilistic:
        return np.array([[method.credit(shown, clicks) for clicks in sets] for shown in lists])
    # It shows every list of every pair of rankings: so many are credited by compiled code.
    chances = np.array([shown.weights for shown in lists])
    clicked = np.arange(len(sets))[:, None] >> np.arange(length) & 1 == 1
    scores = method.credit_many(np.repeat(chances, len(sets), 0), np.tile(clicked, (len(lists), 1)))
    return scores.reshape(len(lists), len(sets), 2)


@cache
def click_sets(size: int) -> list[list[int]]:
    """All sets of clicked positions; the bits of its index are the positions of a set."""
    return [[slot for slot in range(size) if clicks >> slot & 1] for clicks in range(1 << size)]


def built_in() -> list[Method]:
    """Every method, with the parameters that make a difference."""
    two_rankings = [Balanced(), DebiasedBalanced(), TeamDraft(), CompetitivePair()]
    more = [Probabilistic(), Probabilistic(tau=1.0), Optimized(), SampleScoredOnly()]
    return [*two_rankings, *more, PairwisePreference(), PairwisePreference(pairing="all")]


def audit_table(audits: Sequence[Audit]) -> Table:
    """What several audits found, a line each.

    >>> print(audit_table([audit(Balanced()), audit(TeamDraft())]))
    method                          unbiased                                         fidelity  considerate
    ----------  ----------------------------  -----------------------------------------------  -----------
    balanced    no (-1; abcde/abdec, slot 5)  yes (+0.0625; abcde/bacde, relevant a, c, d, e)          yes
    team-draft                           yes            no (-0.5; abcde/eacbd, relevant c, d)          yes
    """
    properties = ("unbiased", "fidelity", "considerate")
    rows = [[found.method, *(str(getattr(found, name)) for name in properties)] for found in audits]
    return Table(["method", *properties], rows)
