"""Who is still compared: a policy that settles stops asking, and the report says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from duelist import DoubleThompson, Duel
from duelist.analysis.analysis import Analysis, analyze
from duelist.analysis.demo import START, demo_log
from duelist.analysis.traffic import Traffic, participants, traffic_of
from duelist.clicks.gather import impressions_of
from duelist.clicks.log import Log, Record
from duelist.interleaving import TeamDraft

RANKERS = {"bm25": "ecabd", "ltr-v3": "abcde", "vector": "bacde"}
APPEAL = {"a": 0.4, "b": 0.25, "c": 0.15, "d": 0.1, "e": 0.05}


def settled_log(visits: int) -> list[Record]:
    """What a live policy leaves behind: duels first, then the best ranker alone."""
    policy, method, luck = DoubleThompson(arms=list(RANKERS), seed=1), TeamDraft(), np.random.default_rng(1)
    records = []
    for visit in range(visits):
        duel = policy.ask()
        user, time = f"u{visit}", START + 600.0 * visit
        if duel.left == duel.right:
            policy.tell(duel, 0.5)
            records.append(Record(duel.id, user, "", time, tuple(RANKERS[duel.left]), (), (duel.left,)))
        else:
            shown = method.combine([RANKERS[duel.left], RANKERS[duel.right]], 3, luck)
            clicks = [place for place, found in enumerate(shown.ranking) if luck.random() < APPEAL[found]]
            tell_sign(policy, duel, method.credit(shown, clicks))
            arms = (duel.left, duel.right)
            records.append(shown.record(id=duel.id, user=user, time=time, rankers=arms, clicks=clicks))
    return records


def tell_sign(policy: DoubleThompson, duel: Duel, credit: np.ndarray) -> None:
    policy.tell(duel, 0.5 + 0.5 * float(np.sign(credit[0] - credit[1])))


@pytest.fixture(scope="module")
def settled() -> Analysis:
    return analyze(Log(tuple(settled_log(4000))))


def test_a_settled_policy_is_seen(settled: Analysis) -> None:
    assert settled.winner is None
    assert any(comparison.traffic.fading for comparison in settled.undecided)
    report = str(settled)
    assert "But they hardly come any more: " in report
    assert "A policy that has settled asks no more; interleave them for everybody to know." in report
    assert settled.health.alone > 3000
    assert settled.health.unusable == 0
    assert any(row["traffic"]["fading"] for row in settled.summary()["comparisons"])


def test_an_experiment_that_goes_on_comparing_is_not_called_settled() -> None:
    for seed in range(20):
        (comparison,) = analyze(Log(tuple(demo_log(200, {"a": 0.3, "b": 0.31}, seed=seed)))).comparisons
        assert not comparison.traffic.fading
        assert comparison.traffic.compared == comparison.traffic.impressions


def test_a_pair_that_is_compared_seldom_all_the_time_is_not_fading() -> None:
    luck = np.random.default_rng(0)
    alarms = sum(traffic_of(luck.random(5000) < 1 / 15).fading for _ in range(500))
    assert alarms == 0


@pytest.mark.parametrize(
    ("traffic", "fading"),
    [
        (Traffic(3000, 300, 300, 0), True),
        (Traffic(3000, 300, 300, 7), True),
        (Traffic(3000, 300, 300, 8), False),
        (Traffic(30, 20, 18, 0), False),  # too few to tell
        (Traffic(0, 0, 0, 0), False),
    ],
)
def test_few_of_late_are_few_beside_those_before(traffic: Traffic, fading: bool) -> None:
    assert traffic.fading is fading


def test_the_last_part_is_the_last_in_time_and_long_enough() -> None:
    records = demo_log(100, {"a": 0.3, "b": 0.3}, visits=1)
    late_alone = [replace(record, rankers=("a",), teams=()) if i >= 50 else record for i, record in enumerate(records)]
    present = participants(impressions_of(Log(tuple(late_alone[::-1]))), ("a", "b"))
    assert present[:, 1].tolist() == [True] * 50 + [False] * 50
    assert traffic_of(present[:, 0] & present[:, 1]) == Traffic(100, 50, 24, 0)
    assert traffic_of(np.array([], dtype=bool)) == Traffic(0, 0, 0, 0)
