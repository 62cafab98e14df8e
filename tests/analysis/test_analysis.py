"""The analysis finds what was put into a log, and nothing where nothing was."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from duelist.analysis.analysis import analyze
from duelist.analysis.credits import credits_of
from duelist.analysis.demo import HOUR, START, demo_log
from duelist.analysis.page import page
from duelist.analysis.text import format_analysis
from duelist.cli.analyze import analyze_command
from duelist.clicks.gather import impressions_of
from duelist.clicks.log import Action, Log, Record, write_log
from duelist.core.errors import BadInput
from duelist.evidence import Accounts, BettingSequence, ClickWeights, user_hash
from duelist.evidence.fixed import t_test
from duelist.evidence.sequential import confidence_sequence

CLEAR = {"old": 0.2, "new": 0.3}


def log_of(records: list[Record]) -> Log:
    return Log(tuple(records))


def test_the_better_ranker_wins_a_clear_experiment() -> None:
    analysis = analyze(log_of(demo_log(800, CLEAR)))
    (comparison,) = analysis.comparisons
    assert analysis.winner == comparison.winner == "new"
    assert (comparison.first, comparison.second) == ("old", "new")
    low, high = comparison.limits
    assert low < comparison.preference < high < 0
    assert comparison.e_value > 20
    assert analysis.health.valid
    assert comparison.more_users == 0
    assert "new: preferred by" in format_analysis(analysis)


def in_time(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: record.time)


def preferences_by_hand(records: list[Record]) -> list[int]:
    scores = [[sum(record.teams[c] == team for c in record.clicks) for team in (0, 1)] for record in records]
    return [a - b for a, b in scores]


def by_user(records: list[Record]) -> dict[str, list[Record]]:
    return {name: [r for r in records if r.user == name] for name in dict.fromkeys(r.user for r in records)}


def test_the_numbers_are_those_of_users_counted_by_hand() -> None:
    records = in_time(demo_log(500, CLEAR, seed=1))
    weights = np.diff(np.sqrt(np.arange(3) + 0.5)) / (math.sqrt(1.5) - math.sqrt(0.5))  # of a first and a second visit
    preferences = [preferences_by_hand(mine) for mine in by_user(records).values()]
    totals = [float(weights[: len(mine)] @ mine) for mine in preferences]
    weight = sum(weights[: len(mine)].sum() for mine in preferences)
    (comparison,) = analyze(log_of(records)).comparisons
    assert sorted(comparison.totals) == pytest.approx(sorted(totals))
    assert comparison.users == 500
    assert comparison.wins == tuple(sum(np.sign(d) == s for d in totals) for s in (1, -1, 0))
    assert comparison.preference == pytest.approx(sum(totals) / weight)
    assert comparison.tests[2].p_value == pytest.approx(t_test(totals).p_value)
    accounts = Accounts()
    for record, preference in zip(records, preferences_by_hand(records), strict=True):
        accounts.add(user_hash(record.user), preference)
    assert comparison.limits == accounts.limits()
    assert comparison.e_value == pytest.approx(accounts.e_value)


def test_windows_freeze_users_by_their_first_hours() -> None:
    records = demo_log(600, CLEAR, seed=1)
    deltas = [
        np.mean(preferences_by_hand(mine))
        for mine in by_user(records).values()
        if mine[0].time + 24 * HOUR <= records[-1].time
    ]
    (comparison,) = analyze(log_of(records), window=24).comparisons
    assert sorted(comparison.totals) == pytest.approx(sorted(deltas))
    assert comparison.users + comparison.open == 600
    band = confidence_sequence(deltas)
    assert comparison.limits == pytest.approx((band.low[-1], band.high[-1]))


def test_a_later_look_at_a_growing_log_only_appends() -> None:
    records = in_time(demo_log(600, CLEAR, seed=2))
    half = [record for record in records if record.time < START + 7 * 24 * HOUR]
    early, late = (analyze(log_of(part)).comparisons[0].accounts for part in (half, records))
    rest = records[len(half) :]
    numbers = {user: number for number, user in enumerate(dict.fromkeys(record.user for record in records))}
    early.add([numbers[record.user] for record in rest], preferences_by_hand(rest))
    assert all((early.record()[name] == array).all() for name, array in late.record().items())


def test_a_cap_makes_limits_that_hold_at_any_number_of_users() -> None:
    records = [replace(record, credit=(0.0, 0.0)) for record in demo_log(400, CLEAR)]
    bought = [replace(r, credit=(0.0, 80.0)) if i % 40 == 0 else r for i, r in enumerate(records)]
    (comparison,) = analyze(log_of(bought), cap=50, window=24, ended=True).comparisons
    assert comparison.accounts.effective < 20
    assert comparison.capped is not None
    assert comparison.capped.share == pytest.approx(1 / 40, abs=0.002)
    assert comparison.capped.shift == pytest.approx(-30 / 40, abs=0.05)
    expected = BettingSequence(50)
    expected.add(
        [
            np.clip(np.mean([r.credit[0] - min(r.credit[1], 50) for r in mine]), -50, 50)
            for mine in by_user(bought).values()
        ]
    )
    assert comparison.limits == expected.limits()
    assert (comparison.band.low[-1], comparison.band.high[-1]) == expected.limits()
    assert "2.64% of preferences were cut at 50, which moved their mean by -0.791" in format_analysis(
        analyze(log_of(bought), cap=50, window=24, ended=True)
    )
    leader = comparison.towards_leader()
    assert leader.limits == pytest.approx((-comparison.limits[1], -comparison.limits[0]))
    json.dumps(comparison.summary(), allow_nan=False)


def test_watched_experiments_without_a_difference_seldom_have_a_winner() -> None:
    alarms = 0
    for seed in range(60):
        records = demo_log(400, {"a": 0.3, "b": 0.3}, seed=seed, visits=1)
        credit = credits_of(impressions_of(log_of(records))).credit
        band = confidence_sequence(credit[:, 0] - credit[:, 1])
        alarms += bool(((band.low > 0) | (band.high < 0)).any())
    assert alarms <= 8  # 3 of 60 may be expected at most; P(more than 8) is below 0.01 then


def test_unfair_coins_make_the_experiment_invalid() -> None:
    analysis = analyze(log_of(demo_log(400, {"old": 0.2, "new": 0.6}, fair=False)))
    assert not analysis.health.valid
    assert analysis.comparisons[0].limits[1] < 0  # new would win
    assert analysis.winner is None
    assert "WITHHELD, do not act on it. First picks of new, old are not equal" in format_analysis(analysis)


def test_where_a_verdict_is_withheld_nothing_names_a_winner() -> None:
    records = demo_log(900, {"a": 0.1, "b": 0.3, "c": 0.6}, fair=False, slots=6, seed=1)
    bought = [
        replace(r, actions=tuple(Action("buy", c) for c in r.clicks), attributes={"device": "desk"}) for r in records
    ]
    log = log_of(bought)
    analysis = analyze(log, outcomes=("clicks", "buy"), segments=("device",))
    told, summary = format_analysis(analysis), analysis.summary()
    assert (analysis.withheld, analysis.undecided[0].winner) == (True, None)
    assert "uncertain again" not in told
    assert "First of all what is wrong has to be mended: see Healthy." in told
    rows = [row.split() for row in told.split("Every two rankers")[1].split("For those")[0].splitlines()]
    assert [row[-1] for row in rows if "over" in row or "desk" in row][:3] == ["withheld"] * 3
    assert sum(row[-1:] == ["withheld"] for row in rows) == 7
    compared = summary["comparisons"] + summary["other_outcomes"][0]["comparisons"]
    assert {(c["winner"], c["withheld"], c["users_to_undo"], c["more_users"]) for c in compared} == {
        (None, True, None, None)
    }
    assert summary["segments"][0]["winner"] is None
    assert page(analysis, "log").count("<td>withheld</td>") == 7


def test_another_outcome_has_the_direction_of_the_title() -> None:
    records = [
        replace(r, actions=(Action("buy", r.teams.index(r.rankers.index("old"))),)) for r in demo_log(800, CLEAR)
    ]
    told = format_analysis(analyze(log_of(records), outcomes=("clicks", "buy")))
    assert told.startswith("new against old")
    (row,) = [line.split() for line in told.splitlines() if line.startswith("new over old")]
    assert (row[4], row[-1]) == ("-1.000", "old")
    assert "old over new" not in told


def test_three_rankers_are_compared_in_pairs_at_a_corrected_level() -> None:
    analysis = analyze(log_of(demo_log(1500, {"a": 0.1, "b": 0.3, "c": 0.1}, seed=3, slots=6)))
    assert analysis.rankers[0].name == "b"
    assert {(c.first, c.second) for c in analysis.comparisons} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert {c.alpha for c in analysis.comparisons} == {0.05 / 3}
    assert analysis.winner == "b"
    winners = {(c.first, c.second): c.winner for c in analysis.comparisons}
    assert winners == {("a", "b"): "b", ("b", "c"): "b", ("a", "c"): None}
    assert "c over a" in format_analysis(analysis)  # in the order of the title


def test_credit_in_the_log_goes_before_teams_and_records_without_either_are_counted() -> None:
    records = demo_log(100, CLEAR)
    given = [replace(record, credit=(1.0, 0.25)) for record in records]
    bare = Record("bare", "u", "q", START, ("a",), (0,))
    analysis = analyze(Log((*given, bare)))
    assert analysis.comparisons[0].preference == pytest.approx(0.75)
    assert analysis.health.unusable == 1
    with pytest.raises(BadInput, match="none of the 1 impressions compares two rankers"):
        analyze(Log((bare,)))


def test_a_log_in_which_no_window_has_closed_is_provisional() -> None:
    untimed = [replace(record, time=0.0) for record in demo_log(600, CLEAR)]
    analysis = analyze(log_of(untimed), window=24)
    assert not analysis.frozen
    assert analysis.comparisons[0].users == 600
    assert analysis.comparisons[0].limits[1] < 0
    assert analysis.winner is analysis.comparisons[0].winner is None
    assert analysis.summary()["comparisons"][0]["more_users"] is None
    assert "PROVISIONAL" in format_analysis(analysis)
    assert "No user decides it: a window has to close, 24 hours after a first impression" in format_analysis(analysis)
    assert "new: preferred" not in format_analysis(analysis)
    ended = analyze(log_of(untimed), window=24, ended=True)
    assert ended.frozen
    assert ended.winner == "new"


def test_queries_may_be_counted_instead_of_users() -> None:
    records = [replace(record, query=f"q{i % 90}") for i, record in enumerate(demo_log(300, CLEAR))]
    analysis = analyze(log_of(records), unit="query", ended=True)
    assert analysis.comparisons[0].users == 90
    with pytest.raises(BadInput, match="unit must be one of user, query, not 'click'"):
        analyze(log_of(records), unit="click")


def test_more_users_and_users_to_undo_do_what_they_say() -> None:
    (won,) = analyze(log_of(demo_log(800, CLEAR)), ended=True).comparisons
    undo = won.users_to_undo
    assert undo is not None
    typical = float(np.abs(won.totals[won.totals != 0]).mean())
    for more, sure in ((undo - 1, True), (undo, False)):
        later = Accounts.from_record(won.accounts.record())
        later.add(10**9 + np.arange(more), np.full(more, typical))
        # Added users have one impression each here and the mean number there, which moves limits, but not their side.
        assert (later.limits()[1] < 0) is sure
    (undecided,) = analyze(log_of(demo_log(600, {"old": 0.2, "new": 0.22}, seed=5)), ended=True).comparisons
    assert undecided.winner is None
    assert undecided.more_users is not None
    assert undecided.more_users > 0
    assert undecided.users_to_undo is None
    assert undecided.detectable is not None
    assert undecided.detectable > abs(undecided.preference)


def test_one_user_says_nothing_of_how_many_more_are_needed() -> None:
    alone = [replace(record, user="only") for record in demo_log(20, CLEAR)]
    (comparison,) = analyze(log_of(alone)).comparisons
    assert comparison.users == 1
    assert comparison.more_users is None
    assert "About" not in format_analysis(analyze(log_of(alone)))


def test_a_machine_that_outweighs_all_users_leaves_a_side_without_a_limit() -> None:
    people = list(demo_log(400, {"old": 0.25, "new": 0.25}, seed=5))
    machine = [replace(record, id=f"{record.id} {turn}", user="machine") for turn in range(2) for record in people]
    analysis = analyze(log_of([*people, *machine]))
    low, high = analysis.comparisons[0].towards_leader().limits
    assert low == -math.inf
    assert 0.1 < high < 0.3
    assert f"at most {high:+.3f}; how far below, too few users tell" in str(analysis)
    assert "1 user made 66.7% of the impressions" in str(analysis)
    json.dumps(analysis.summary(), allow_nan=False)
    assert "inf" not in page(analysis, "a log").replace("info", "")


def test_users_who_all_agree_are_believed() -> None:
    always = [replace(record, clicks=(record.teams.index(1),)) for record in demo_log(100, CLEAR)]
    analysis = analyze(log_of(always), ended=True)
    assert analysis.winner == "new"
    json.dumps(analysis.summary(), allow_nan=False)


def test_nobody_clicks() -> None:
    silent = [replace(record, clicks=()) for record in demo_log(100, CLEAR)]
    analysis = analyze(log_of(silent), ended=True)
    assert analysis.winner is None
    assert analysis.comparisons[0].more_users is None
    assert analysis.comparisons[0].wins == (0, 0, 100)
    assert "a tie" in format_analysis(analysis)
    json.dumps(analysis.summary(), allow_nan=False)


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()
    app.command()(analyze_command)
    return app


def test_the_command_prints_saves_a_page_and_counts_bad_rows(command: typer.Typer, tmp_path: Path) -> None:
    path, page = tmp_path / "log.jsonl", tmp_path / "page.html"
    write_log(demo_log(800, CLEAR), path)
    path.write_text(path.read_text() + '{"user": "x"}\n')
    shown = CliRunner().invoke(command, [str(path), "--html", str(page)], catch_exceptions=False)
    assert shown.exit_code == 0
    for title in ("Who wins", "How sure", "What changes it", "Users", "Healthy", "1 rejected rows, 0.1% (line"):
        assert title in shown.output
    assert page.read_text().startswith("<!DOCTYPE html>")
    printed = json.loads(CliRunner().invoke(command, [str(path), "--json"], catch_exceptions=False).output)
    assert printed["winner"] == "new"
    assert printed["health"]["rejected"] == 1
    (comparison,) = printed["comparisons"]
    assert f"{-comparison['preference']:+.3f}, from {-comparison['high']:+.3f}" in shown.output
    assert comparison["users"] == comparison["wins"] + comparison["losses"] + comparison["ties"]


def test_the_command_weighs_clicks_and_caps(command: typer.Typer, tmp_path: Path) -> None:
    path, learned = tmp_path / "log.jsonl", tmp_path / "weights.json"
    write_log(demo_log(400, CLEAR), path)
    some = frozenset(user_hash(f"u{user}") for user in range(100))
    learned.write_text(ClickWeights((1.0,) + (0.0,) * 13, some, ()).to_json())
    shown = CliRunner().invoke(command, [str(path), "--weights", str(learned), "--json"], catch_exceptions=False)
    assert json.loads(shown.stdout)["comparisons"][0]["users"] == 300
    assert "impressions of users that the weights were learned from are left out" in shown.stderr
    capped = CliRunner().invoke(command, [str(path), "--cap", "5", "--json"], catch_exceptions=False)
    assert json.loads(capped.stdout)["comparisons"][0]["capped"] == {"cap": 5.0, "share": 0.0, "shift": 0.0}


def test_a_page_that_cannot_be_saved_is_refused_before_the_work(command: typer.Typer, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no folder '.*missing'"):
        CliRunner().invoke(
            command,
            [str(tmp_path / "no.jsonl"), "--html", str(tmp_path / "missing" / "a.html")],
            catch_exceptions=False,
        )


def test_infinite_limits_are_null_in_json() -> None:
    analysis = analyze(log_of(demo_log(30, CLEAR)), ended=True)
    assert analysis.comparisons[0].limits == (-math.inf, math.inf)
    text = json.dumps(analysis.summary(), allow_nan=False)
    assert json.loads(text)["comparisons"][0]["low"] is None
    assert "Too early" in format_analysis(analysis)
