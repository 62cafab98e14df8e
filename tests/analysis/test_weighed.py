"""Logs whose clicks are weighed by what was learned on other users."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from duelist.analysis import analyze, demo_log, weigh
from duelist.analysis.weighed import check_weighed
from duelist.clicks.log import Log, Record, Rejected
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
    three = replace(records[0], id="three", rankers=("old", "new", "newest"))
    weighed = weigh(Log((*records, bare, three)), PLAIN)
    assert (weighed.several, weighed.log.records[-1]) == (1, bare)
    with pytest.raises(BadInput, match="none of the 1 impressions can be weighed"):
        weigh(Log((bare,)), PLAIN)
    with pytest.raises(BadInput, match="weights of 14 features of a click are needed, not of 2"):
        weigh(Log((bare,)), ClickWeights((1.0, 1.0), frozenset(), ()))


def test_weights_need_plain_clicks_whatever_else_is_asked() -> None:
    with pytest.raises(BadInput, match="must be clicks, not clicks:debiased alone"):
        check_weighed(["clicks:debiased"])
    check_weighed(["clicks:debiased", "clicks"])


def late_ones(share: float) -> list[Record]:
    """Of each ranker as many clicks are in time; after five days some click results of new again."""
    luck, records = np.random.default_rng(1), []
    for i, record in enumerate(demo_log(3000, {"old": 0.3, "new": 0.3}, visits=1)):
        again = [s for s, team in enumerate(record.teams) if team and s not in record.clicks and luck.random() < share]
        record = replace(record, time=record.time + 600 * i)
        times = [record.time + 30] * len(record.clicks) + [record.time + 5 * 86400] * len(again)
        records.append(replace(record, clicks=(*record.clicks, *again), click_times=tuple(times)))
    return records


def test_late_clicks_earn_no_learned_credit_and_are_seen() -> None:
    log = Log(tuple(late_ones(0.05)))
    counted, weighed = analyze(log, ended=True), analyze(weigh(log, PLAIN).log, ended=True)
    assert weighed.comparisons[0].limits == pytest.approx(counted.comparisons[0].limits)
    assert weighed.health.losses[2].rankers == counted.health.losses[2].rankers
    assert (weighed.winner, weighed.health.valid, counted.health.valid) == (None, False, False)


def test_clicked_rows_without_teams_withhold_the_verdict_on_weighed_clicks() -> None:
    records = demo_log(1500, {"old": 0.2, "new": 0.2}, visits=1)
    gone = [
        replace(r, teams=()) if any(r.teams[c] == 0 for c in r.clicks[:1]) and i % 3 else r
        for i, r in enumerate(records)
    ]
    found = analyze(weigh(Log(tuple(gone)), PLAIN).log)
    assert replace(found.comparisons[0], withheld=False).winner == "new"
    assert found.winner is None
    assert found.health.losses[-1].count == sum(not r.teams for r in gone)


def test_clicks_that_are_lost_count_against_a_lead_by_learned_weights() -> None:
    """They were worth nothing where all rows have credit, as they have by weights."""
    records = demo_log(3000, {"old": 0.2, "new": 0.2}, visits=1)
    alone = [i for i, r in enumerate(records) if len(r.clicks) == 1 and r.teams[r.clicks[0]] == 0][:240]
    kept = [replace(r, clicks=(), lost=1) if i in alone else r for i, r in enumerate(records)]
    log = Log(tuple(kept), (Rejected(1, "a click at 9, which is not there", "", row=False),) * len(alone))
    found = analyze(weigh(log, PLAIN).log, most_lost=0.2)
    assert replace(found.comparisons[0], withheld=False).winner == "new"
    assert (found.winner, found.health.reasons[0][:46]) == (None, "if all 240 clicks without a place were old's (")
