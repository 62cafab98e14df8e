"""What every interleaving method must do, whoever wrote it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.interleaving.audit import Audit
from duelist.interleaving.kept import kept_audit
from duelist.interleaving.method import Method, Shown, has_distribution
from duelist.testing.source import check_luck

PROPERTIES = ("unbiased", "fidelity", "considerate")

# Equal, shared beginnings, nothing in common, unequal, empty, and documents of other kinds than text.
PAIRS: tuple[tuple[Sequence[Hashable], Sequence[Hashable]], ...] = (
    ("abcde", "cbdea"),
    ("abcde", "abdce"),
    ("abc", "def"),
    ("abcdef", "fb"),
    ("abc", ""),
    ([1, (2, "x"), None, 3.5], [None, 1, frozenset({4}), (2, "x")]),
)
THIRD = "dabce"
DRAWS = 4000


def check_interleaving(method: Method | type[Method], require: Collection[str] = ("unbiased",)) -> Audit:
    """Run the contract on `method` and audit it; an AssertionError says what is broken.

    `require` names the properties that must hold of unbiased, fidelity and considerate. The audit is
    returned, and prints with its worst counterexamples.

    >>> from duelist.interleaving import TeamDraft
    >>> check_interleaving(TeamDraft).fidelity.worst.rankings
    ('abcde', 'eacbd')
    """
    if unknown := set(require) - set(PROPERTIES):
        raise BadInput(f"require must name some of {', '.join(PROPERTIES)}, not {sorted(unknown)[0]!r}")
    checked = method() if isinstance(method, type) else method
    check_luck(type(checked), ("combine", "credit"))
    check_takes_three(checked)
    for rankings in cases(checked):
        check_lists(checked, rankings)
    check_values_survive(checked)
    for rankings in cases(checked):
        check_credit(checked, rankings)
        check_names_do_not_matter(checked, rankings)
        check_extends(checked, rankings)
        if has_distribution(checked):
            check_distribution(checked, rankings)
    check_refusals(checked)
    found = kept_audit(checked)
    for name in require:
        expect(getattr(found, name).holds, checked, f"{name}: {getattr(found, name)}")
    return found


def cases(method: Method) -> list[Sequence[Sequence[Hashable]]]:
    """Pairs of rankings, and three rankings where the method takes them."""
    return [*PAIRS] if method.only_two else [*PAIRS, ("abcde", "cbdea", THIRD), ("abcde", "ab", THIRD)]


def check_takes_three(method: Method) -> None:
    """Lists are made of three rankings too, unless the method says that it compares two."""
    rankings = ("abcde", "cbdea", THIRD)
    for number in (2,) if method.only_two else (2, 3):
        hint = "" if number == 2 else " (a method for two rankings alone says only_two = True)"
        try:
            shown = method.combine(rankings[:number], 3, np.random.default_rng(0))
            scores = method.credit(shown, [0]) if isinstance(shown, Shown) else ()
        except Exception as error:
            raise AssertionError(f"{method.name} fails with {number} rankings{hint}: {error!r}") from error
        expect(isinstance(shown, Shown), method, f"combine must return a Shown, not {shown!r}")
        expect(len(scores) == number, method, f"credit gives {len(scores)} scores for {number} rankings{hint}")


def check_lists(method: Method, rankings: Sequence[Sequence[Hashable]]) -> None:
    """No document is lost, invented or shown twice, and as many are shown as were asked for."""
    documents = {document for ranking in rankings for document in ranking}
    for length in (1, 2, 3, 10):
        shown = method.combine(rankings, length, np.random.default_rng(length)).ranking
        right = min(length, len(documents))
        expect(len(shown) == right, method, f"{len(shown)} documents shown of {rankings} instead of {right}")
        expect(len(set(shown)) == len(shown), method, f"{shown} has a document twice")
        expect(set(shown) <= documents, method, f"{shown} has a document that is not in {rankings}")


def check_credit(method: Method, rankings: Sequence[Sequence[Hashable]]) -> None:
    """A finite score for each ranker: 0 without clicks, the same for clicks in any order and repeated."""
    shown = method.combine(rankings, 5, np.random.default_rng(1))
    size = len(shown.ranking)
    nothing = method.credit(shown, [])
    expect(
        nothing.shape == (len(rankings),), method, f"credit has the shape {nothing.shape} for {len(rankings)} rankers"
    )
    expect(not nothing.any(), method, f"without clicks the scores are {nothing}")
    for clicks in ([0], [size - 1], list(range(size))):
        scores = method.credit(shown, clicks)
        expect(bool(np.isfinite(scores).all()), method, f"clicks {clicks} on {shown} score {scores}")
        again = method.credit(shown, [*reversed(clicks), *clicks])
        expect(np.array_equal(scores, again), method, f"clicks {clicks}, repeated, score {again} instead of {scores}")
    for click in (-1, size):
        refuses(method, lambda click=click: method.credit(shown, [click]), f"a click on position {click} of {size}")


def check_names_do_not_matter(method: Method, rankings: Sequence[Sequence[Hashable]]) -> None:
    """With the same luck, renamed documents give the renamed list and the same scores."""
    names = {document: ("renamed", n) for n, document in enumerate(dict.fromkeys(d for r in rankings for d in r))}
    shown = method.combine(rankings, 4, np.random.default_rng(2))
    renamed = method.combine([[names[d] for d in r] for r in rankings], 4, np.random.default_rng(2))
    expect(
        renamed.ranking == tuple(names[d] for d in shown.ranking), method, f"{shown.ranking} became {renamed.ranking}"
    )
    clicks = range(0, len(shown.ranking), 2)
    same = np.array_equal(method.credit(shown, clicks), method.credit(renamed, clicks))
    expect(same, method, f"the scores of {shown.ranking} depend on the names of its documents")


def check_extends(method: Method, rankings: Sequence[Sequence[Hashable]]) -> None:
    """A method that says so makes lists whose beginning does not depend on their length."""
    if method.extends:
        short, long = (method.combine(rankings, length, np.random.default_rng(4)).ranking for length in (3, 10))
        expect(long[:3] == short, method, f"it extends, but {short} became {long}")


def check_distribution(method: Method, rankings: Sequence[Sequence[Hashable]]) -> None:
    """The probabilities sum to 1, and combine draws by them (chi-squared, one false alarm in a million)."""
    outcomes = method.distribution(rankings, 4)
    whole = sum(chance for chance, _ in outcomes)
    expect(abs(whole - 1) < 1e-9, method, f"the probabilities for {rankings} sum to {whole}")
    expected: Counter[Shown] = Counter()
    for chance, shown in outcomes:
        expected[_rounded(shown)] += chance  # type: ignore[assignment]  # a counter of probabilities
    rng = np.random.default_rng(3)
    drawn = Counter(_rounded(method.combine(rankings, 4, rng)) for _ in range(DRAWS))
    stray = drawn.keys() - expected.keys()
    expect(not stray, method, f"combine drew {next(iter(stray), None)}, which the distribution does not have")
    bins: dict[Shown | None, tuple[float, int]] = {None: (1e-9, 0)}  # lists too rare to be compared share one
    for shown, chance in expected.items():
        key = shown if DRAWS * chance >= 5 else None
        likely, seen = bins.get(key, (0.0, 0))
        bins[key] = (likely + DRAWS * chance, seen + drawn[shown])
    statistic = sum((seen - likely) ** 2 / likely for likely, seen in bins.values())
    expect(
        bool(statistic < scipy.stats.chi2.isf(1e-6, len(bins))),
        method,
        f"combine does not draw {rankings} by distribution",
    )


def _rounded(shown: Shown) -> Shown:
    """Weights that were computed in another order of operations are still the same."""
    return shown._replace(weights=tuple(tuple(round(weight, 9) for weight in row) for row in shown.weights))


def check_values_survive(method: Method) -> None:
    """Lists are credited the same after other lists were made, and after they were stored."""
    rankings = ("abcde", "cbdea")
    first, again = (method.combine(rankings, 4, np.random.default_rng(7)) for _ in range(2))
    expect(first == again, method, f"the same luck made {first} and {again}")
    before = method.credit(first, [0, 2])
    for seed in range(5):
        other = method.combine(("vwxyz", "zyxwv"), 5, np.random.default_rng(seed))
        method.credit(other, [0, 4])
    expect(np.array_equal(method.credit(first, [0, 2]), before), method, "credit depends on lists made later")
    stored = Shown.from_json(first.to_json())
    expect(np.array_equal(method.credit(stored, [0, 2]), before), method, "credit changed when the list was stored")


def check_refusals(method: Method) -> None:
    """Bad input is a BadInput."""
    rng = np.random.default_rng(0)
    bad: list[tuple[Any, Any]] = [(["aa", "ab"], 2), (["ab", "ba"], 0), (["ab"], 2), ([[["x"]], [["x"]]], 1)]
    bad += [(["abc", "bca", "cab"], 3)] if method.only_two else []
    for rankings, length in bad:
        refuses(method, lambda r=rankings, n=length: method.combine(r, n, rng), f"{rankings} at length {length}")


def refuses(method: Method, call: Any, what: str) -> None:
    """Complain unless `call` raises BadInput."""
    try:
        call()
    except BadInput:
        return
    except Exception as error:
        raise AssertionError(f"{method.name}: {what} must be a BadInput, not {error!r}") from error
    raise AssertionError(f"{method.name}: {what} must be refused with BadInput")


def expect(condition: bool, method: Method, complaint: str) -> None:
    """Raise an AssertionError with the method's name unless `condition` holds."""
    if not condition:
        raise AssertionError(f"{method.name}: {complaint}")
