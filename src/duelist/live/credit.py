"""From the clicks on a list to what each ranker earned, and to the outcome of a duel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from duelist.core.memory import Floats
from duelist.evidence.weights import click_features
from duelist.interleaving.method import Method, make_method
from duelist.interleaving.shown import Shown
from duelist.live.definition import Definition
from duelist.live.impressions import Clicks

BY_SIGN = frozenset({"team-draft", "competitive-pair"})  # the sign of a difference is unbiased
BY_DIFFERENCE = frozenset({"probabilistic", "optimized"})  # only the difference itself is


@cache
def method_of(text: str) -> Method:
    """The method that made a list."""
    return make_method(text)


def credit_of(definition: Definition, shown: Shown, clicks: Clicks) -> Floats:
    """What each ranker earned by the clicks on a list.

    >>> pair = Definition.read({"name": "a", "kind": "pair", "arms": ["old", "new"]})
    >>> shown = Shown(("d7", "d2"), rankers=2, method="team-draft", teams=(1, 0))
    >>> credit_of(pair, shown, {(1, "click"): 1.0})
    array([1., 0.])
    """
    if definition.click_weights:
        return _weighted(definition, shown, [place for place, action in clicks if action == "click"])
    method, earned = method_of(shown.method), np.zeros(shown.rankers)
    for action, worth in definition.credit.items():
        values = {place: value for (place, named), value in clicks.items() if named == action}
        earned += worth * _valued(method, shown, values)
    return earned


def _valued(method: Method, shown: Shown, values: Mapping[int, float]) -> Floats:
    """Clicks are credited together, because most methods look at all of them; things of a value one by one."""
    if all(value == 1.0 for value in values.values()):
        return method.credit(shown, values)
    return sum((value * method.credit(shown, [place]) for place, value in values.items()), np.zeros(shown.rankers))


def _weighted(definition: Definition, shown: Shown, clicks: list[int]) -> Floats:
    """The preference that learned weights give, as credit of the first ranker."""
    features = click_features(clicks, shown.teams + (-1,) * (len(shown.ranking) - len(shown.teams)))
    return np.array([float(features @ np.array(definition.click_weights)), 0.0])


def decides(method: Method) -> bool:
    """Whether the clicks on one list of a method say who won a duel, without a bias."""
    return method.credits_teams or method.name in BY_SIGN or method.name in BY_DIFFERENCE


def outcome_of(shown: Shown, difference: float, clicks: int) -> float:
    """The outcome of a duel, from 0 to 1, of a difference of credits.

    Where the sign of a difference is biased the difference itself counts, for each click: its mean keeps its sign.

    >>> shown = Shown(("a", "b", "c"), rankers=2, method="team-draft")
    >>> outcome_of(shown, 2.0, clicks=3), outcome_of(shown._replace(method="optimized"), 0.5, clicks=2)
    (1.0, 0.625)
    """
    name = shown.method.partition(":")[0]
    if name not in BY_DIFFERENCE:
        return 0.5 + 0.5 * float(np.sign(difference))
    most = max(1, clicks) if name == "optimized" else 1  # probabilistic is a difference of chances already
    return 0.5 + 0.5 * float(np.clip(difference / most, -1, 1))
