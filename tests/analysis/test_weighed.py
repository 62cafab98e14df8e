"""Logs whose clicks are weighed by what was learned on other users."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from duelist.analysis import analyze, demo_log, weigh
from duelist.clicks.log import Log
from duelist.core.errors import BadInput
from duelist.evidence import ClickWeights, click_features

PLAIN = ClickWeights((1.0,) + (0.0,) * 13, frozenset(), ())


def test_a_weight_of_1_for_a_click_is_counting_clicks() -> None:
    log = Log(tuple(demo_log(300, {"old": 0.2, "new": 0.3})))
    counted, weighed = analyze(log).comparisons[0], analyze(weigh(log, PLAIN).log).comparisons[0]
    assert weighed.limits == pytest.approx(counted.limits)
    assert weighed.wins == counted.wins


def test_users_who_were_learned_from_are_left_out() -> None:
    records = demo_log(400, {"old": 0.2, "new": 0.3})
    learned = [record for record in records if int(record.user[1:]) < 150]
    features = np.array([click_features(record.clicks, record.teams) for record in learned])
    weights = ClickWeights.learn({"old over new": features}, {"old over new": [record.user for record in learned]})
    weighed = weigh(Log(tuple(records)), weights)
    assert weighed.left_out == len(learned)
    assert {record.user for record in weighed.log.records} == {f"u{user}" for user in range(150, 400)}
    chosen = weighed.log.records[7]
    preference = float(click_features(chosen.clicks, chosen.teams) @ np.array(weights.weights))
    assert chosen.credit[0] - chosen.credit[1] == pytest.approx(preference)


def test_what_cannot_be_weighed_is_counted_or_refused() -> None:
    records = demo_log(50, {"old": 0.2, "new": 0.3})
    bare = replace(records[0], id="bare", teams=())
    assert weigh(Log((*records, bare)), PLAIN).unknown == 1
    with pytest.raises(BadInput, match="none of the 1 impressions can be weighed"):
        weigh(Log((bare,)), PLAIN)
    with pytest.raises(BadInput, match="weights of 14 features of a click are needed, not of 2"):
        weigh(Log((bare,)), ClickWeights((1.0, 1.0), frozenset(), ()))
