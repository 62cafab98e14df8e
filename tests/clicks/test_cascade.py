from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.clicks import Cascade, cascade, cascade_clicks
from duelist.clicks.cascade import simulate_page
from duelist.core.compile import compiled, plain
from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.spec import Spec

RULES = ("click", "examined")

# The table of the specification, column by column.
SPECIFIED: dict[str, dict[int, tuple[list[float], list[float]]]] = {
    "perfect": {
        2: ([0, 1], [0, 0]),
        3: ([0, 0.5, 1], [0, 0, 0]),
        5: ([0, 0.2, 0.4, 0.8, 1], [0] * 5),
    },
    "navigational": {
        2: ([0.05, 0.95], [0.2, 0.9]),
        3: ([0.05, 0.5, 0.95], [0.2, 0.5, 0.9]),
        5: ([0.05, 0.3, 0.5, 0.7, 0.95], [0.2, 0.3, 0.5, 0.7, 0.9]),
    },
    "informational": {
        2: ([0.4, 0.9], [0.1, 0.5]),
        3: ([0.4, 0.7, 0.9], [0.1, 0.3, 0.5]),
        5: ([0.4, 0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.4, 0.5]),
    },
    "almost-random": {
        2: ([0.4, 0.6], [0.5, 0.5]),
        3: ([0.4, 0.5, 0.6], [0.5] * 3),
        5: ([0.4, 0.45, 0.5, 0.55, 0.6], [0.5] * 5),
    },
}


def outcomes(user: Cascade, labels: list[int]) -> dict[tuple[int, ...], float]:
    """The probability of each set of clicks, walking every path a user can take."""
    found: dict[tuple[int, ...], float] = {}

    def walk(slot: int, clicks: tuple[int, ...], p: float) -> None:
        if slot == len(labels):
            found[clicks] = found.get(clicks, 0.0) + p
            return
        click, stop = float(user.click[labels[slot]]), float(user.stop[labels[slot]])
        for now, chance in (((*clicks, slot), click), (clicks, 1 - click)):
            may_stop = stop if now != clicks or user.rule == "examined" else 0.0
            found[now] = found.get(now, 0.0) + p * chance * may_stop
            walk(slot + 1, now, p * chance * (1 - may_stop))

    walk(0, (), 1.0)
    return found


@pytest.mark.parametrize("name", SPECIFIED)
@pytest.mark.parametrize("grades", [2, 3, 5])
def test_tables_are_the_specified_ones(name: str, grades: int) -> None:
    model = cascade(name, grades)
    assert (model.click.tolist(), model.stop.tolist()) == SPECIFIED[name][grades]
    assert model.rule == "click"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SPECIFIED)
def test_probabilities_are_those_of_every_path(name: str, rule: str) -> None:
    user, labels = cascade(name, 3, rule), [2, 0, 1, 1]
    every = outcomes(user, labels)
    assert sum(every.values()) == pytest.approx(1)
    marginal = [sum(p for clicks, p in every.items() if slot in clicks) for slot in range(4)]
    np.testing.assert_allclose(user.probabilities(labels), marginal, atol=1e-12)
    for clicks, p in every.items():
        if p == 0:
            continue
        given_above = user.probabilities(labels, clicks=list(clicks))
        pieces = [q if slot in clicks else 1 - q for slot, q in enumerate(given_above)]
        assert np.prod(pieces) == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["navigational", "almost-random"])
def test_simulated_clicks_have_these_probabilities(name: str, rule: str) -> None:
    user, labels, rng, draws = cascade(name, 3, rule), [1, 0, 2], np.random.default_rng(3), 4000
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(draws):
        clicks = tuple(user.clicks(labels, rng))
        seen[clicks] = seen.get(clicks, 0) + 1
    every = outcomes(user, labels)
    for clicks, p in every.items():
        assert seen.get(clicks, 0) / draws == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / draws))
    assert set(seen) <= {clicks for clicks, p in every.items() if p > 0}


def test_the_rules_differ_only_after_a_skip() -> None:
    labels = [0, 0, 2]
    after_click = cascade("navigational").probabilities(labels)
    after_any = cascade("navigational", rule="examined").probabilities(labels)
    assert after_click[0] == after_any[0]
    assert after_any[2] == pytest.approx(0.95 * 0.8**2)
    assert after_click[2] == pytest.approx(0.95 * (1 - 0.05 * 0.2) ** 2)


@compiled
def total_clicks(
    rounds: int, labels: Ints, click: Floats, stop: Floats, rng: np.random.Generator, clicked: Flags
) -> int:
    total = 0
    for _ in range(rounds):
        total += cascade_clicks(labels, click, stop, False, rng, clicked)
    return total


def test_the_kernel_serves_other_compiled_loops() -> None:
    user, labels, clicked = cascade("informational"), np.array([0, 2, 1]), np.zeros(3, np.bool_)
    total = total_clicks(20_000, labels, user.click, user.stop, np.random.default_rng(5), clicked)
    every = outcomes(user, [0, 2, 1])
    mean, square = (sum(p * len(clicks) ** power for clicks, p in every.items()) for power in (1, 2))
    assert total / 20_000 == pytest.approx(mean, abs=4.5 * np.sqrt((square - mean**2) / 20_000))


@settings(deadline=None)  # the first call compiles
@given(
    labels=st.lists(st.integers(0, 2), max_size=12),
    rule=st.sampled_from(RULES),
    name=st.sampled_from(sorted(SPECIFIED)),
    seed=st.integers(0, 2**32),
)
def test_compiled_and_plain_users_click_the_same(labels: list[int], rule: str, name: str, seed: int) -> None:
    user = cascade(name, 3, rule)
    clicks = user.clicks(labels, np.random.default_rng(seed))
    clicked = np.ones(len(labels), np.bool_)
    grades, examined = np.array(labels, np.int64), rule == "examined"
    count = plain(simulate_page)(grades, user.click, user.stop, examined, np.random.default_rng(seed), clicked)
    assert clicks == sorted(set(clicks)) == np.flatnonzero(clicked).tolist()
    assert count == len(clicks)


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        ([0, 3], "from 0 to 2, not 3"),
        ([-1], "from 0 to 2, not -1"),
        ([0.5], "from 0 to 2, not 0.5"),
        (["a"], "from 0 to 2, not 'a'"),
        ([float("nan")], "from 0 to 2, not nan"),
        ([[0, 1]], r"one list, but their shape is \(1, 2\)"),
    ],
)
def test_a_label_without_a_probability_is_named(labels: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        cascade("perfect").clicks(labels, np.random.default_rng(0))
    with pytest.raises(BadInput, match=complaint):
        cascade("perfect").probabilities(labels)


def test_bad_models_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"unknown clicks 'lazy'.*navigational"):
        cascade("lazy")
    with pytest.raises(UnknownName, match=r"unknown clicks 'navigation' .did you mean 'navigational'"):
        cascade("navigation")
    with pytest.raises(BadInput, match="grades must be one of 2, 3, 5, not 4"):
        cascade("perfect", grades=4)
    bad: list[tuple[Any, str]] = [
        (([0.5], [0.5, 0.5]), "equally long, not 1 and 2"),
        (([0.5], [1.5]), "stop at 0 must be a number from 0 to 1, not 1.5"),
        (([], []), "at least one"),
        (([0.5], [0.5], "never"), "one of click, examined, not 'never'"),
    ]
    for arguments, complaint in bad:
        with pytest.raises(BadInput, match=complaint):
            Cascade(*arguments)


def test_what_is_written_with_a_name_comes_first() -> None:
    assert cascade("perfect:grades=5").click.size == 5
    assert cascade("perfect:rule=examined", 2).rule == "examined"
    own = cascade("cascade:click=0+0.5+1,stop=0+0+0.25", grades=3, rule="examined")
    assert (own.click.tolist(), own.stop.tolist(), own.rule) == ([0, 0.5, 1], [0, 0, 0.25], "examined")
    for text, complaint in (
        ("cascade:click=0+2,stop=0+0", "cascade: click must be a number at least 0 and at most 1, not 2"),
        ("cascade:click=0+1,stop=0", "equally long, not 2 and 1"),
        ("perfect:grade=2", "perfect has no parameter 'grade' .did you mean 'grades'"),
        ("perfect:rule=clicks", "one of click, examined, not 'clicks' .did you mean 'click'"),
    ):
        with pytest.raises(BadInput, match=complaint):
            cascade(text)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("grades", [2, 3, 5])
@pytest.mark.parametrize("name", SPECIFIED)
def test_a_model_knows_its_name_however_it_was_made(name: str, grades: int, rule: str) -> None:
    spec = Spec("clicks", name, {"grades": grades, "rule": rule})
    assert cascade(name, grades, rule).spec == Cascade(*SPECIFIED[name][grades], rule).spec == spec
    assert Cascade([0.3], [0.2], rule).spec == Spec(
        "clicks", "cascade", {"click": (0.3,), "stop": (0.2,), "rule": rule}
    )


def test_every_label_kind_of_numpy_is_a_label() -> None:
    user = cascade("perfect", 2)
    for kind in (np.int8, np.uint8, np.int64, np.float32):
        labels: Any = np.array([0, 1, 0, 1], kind)
        assert user.clicks(labels, np.random.default_rng(0)) == [1, 3]
