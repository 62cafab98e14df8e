"""Batches: spread over pairs, nobody asked about an arm and itself."""

from __future__ import annotations

from duelist.bench.batches import CALLS, SIZE, batches_table, bench_batches, every_policy, play
from duelist.dueling.policy import POLICIES


def test_policies_that_draw_one_pair_until_it_is_told_are_spread_too() -> None:
    rows = {row.policy: row for row in bench_batches(1, ["rmed1", "savage", "knockout", "self-sparring"])}
    assert rows["rmed1"].pairs > 5
    assert rows["savage"].pairs > 5
    assert rows["knockout"].pairs < 2  # a match is many duels of one pair
    assert rows["self-sparring"].settled > 0.2
    assert "pairs of 8" in str(batches_table(list(rows.values())))


def test_draws_are_not_thrown_away_where_outcomes_are_weighed_by_their_probabilities() -> None:
    """Thrown away because their pair was being judged, they left versatile-db with the wrong arm in all of six runs."""
    assert sum(play("versatile-db", SIZE, seed).right for seed in range(6)) >= 5


def test_calls_are_those_of_the_judge() -> None:
    played = play("uniform", SIZE, seed=1)
    assert (played.calls, played.settled) == (CALLS, 0)
    assert len(played.batches) == CALLS // SIZE


def test_every_policy_is_measured() -> None:
    assert [spec.split(":")[0] for spec in every_policy()] == list(POLICIES)
