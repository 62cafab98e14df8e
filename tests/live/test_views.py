"""What people look at: numbers against simulations and definitions, and against what the experiment itself says."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from duelist.evidence.rates import always_valid_limits
from duelist.live import Experiment, LocalExperiments
from duelist.live.experiments import Experiments
from duelist.live.history import MOST, History
from duelist.live.snapshots import pack, unpack
from duelist.live.standing import Standing
from duelist.live.views import Views
from duelist.storage import SQLiteJournal

from .helpers import RANKINGS, Time, check_replay, definition, experiments, hashes

HERE = Path(__file__).parent / "journals"


def started(living: LocalExperiments, **more: Any) -> Experiment:
    search = living.define(definition(**more), by="ann")
    search.start(by="bob")
    return search


def duel(search: Experiment, rounds: int, seed: int = 0) -> None:
    """`new` wins against the others most of the time."""
    luck = np.random.default_rng(seed)
    for number in range(rounds):
        asked = search.ask(user=f"u{number}")
        better = min(asked.left, asked.right, key=["new", "third", "old"].index)
        other = asked.right if better == asked.left else asked.left
        search.tell(asked.id, winner=better if luck.random() < 0.75 else other)


def look_at_lists(search: Experiment, clock: Time, rounds: int, likes: str = "new") -> None:
    """Users click the first document that their ranker brought in; every fifth clicks nothing."""
    for number in range(rounds):
        page = search.interleave(RANKINGS, user=f"u{number}", query=f"q{number % 3}")
        clock.pass_by(1)
        if number % 5:
            search.click(page.id, document=next(d for d in RANKINGS[likes] if d in page.ranking))
    clock.pass_by(7200)
    search.experiments.tick()


def test_the_chance_of_being_best_is_that_of_the_posterior() -> None:
    """Against draws of Beta posteriors, every pair for itself."""
    wins = np.array([[0, 14, 22, 9], [10, 0, 18, 12], [8, 9, 0, 11], [11, 8, 10, 0.0]])
    rng = np.random.default_rng(1)
    upper = np.triu_indices(4, 1)
    drawn = np.full((200_000, 4, 4), 1.0)
    rates = rng.beta(wins[upper] + 1, wins.T[upper] + 1, (200_000, 6))
    drawn[:, upper[0], upper[1]], drawn[:, upper[1], upper[0]] = rates, 1 - rates
    best = (drawn > 0.5).all(2)
    wanted = best.sum(0) / best.sum()
    assert np.abs(Standing.of(wins).chance - wanted).max() < 0.01


def test_nothing_told_is_an_even_chance_and_no_regret() -> None:
    standing = Standing.of(np.zeros((5, 5)))
    assert np.allclose(standing.chance, 0.2)
    assert standing.regret(np.full(5, 100.0)) == 0


def test_arms_and_pairs_have_limits_that_hold_together() -> None:
    with experiments() as living:
        duel(search := started(living, policy="rucb"), 150)
        seen = Views(living).insight("search")
        status = search.status()
        assert seen["evidence"]["leader"] == "new" == max(seen["arms"], key=lambda arm: arm["chance"])["name"]
        assert sum(arm["traffic"] for arm in seen["arms"]) == pytest.approx(150)  # every duel is 1
        assert sum(arm["share"] for arm in seen["arms"]) == pytest.approx(1)
        assert sum(arm["chance"] for arm in seen["arms"]) == pytest.approx(1)
        for pair, known in zip(seen["pairs"], status["pairs"], strict=True):
            assert (pair["wins"], pair["losses"]) == (known["duels"]["wins"], known["duels"]["losses"])
            low, high = always_valid_limits(pair["wins"], pair["losses"], 0.05 / 3)
            assert (pair["low"], pair["high"]) == (float(low), float(high))
            assert pair["low"] <= pair["rate"] <= pair["high"]
        new = next(arm for arm in seen["arms"] if arm["name"] == "new")
        mine = [p if p["first"] == "new" else {"low": 1 - p["high"]} for p in seen["pairs"] if "new" in p.values()]
        assert new["low"] == pytest.approx(np.mean([pair["low"] for pair in mine]))
        strengths = {arm["name"]: arm["strength"] for arm in seen["arms"]}
        assert max(strengths, key=lambda name: strengths[name] or 0.0) == "new"


def test_the_way_ends_where_the_experiment_stops() -> None:
    """The way is below 1 as long as it runs, and 1 or more from the very duel that stops it."""
    with experiments() as living:
        search = started(living, policy="uniform", stop={"rule": "evidence", "alpha": 0.05})
        views, forecast = Views(living), list[int]()
        for _ in range(2000):
            if living.state("search").phase == "stopped":
                break
            evidence = views.insight("search")["evidence"]
            assert evidence["way"] < 1
            if evidence["missing"] is not None:
                forecast.append(evidence["missing"])
            asked = search.ask()
            better = min(asked.left, asked.right, key=["new", "third", "old"].index)
            search.tell(asked.id, winner=better)
        done = views.insight("search")
        assert (done["state"], done["stopped_by"], done["certain"]) == ("stopped", "evidence", True)
        assert done["evidence"]["way"] >= 1
        assert done["evidence"]["missing"] == 0
        assert forecast[-1] <= 5  # the forecast ends where the experiment does
        assert done["versions"][0]["changes"][-1].items() >= {"what": "stopped", "by": "evidence"}.items()
        check_replay(living)


@pytest.mark.parametrize("kind", ["pair", "multileave", "arms"])
def test_lists_are_counted_by_users(kind: str) -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, kind=kind)
        if kind == "pair":
            rankings = {name: RANKINGS[name] for name in ("old", "new")}
            for number in range(300):
                page = search.interleave(rankings, user=f"u{number}")
                if number % 5:
                    search.click(page.id, document="c" if "c" in page.ranking else page.ranking[0])
            clock.pass_by(7200)
            living.tick()
        else:
            look_at_lists(search, clock, 200)
        seen = Views(living).insight("search")
        lists = 300 if kind == "pair" else 200
        assert sum(arm["traffic"] for arm in seen["arms"]) == pytest.approx(lists)
        assert seen["health"]["silence"] == pytest.approx(0.2)
        assert seen["evidence"]["leader"] == "new"
        decided = search.status()["evidence"]["winner"]
        assert (seen["evidence"]["way"] >= 1) == (decided is not None)
        if kind == "pair":
            (pair,) = seen["pairs"]
            assert pair["wins"] + pair["losses"] <= 240
            assert {check["name"] for check in seen["health"]["balance"]} == {"first picks", "slots"}
        check_replay(living)


def test_the_way_of_lists_agrees_with_the_verdict_of_the_sequence() -> None:
    """Over many states: 1 or more exactly where the limits exclude 0, in the right direction."""
    from duelist.live.evidence import Evidence

    luck, seen = np.random.default_rng(3), set()
    for preference in (0.0, 0.1, 0.3, -0.3):
        evidence = Evidence(2)
        for user in range(600):
            sign = 1.0 if luck.random() < (1 + preference) / 2 else -1.0
            evidence.add(b"%d" % user, (0, 1), np.array([sign, 0.0]))
            if user % 25 == 0:
                for arm in (0, 1):
                    sure = evidence.preferred(arm, 1 - arm, 0.05)
                    assert (evidence.ways(arm, 0.05)[1 - arm] >= 1) == sure
                    seen.add((arm, sure))
    assert len(seen) == 4


def test_the_way_of_votes_ends_where_they_are_decided() -> None:
    """Over many votes: 1 or more exactly where the best is sure, which needs no duel with the best itself."""
    contents = {name: f"a picture of {name}" for name in RANKINGS}
    luck, seen = np.random.default_rng(5), set()
    for favour in (0.6, 0.9, 1.0):
        with experiments() as living:
            votes = started(living, policy="rucb", contents=contents)
            views = Views(living)
            for number in range(60):
                asked = votes.ask(user=f"u{number}")
                better = min(asked.left, asked.right, key=["new", "third", "old"].index)
                other = asked.right if better == asked.left else asked.left
                votes.tell(asked.id, winner=better if luck.random() < favour else other)
                evidence, decided = views.insight("search")["evidence"], living.state("search").decided()
                assert (evidence["way"] >= 1) == (decided is not None)
                assert (evidence["missing"] == 0) == (decided is not None)
                seen.add(decided is not None)
    assert seen == {True, False}


def test_regret_is_what_the_rates_say() -> None:
    """By hand: each duel costs half the gaps of its two arms to the leader."""
    with experiments() as living:
        search = started(living, policy="uniform")
        duel(search, 200)
        views = Views(living)
        standing = Standing.of(living.state("search").evidence.table())
        gap = standing.rate[standing.leader] - 0.5
        total, names = 0.0, ["old", "new", "third"]
        for event in living.journal.events():
            if event.kind == "drawn":
                left, right = (int.from_bytes(event.body[i : i + 4], "little") for i in (0, 4))
                total += (gap[left] + gap[right]) / 2
        assert names[standing.leader] == "new"
        assert views.insight("search")["regret"] == pytest.approx(total)
        assert views.history("search")["regret"][-1] == pytest.approx(total)


# History.


def test_the_history_is_bounded_and_even() -> None:
    history = History(width=2)
    for event in range(1, 100_001):
        if history.left(event - 1) == 1:
            history.add(event, event, [1.0, 2.0])
    events = history.table()[:, 1]
    assert len(events) < MOST
    assert (np.diff(events) == history.step).all()
    assert events[-1] > 100_000 - history.step
    assert History(width=20_000).most == 16


def test_history_is_a_part_of_the_fold_and_survives_a_snapshot(tmp_path: Path) -> None:
    with experiments() as living:
        duel(started(living, policy="rucb"), 700)
        check_replay(living)
        state = living.state("search")
        points = Views(living).history("search")
        assert len(points["at"]) <= MOST
        assert points["events"][-1] == state.events
        assert [sum(row) for row in zip(*points["chance"].values(), strict=True)] == pytest.approx(
            [1.0] * len(points["at"])
        )
        assert all(np.diff(points["traffic"]["new"]) >= 0)
        before = hashes(living.fold)
        state.restore(unpack(pack(state.record())))
        assert hashes(living.fold) == before
        assert Views(living).history("search") == points


def test_a_snapshot_of_older_code_can_be_adopted(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    shutil.copy(HERE / "schema-1.db", path)
    with SQLiteJournal(path) as journal:
        living = Experiments(journal, adopt=True)
        seen = Views(living).insight("prompts")
        assert seen["arms"][2]["name"] == "fourth"
        assert Views(living).history("weights")["events"]


def test_weights_and_their_drift() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        rank = started(living, kind="weights", learner="pdgd", features=["price", "age", "match"])
        for number in range(60):
            page = rank.rank([(f"d{n}", [n % 2, n % 3, n]) for n in range(6)], user=f"u{number}")
            rank.click(page.id, document="d5")
            clock.pass_by(120)
        living.tick()
        seen, points = Views(living).insight("search"), Views(living).history("search")
        assert {each["name"] for each in seen["weights"]} == {"price", "age", "match"}
        assert points["alike"][-1] == pytest.approx(1)
        assert points["weights"]["match"][-1] == next(w["weight"] for w in seen["weights"] if w["name"] == "match")
        assert seen["chance"] is None
        lines = Views(living).recent("search")
        assert Views(living).explain("search", lines[-1]["id"])["learnt"].startswith("the weights moved by")
        check_replay(living)


# Recent ones, and who changed what.


def test_a_list_is_explained_step_by_step() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, kind="pair")
        page = search.interleave({"old": ["a", "b", "c"], "new": ["c", "d", "a"]}, user="u", query="jazz", length=3)
        views = Views(living)
        assert views.recent("search")[0].items() >= {"open": True, "clicks": 0, "query": "jazz"}.items()
        search.click(page.id, position=1)
        clock.pass_by(100)
        living.tick()
        told = views.explain("search", page.id or "")
        assert told["lists"] == [
            {"name": "old", "documents": ["a", "b", "c"]},
            {"name": "new", "documents": ["c", "d", "a"]},
        ]
        assert [slot["document"] for slot in told["shown"]] == list(page.ranking)
        clicked = told["shown"][1]
        assert clicked["actions"] == ["click"]
        assert {each["name"]: each["credit"] for each in told["credit"]}[clicked["team"]] == 1
        assert told["learnt"] == f"this user prefers {clicked['team']} here"
        assert told["open"] is False


def test_duels_are_explained_in_chunks_as_one_by_one() -> None:
    with experiments() as living:
        search = started(living, policy="rucb")
        duel(search, 120)
        asked = search.ask()
        search.tell(asked.id, winner=asked.right)
        views = Views(living)
        assert len(views.recent("search")) == 50
        newest = views.explain("search", asked.id or "")
        assert newest["arms"] == [asked.left, asked.right]
        if asked.left != asked.right:
            assert newest["learnt"] == f"1 of a win for {asked.right} over {asked.left}"
        check_replay(living)


def test_who_changed_what() -> None:
    with experiments() as living:
        search = started(living, policy="rucb")
        search.pause(by="cat")
        search.new_version(definition(arms=["old", "new", "fourth"]), by="dan")
        first, second = Views(living).insight("search")["versions"]
        assert [(c["what"], c["by"]) for c in first["changes"]] == [
            ("defined", "ann"),
            ("running", "bob"),
            ("paused", "cat"),
            ("stopped", "a new version"),
        ]
        assert [(c["what"], c["by"]) for c in second["changes"]] == [("defined", "dan")]
        check_replay(living)


def test_a_summary_is_made_anew_when_something_happened() -> None:
    with experiments() as living:
        search = started(living, policy="rucb")
        views = Views(living)
        first = views.summary("search")
        assert views.summary("search") is first
        search.ask()
        assert views.summary("search")["shown"] == 1
        search.pause()
        assert views.summary("search")["state"] == "paused"


def test_limits_of_an_arm_hold_at_all_looks() -> None:
    """A coin that is fair is excluded in fewer runs than alpha, though looked at after every duel."""
    excluded = 0
    for seed in range(200):
        wins = np.cumsum(np.random.default_rng(seed).random(300) < 0.5)
        low, high = always_valid_limits(wins, np.arange(1, 301) - wins, 0.05)
        excluded += bool(((low > 0.5) | (high < 0.5)).any())
    assert excluded <= stats.binom.ppf(0.999, 200, 0.05)
