"""Several outcomes, segments, guardrails, experiments and forms of logs, each against counts by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from duelist.analysis.analysis import analyze, analyze_all, each_experiment
from duelist.analysis.demo import START, demo_log
from duelist.analysis.guardrails import FirstPages, Guardrail
from duelist.analysis.page import page
from duelist.analysis.settings import Settings
from duelist.cli.analyze import analyze_command
from duelist.clicks.log import Action, Log, Record, write_log
from duelist.clicks.rows import row_of
from duelist.clicks.scan import scan_log, spool_log
from duelist.core.errors import BadInput

CLEAR = {"old": 0.2, "new": 0.3}
PAIR = ("old", "new")


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()
    app.command()(analyze_command)
    return app


def buying(records: list[Record], seed: int = 0) -> list[Record]:
    """Every fifth click is a purchase; those of the second ranker are worth twice as much."""
    luck = np.random.default_rng(seed)
    return [
        replace(
            r,
            actions=tuple(Action("purchase", c, 10.0 * (1 + r.teams[c])) for c in r.clicks if luck.random() < 0.2),
            attributes={"device": ("phone", "desktop")[i % 3 == 0], "latency": 100.0 + i % 50},
        )
        for i, r in enumerate(records)
    ]


def test_outcomes_stand_side_by_side_at_a_level_that_they_share() -> None:
    records = buying(demo_log(3000, CLEAR, seed=1, visits=1))
    analysis = analyze(Log(tuple(records)), outcomes=("clicks", "purchase", "purchase:value"))
    assert [other.name for other in analysis.others] == ["purchase", "purchase:value"]
    number, value = (other.comparisons[0] for other in analysis.others)
    assert analysis.comparisons[0].alpha == number.alpha == value.alpha == 0.05 / 3
    actions = [(r.teams[a.slot], a.value or 0.0) for r in records for a in r.actions]
    by_hand = sum(1 - 2 * team for team, _ in actions) / len(records)
    assert number.preference == pytest.approx(by_hand)
    assert value.preference == pytest.approx(sum((1 - 2 * team) * v for team, v in actions) / len(records))
    assert (value.limits[1] < 0, value.winner, value.needs_cap) == (True, None, 50.0)  # it has no bound
    assert "By purchase:value, which needs a cap for a verdict, as --cap purchase:value=50:\n" in str(analysis)
    bounded = analyze(Log(tuple(records)), outcomes=("purchase:value",), cap=100, ended=True)
    assert bounded.comparisons[0].winner == "new"
    only = analyze(Log(tuple(records)), outcomes=("purchase",))
    assert only.comparisons[0].preference == number.preference
    assert "Purchase an impression: new" in str(only)
    with pytest.raises(
        BadInput, match="an outcome is clicks, the name of an action, or that and :value, not 'buy:sum'"
    ):
        analyze(Log(tuple(records)), outcomes=("buy:sum",))


def test_the_effect_is_said_in_clicks() -> None:
    records = demo_log(900, CLEAR, seed=2)
    analysis = analyze(Log(tuple(records)))
    clicks = [sum(r.teams[c] == team for r in records for c in r.clicks) for team in (0, 1)]
    effect = analysis.effect
    assert (effect.first, effect.second) == pytest.approx((clicks[1] / len(records), clicks[0] / len(records)))
    assert effect.share == pytest.approx(clicks[1] / sum(clicks))
    assert effect.lift == pytest.approx(clicks[1] / clicks[0] - 1)
    assert f"new has {effect.share:.1%} of the clicks of both, {effect.lift:+.1%} over old." in str(analysis)


def test_segments_are_the_same_comparison_of_fewer_at_a_shared_level() -> None:
    records = buying(demo_log(2000, CLEAR, seed=3, visits=1))
    analysis = analyze(Log(tuple(records)), segments=("device", "queries"))
    names = [segment.name for segment in analysis.segments]
    assert names == ["device phone", "device desktop", "head queries", "tail queries"]
    phone = tuple(r for r in records if r.attributes["device"] == "phone")
    alone = analyze(Log(phone), alpha=0.05 / 4).comparisons[0].towards_leader()
    part = analysis.segments[0]
    assert part.preference == pytest.approx(alone.preference)
    assert part.users == alone.users
    assert (part.low, part.high) == pytest.approx(alone.limits)
    assert part.winner == "new"
    assert sum(segment.impressions for segment in analysis.segments[2:]) == len(records)
    assert "by segment" in str(analysis)
    with pytest.raises(BadInput, match="no impression has anything in the column 'planet'"):
        analyze(Log(tuple(replace(r, attributes={}) for r in records)), segments=("planet",))


def test_an_action_that_seems_misspelt_is_an_error() -> None:
    log = Log(tuple(buying(demo_log(300, CLEAR, seed=1))))
    for name in ("purchse", "Purchase", "purchases:value"):
        hint = (
            rf"no action in the log is called '{name.partition(':')[0]}' \(did you mean 'purchase'\?\); .*: clicks, pur"
        )
        with pytest.raises(BadInput, match=hint):
            analyze(log, outcomes=("clicks", name))
    with pytest.raises(BadInput, match=r"is called 'cliks' \(did you mean 'clicks'\?\)"):
        analyze(log, outcomes=("cliks",))
    with pytest.raises(BadInput, match=r"is called 'buy'; outcomes of this log: clicks$"):
        analyze(Log(tuple(demo_log(20, CLEAR))), outcomes=("buy:value",))  # nothing but clicks, and nothing else asked


def test_an_action_that_nobody_did_yet_spoils_nothing_else() -> None:
    log = Log(tuple(buying(demo_log(800, CLEAR, seed=1, visits=1))))
    alone = analyze(log, outcomes=("clicks", "purchase"))
    found = analyze(log, outcomes=("clicks", "refund:value"))
    assert found.winner == alone.winner == "new"
    assert found.comparisons[0].limits == alone.comparisons[0].limits
    assert (found.not_yet, found.others[0].comparisons[0].winner) == (("refund:value",), None)
    assert found.others[0].comparisons[0].needs_cap is None  # of what should it be proposed?
    told = "By refund:value nothing is known: nobody did 'refund' yet; outcomes of this log: clicks, purchase."
    for text in (str(found), page(found, "log")):
        assert told in text.replace("&#x27;", "'")
        assert "By refund:value:" not in text  # no table of nothing
        assert "--cap" not in text
    assert found.summary()["not_yet"] == ("refund:value",)
    assert alone.not_yet == ()
    json.dumps(found.summary(), allow_nan=False)
    clicks = analyze(Log(tuple(demo_log(300, CLEAR))), outcomes=("clicks", "refund"))
    assert "nobody did 'refund' yet; outcomes of this log: clicks." in str(clicks)


@pytest.mark.parametrize("options", [{}, {"cap": 20.0}, {"cap": 20.0, "window": 24.0}])
def test_a_first_outcome_that_nobody_did_yet_names_nobody(options: dict[str, Any]) -> None:
    log = Log(tuple(buying(demo_log(800, CLEAR, seed=1, visits=1))))
    found = analyze(log, outcomes=("refund:value", "clicks"), segments=("device",), ended=True, **options)
    assert (found.winner, found.not_yet) == (None, ("refund:value",))
    assert found.others[0].comparisons[0].winner == "new"
    assert "Nobody yet: nobody did 'refund' so far; outcomes of this log: clicks, purchase." in str(found)
    assert page(found, "log")
    json.dumps(found.summary(), allow_nan=False)


def test_what_nobody_did_yet_is_asked_of_each_experiment() -> None:
    home, shop = demo_log(200, CLEAR, visits=1), buying(demo_log(200, CLEAR, visits=1))
    log = Log((*(replace(r, experiment="home") for r in home), *(replace(r, experiment="shop") for r in shop)))
    found = analyze_all(log, settings=Settings(outcomes=("clicks", "purchase")))
    assert [each.not_yet for each in found] == [("purchase",), ()]


def test_scores_are_called_credit() -> None:
    scored = [replace(r, credit=(0.5, -2.0), clicks=()) for r in demo_log(50, CLEAR)]
    told = str(analyze(Log(tuple(scored))))
    assert "Credit an impression: old 0.5, new -2, in" in told
    share = str(analyze(Log(tuple(replace(r, credit=(0.5, 0.0)) for r in scored))))
    assert "old has 100.0% of the credit of both." in share
    assert "clicks of both" not in told + share
    assert "Clicks an impression" in str(analyze(Log(tuple(demo_log(50, CLEAR)))))


def test_a_guardrail_on_a_column_that_is_not_there_is_an_error(tmp_path: Path, command: typer.Typer) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    records = buying(demo_log(50, CLEAR))
    with pytest.raises(BadInput, match="no impression has anything in the column 'nope'"):
        analyze(Log(tuple(records)), guardrails=("nope<3",))
    write_log(records, tmp_path / "log.jsonl")
    table = tmp_path / "log.csv"
    table.write_text("user,shown,clicks,rankers,teams,device,latency\nann,a b,0,x y,0 1,desk,9\n")
    packed = tmp_path / "log.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([row_of(record) for record in records]), packed)
    asked = {"--guardrail=nope<3": "zero-results, abandonment", "--segment=nope": "queries"}
    for file in (tmp_path / "log.jsonl", table, packed):
        for option, others in asked.items():
            with pytest.raises(BadInput, match=f"'nope'; its columns are device, latency, and {others}"):
                CliRunner().invoke(command, [str(file), option], catch_exceptions=False)
    with pytest.raises(BadInput, match="'rankers' is a part of every log"):
        CliRunner().invoke(command, [str(tmp_path / "log.jsonl"), "--segment", "rankers"], catch_exceptions=False)


def empty_pages(rate: float, users: int, seed: int, visits: int = 8) -> Log:
    luck = np.random.default_rng(seed)
    return Log(
        tuple(
            Record(f"{i}", f"u{i % users}", "q", 1.79e9 + i, *((), ()), ("old", "new"), ())
            if luck.random() < rate
            else Record(f"{i}", f"u{i % users}", "q", 1.79e9 + i, ("a", "b"), (), ("old", "new"), (i % 2, 1 - i % 2))
            for i in range(users * visits)
        )
    )


def test_many_empty_pages_break_a_guardrail_before_limits_begin() -> None:
    found = analyze(empty_pages(0.1, 300, 1, visits=2), guardrails=("zero-results<0.02",))
    (rail,) = found.guarded
    assert (rail.first_pages, rail.broken) == (True, True)
    assert 0.02 < rail.low < 0.1 < rail.high < 0.2
    assert found.withheld
    assert ", by first pages), BROKEN." in str(found)


def test_first_pages_seldom_break_a_limit_that_is_kept() -> None:
    luck, broken = np.random.default_rng(0), 0
    for _ in range(300):
        pages = FirstPages(0.02)
        for part in range(3):
            users = np.arange(part * 100, part * 100 + 200) % 300  # half of them were there before
            pages.add(users, np.asarray(luck.random(200) < 0.02, np.float64))
        assert pages.sequence.users == 300
        broken += pages.limits(0.05)[0] > 0
    assert broken <= 15


def test_what_is_not_known_to_hold_is_said_to_be_so() -> None:
    log = empty_pages(0.1, 300, 1)
    seen = analyze(log, guardrails=("zero-results<0.5",)).guarded[0].mean
    near = str(analyze(log, guardrails=(f"zero-results<{seen - 0.005}",)))
    assert f": {seen:.3g} in 2,400 impressions (from 0.0" in near
    assert "so far BEYOND the limit, but NOT KNOWN to hold." in near
    assert "so far within the limit, but NOT KNOWN to hold." in str(analyze(log, guardrails=("zero-results<0.11",)))
    kept = analyze(log, guardrails=("zero-results<0.3",))
    assert "), holds." in str(kept)
    assert kept.summary()["guardrails"][0]["holds"]
    few = [replace(r, attributes={"latency": 12.0}) for r in demo_log(5, CLEAR)]
    unknown = "latency < 9: 12 in 9 impressions (too few users for limits), so far BEYOND the limit, but NOT KNOWN"
    assert unknown in str(analyze(Log(tuple(few)), guardrails=("latency<9",)))


def test_a_broken_guardrail_withholds_the_verdict() -> None:
    records = buying(demo_log(2000, CLEAR, seed=3, visits=1))
    fine = analyze(Log(tuple(records)), guardrails=("latency<140", "abandonment<0.6", "zero-results<0.01"))
    assert fine.winner == "new"
    assert fine.guarded[0].mean == pytest.approx(np.mean([r.attributes["latency"] for r in records]))
    silent = np.mean([not r.clicks for r in records])
    assert fine.guarded[1].mean == pytest.approx(silent)
    never = analyze(Log(tuple(records)), guardrails=("zero-results<0.1",))
    assert never.guarded[0].mean == 0.0  # and not some 1e-15, which a report would print
    broken = analyze(Log(tuple(records)), guardrails=("latency<110",))
    assert broken.winner is None
    assert "the guardrail latency < 110 is broken: 124, surely above the limit" in broken.health.reasons
    with pytest.raises(BadInput, match="a guardrail is a column, < or >, and a number"):
        Guardrail.read("latency 5")
    with pytest.raises(BadInput, match="a guardrail needs a column of numbers"):
        analyze(Log(tuple(records)), guardrails=("device<5",))


def test_experiments_with_the_same_rankers_never_merge() -> None:
    one = [replace(r, experiment="checkout") for r in demo_log(800, {"a": 0.2, "b": 0.3}, seed=1)]
    two = [replace(r, experiment="home") for r in demo_log(800, {"a": 0.3, "b": 0.2}, seed=2)]
    log = Log((*one, *two))
    first, second = analyze_all(log)
    assert (first.experiment, first.winner, second.experiment, second.winner) == ("checkout", "b", "home", "a")
    alone = analyze(Log(tuple(two)))
    assert (second.comparisons[0].accounts.sums == alone.comparisons[0].accounts.sums).all()
    assert analyze(log, experiment="home").winner == "a"
    with pytest.raises(BadInput, match="the log has the experiments 'checkout', 'home': say which one"):
        analyze(log)
    with pytest.raises(BadInput, match="the log has no experiment 'cart'; it has 'checkout', 'home'"):
        analyze(log, experiment="cart")


def test_clicks_alone_say_what_they_can() -> None:
    luck = np.random.default_rng(0)
    records = [
        Record(str(i), f"u{i % 700}", "q", 1.79e9 + i, (), (), (("old", "new")[luck.random() < 0.65],), (), (1.0,))
        for i in range(2000)
    ]
    analysis = analyze(Log(tuple(records)))
    new = sum(r.rankers == ("new",) for r in records)
    assert analysis.effect.share == pytest.approx(new / 2000)
    assert (analysis.winner, analysis.comparisons[0].winner, analysis.withheld) == (None, None, True)
    told = f"which do not say how often each was shown. Clicks: new {new:,}, old {2000 - new:,}."
    assert told in str(analysis)
    assert "an impression" not in str(analysis)
    assert any("The log has clicks alone" in note for note in analysis.health.notes)
    assert "Not known: the log has no teams." in str(analysis)


def test_clicks_alone_are_not_called_clicks_where_something_else_is_asked() -> None:
    bought = ((), (Action("purchase", 0),))
    clicked = [replace(r, teams=(), credit=(1.0, 0.0)) for r in demo_log(90, CLEAR)]
    records = [replace(r, actions=bought[i % 2]) for i, r in enumerate(clicked)]
    told = str(analyze(Log(tuple(records), labelled=True), outcomes=("purchase",)))
    assert ("Purchase: old 0, new 0." in told, "Clicks:" in told) == (True, False)


def test_three_rankers_are_said_as_their_pairs_say() -> None:
    analysis = analyze(Log(tuple(demo_log(250, {"a": 0.1, "b": 0.32, "c": 0.3}, seed=8, slots=6))))
    best = analysis.rankers[0].name
    pairs = [c.towards_leader() for c in analysis.comparisons if best in (c.first, c.second)]
    assert analysis.winner is None
    assert all(c.first == best for c in pairs)
    beaten = [c.second for c in pairs if c.winner == best]
    assert beaten == ["a"]
    other = "b" if best == "c" else "c"
    said = f"Undecided; so far {best} is ahead of all others, surely of a, not yet surely of {other}."
    assert said in str(analysis)


def test_no_impression_is_dropped_by_counting_queries() -> None:
    records = [replace(record, query=f"q{i % 9}") for i, record in enumerate(demo_log(300, CLEAR))]
    accounts = analyze(Log(tuple(records)), unit="query").comparisons[0].accounts
    assert (accounts.users, accounts.impressions) == (9, len(records))


@pytest.mark.parametrize("query", ["", "jazz"])
def test_rows_of_one_query_cannot_be_counted_by_queries(query: str) -> None:
    """All impressions would be of one unit, and nobody could ever win."""
    log = Log(tuple(replace(record, query=query) for record in demo_log(200, CLEAR)))
    with pytest.raises(BadInput, match="unit query needs rows that name their query; these name none"):
        analyze(log, unit="query")
    assert analyze(log).comparisons[0].users == 200


def test_names_cannot_command_a_terminal_or_a_page() -> None:
    name = "\x1b[31mred<b>"
    analysis = analyze(Log(tuple(demo_log(300, {"old": 0.2, name: 0.3}))))
    assert "\x1b" not in str(analysis) + page(analysis, "\x1b[0m")
    assert "\\x1b[31mred<b>" in str(analysis)
    assert "<b>" not in page(analysis, "log")


def test_columns_and_files_cannot_command_a_terminal(command: typer.Typer, tmp_path: Path) -> None:
    file, html = tmp_path / "log.jsonl", tmp_path / "\x1b[31mpage.html"
    write_log([replace(r, attributes={"\x1b[31mred": "x"}) for r in demo_log(50, CLEAR)], file)
    told = CliRunner().invoke(command, [str(file), "--html", str(html)], catch_exceptions=False).output
    assert ("\x1b" in told, "\\x1b[31mpage.html" in told) == (False, True)
    with pytest.raises(BadInput) as error:
        CliRunner().invoke(command, [str(file), "--segment", "nope"], catch_exceptions=False)
    assert ("\x1b" in str(error.value), "\\x1b[31mred" in str(error.value)) == (False, True)


def test_the_page_says_when_by_what_and_how_and_fits_small_screens() -> None:
    from datetime import UTC, datetime

    analysis = analyze(Log(tuple(buying(demo_log(600, CLEAR)))), segments=("device",), alpha=0.01)
    made = page(analysis, "log", datetime(2026, 5, 4, 3, 2, tzinfo=UTC))
    assert "Made 2026-05-04 03:02 UTC by duelist " in made
    assert "alpha 0.01" in made
    assert "segments device" in made
    assert 'name="viewport"' in made
    assert "@media (max-width" in made
    assert "Credit an impression" in made
    assert "by day" in made


def test_the_command_tells_experiments_apart(command: typer.Typer, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    both = [replace(r, id=f"{r.id}{e}", experiment=e) for e in "xy" for r in buying(demo_log(300, CLEAR))]
    write_log(both, file)
    run = CliRunner().invoke(command, [str(file), "--html", str(tmp_path / "p.html")], catch_exceptions=False)
    assert run.output.count("Who wins") == 2
    assert (tmp_path / "p-1.html").exists()
    assert (tmp_path / "p-2.html").exists()
    options = [
        "--experiment",
        "y",
        "--json",
        "--outcome",
        "purchase",
        "--segment",
        "device",
        "--guardrail",
        "latency<9",
    ]
    shown = json.loads(CliRunner().invoke(command, [str(file), *options], catch_exceptions=False).output)
    assert (shown["experiment"], shown["outcomes"], shown["valid"]) == ("y", ["purchase"], False)
    assert [part["name"] for part in shown["segments"]] == ["device phone", "device desktop"]
    with pytest.raises(BadInput, match="is a folder: name the file to save the page in"):
        CliRunner().invoke(command, [str(file), "--html", str(tmp_path)], catch_exceptions=False)


def test_experiments_come_in_the_order_of_their_first_impressions(tmp_path: Path) -> None:
    """However the rows are ordered, and however they are read."""
    records = [replace(r, experiment="abc"[i % 3]) for i, r in enumerate(demo_log(90, CLEAR))]
    later = {"a": 200_000.0, "b": 0.0, "c": 100_000.0}
    records = [replace(r, time=r.time + later[r.experiment]) for r in records]
    write_log(records, tmp_path / "log.jsonl")
    for log in (Log(tuple(records)), scan_log(tmp_path / "log.jsonl"), spool_log(tmp_path / "log.jsonl")):
        assert [found.experiment for found in analyze_all(log)] == ["b", "c", "a"]


def test_the_name_of_an_outcome_stays_as_it_is() -> None:
    records = [replace(r, actions=tuple(Action("addToCart", c) for c in r.clicks)) for r in demo_log(50, CLEAR)]
    assert "addToCart an impression: " in str(analyze(Log(tuple(records)), outcomes=("addToCart",)))


def test_an_experiment_that_cannot_be_analysed_spoils_no_other(command: typer.Typer, tmp_path: Path) -> None:
    def named(record: Record, experiment: str, **changed: Any) -> Record:
        return replace(record, id=f"{experiment} {record.id}", experiment=experiment, **changed)

    home = [named(r, "home", attributes={"latency": 9.0}) for r in demo_log(300, {"old": 0.1, "new": 0.4})]
    alone = [named(r, "checkout", rankers=("new",), teams=(0,) * len(r.shown)) for r in demo_log(20, CLEAR)]
    file, html = tmp_path / "log.jsonl", tmp_path / "page.html"

    def told(*options: str) -> Any:
        return CliRunner().invoke(command, [str(file), *options], catch_exceptions=False).output

    write_log([*home, *alone], file)
    lost, found = sorted(json.loads(told("--json")), key=lambda each: str(each["experiment"]))
    assert (found["experiment"], found["winner"]) == ("home", "new")
    assert (set(lost), lost["experiment"]) == ({"log", "experiment", "error"}, "checkout")
    reason = f"none of the {len(alone)} impressions compares two rankers"
    assert lost["error"].startswith(reason)
    assert f"log.jsonl: experiment checkout cannot be analysed: {reason}" in told("--html", str(html))
    assert [page.name for page in tmp_path.glob("*.html")] == ["page-1.html"]
    with pytest.raises(BadInput, match=f"experiment 'checkout': {reason}"):
        told("--experiment", "checkout")
    with pytest.raises(BadInput, match="the log has the experiments 'home', 'checkout': say which one"):
        analyze(Log((*home, *alone)))
    write_log([*home, *(named(r, "checkout") for r in demo_log(20, CLEAR))], file, mode="replace")
    failed = json.loads(told("--json", "--guardrail", "latency<300"))[1]
    assert failed["error"] == "no impression has anything in the column 'latency'"
    with pytest.raises(BadInput, match="'nope'; its columns are latency, and zero-results, abandonment"):
        told("--guardrail", "nope<3")
    with pytest.raises(BadInput, match=f"experiment 'home': none .*; experiment 'checkout': {reason}"):
        each_experiment(Log((*(replace(r, rankers=("new",), teams=(0,) * len(r.shown)) for r in home), *alone)))


def test_an_experiment_whose_rows_name_no_rankers_is_told(command: typer.Typer, tmp_path: Path) -> None:
    home = [replace(r, experiment="home") for r in demo_log(400, CLEAR)]
    bare = [replace(r, rankers=(), teams=()) for r in demo_log(20, CLEAR)]
    log = Log((*home, *bare, *(replace(r, id=f"c{r.id}", experiment="checkout") for r in bare)))
    found = sorted(each_experiment(log), key=lambda each: each.experiment)  # what has no name is other traffic
    assert found[0] == ("checkout", "its rows name no rankers")
    assert (len(found), found[1].experiment, analyze(log).experiment) == (2, "home", "home")
    with pytest.raises(BadInput, match=r"^experiment 'checkout': its rows name no rankers$"):
        analyze(log, experiment="checkout")
    with pytest.raises(BadInput, match=r"^no impression has anything in the column 'latency'$"):
        analyze(log, guardrails=("latency<300",))
    write_log(log.records, tmp_path / "log.jsonl")
    told = CliRunner().invoke(command, [str(tmp_path / "log.jsonl")], catch_exceptions=False).output
    assert "experiment checkout cannot be analysed: its rows name no rankers" in told


@pytest.mark.parametrize(
    ("records", "complaint"),
    [
        ([], "there are no impressions to analyse"),
        ([Record("1", "ann", "", 0.0, ("a",), (0,))], "none of the 1 impressions compares two rankers"),
        ([Record("1", "ann", "", 0.0, (), (), ("x",), (), (1.0,))], "none of the 1 impressions compares two rankers"),
        ([Record("1", "ann", "", 0.0, ("a",), (), ("x",))], "none of the 1 impressions compares two rankers"),
    ],
)
def test_nothing_to_compare_is_said(records: list[Record], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        analyze(Log(tuple(records)))


def test_one_impression_is_enough_for_a_report() -> None:
    analysis = analyze(Log((Record("1", "ann", "", 0.0, ("a", "b"), (0,), ("x", "y"), (0, 1)),)))
    assert "Undecided; so far x is ahead by 1 credit an impression." in str(analysis)
    json.dumps(analysis.summary(), allow_nan=False)
    assert page(analysis, "one")


def valued(users: int, large: float, many: float, seed: int) -> Log:
    """One impression a user: few buy for 100 of new, many for 2 of old."""
    luck, records = np.random.default_rng(seed), []
    for i, (much, little) in enumerate(zip(luck.random(users) < large, luck.random(users) < many, strict=True)):
        teams = (i % 2, 1 - i % 2)
        bought = [Action("buy", teams.index(0), 100.0)] * int(much) + [Action("buy", teams.index(1), 2.0)] * int(little)
        who = (f"i{i}", f"u{i}", "q", START + 60.0 * i)
        records.append(Record(*who, ("a", "b"), (0,), ("new", "old"), teams, actions=tuple(bought)))
    return Log(tuple(records))


def test_values_without_a_bound_have_no_verdict() -> None:
    """Before the first large purchase the small ones are all that is seen, and all speak for old."""
    log = valued(300, 0.0, 0.5, seed=1)
    found = analyze(log, outcomes=("buy:value",), segments=("queries",))
    (comparison,) = found.comparisons
    assert comparison.limits[1] < 0  # and yet nobody wins
    assert (found.winner, comparison.winner, comparison.needs_cap) == (None, None, 2.0)
    assert [segment.winner for segment in found.segments] == [None, None]
    assert "Nobody yet. buy:value has no bound" in str(found)
    assert "--cap buy:value=2" in str(found)
    assert found.summary()["comparisons"][0]["needs_cap"] == 2.0
    assert analyze(log, outcomes=("buy",)).winner == "old"  # a number of purchases
    capped = analyze(log, outcomes=("buy:value",), caps=("buy:value=2",), segments=("queries",), ended=True)
    assert (capped.winner, capped.comparisons[0].needs_cap, capped.window) == ("old", None, None)
    assert capped.segments[0].winner == "old"
    once = analyze(log, outcomes=("buy:value",), cap=2, window=24, segments=("queries",), ended=True)
    assert (once.winner, once.segments[0].winner) == ("old", "old")
    uncut = str(analyze(log, outcomes=("buy:value",), cap=1e6, ended=True))
    assert "0.00% of preferences were cut at 1e+06, which moved their mean by +0." in uncut
    assert "It begins when what came outweighs twice the square of the cap." in uncut
    few = str(analyze(Log(log.records[:60]), outcomes=("buy:value",), cap=2, ended=True))
    assert "Too early" in few
    assert "square of the cap" not in few  # it is users that are missing
    for window in (None, 24.0):
        cautious = analyze(log, outcomes=("buy:value",), caps=("buy=100",), window=window, ended=True)
        assert cautious.winner is None  # a large one may still come


def played(users: int, plays: tuple[int, int], seed: int = 1) -> Log:
    """One record of old in three and one of new in two is played, so often each; times are of the plays."""
    luck, records = np.random.default_rng(seed), []
    for i in range(users):
        teams, now = (0, 1) if luck.random() < 0.5 else (1, 0), START + 60.0 * i
        done = [
            Action("play", teams.index(team), 1.0, now + number)
            for team, share in enumerate((1 / 3, 1 / 2))
            if luck.random() < share
            for number in range(plays[team])
        ]
        records.append(Record(f"i{i}", f"u{i}", "q", now, ("a", "b"), (), PAIR, teams, actions=tuple(done)))
    return Log(tuple(records))


def test_an_action_counts_once_for_each_document_however_often_it_is_done() -> None:
    """Numbers without a bound named winners of nothing in a quarter of watched experiments."""
    often, once = (analyze(played(900, plays), outcomes=("play",), ended=True) for plays in ((100, 2), (1, 1)))
    assert (often.winner, often.effect) == (once.winner, once.effect)
    assert once.winner == "new"
    by_value = analyze(played(900, (100, 2)), outcomes=("play:value",), ended=True)
    assert (by_value.winner, by_value.comparisons[0].needs_cap) == (None, 100.0)


@pytest.mark.parametrize("unit", ["user", "query"])
def test_values_of_units_that_come_back_count_to_the_end(unit: str) -> None:
    """Two hundred users or queries of four weeks: a day of each is one impression of 28."""
    luck, records = np.random.default_rng(4), []
    for i in range(5600):
        teams = (i % 2, 1 - i % 2)
        bought = [Action("buy", teams.index(team), 10.0) for team in (0, 1) if luck.random() < 0.2 + 0.1 * team]
        names = {"user": f"u{i}", "query": "q"} | {unit: f"{unit}{i % 200}"}
        records.append(
            Record(
                *(f"i{i}", names["user"], names["query"], START + 86_400.0 * (i // 200) + 60.0 * (i % 200)),
                *(("a", "b"), (0,), ("new", "old"), teams),
                actions=tuple(bought),
            )
        )
    log = Log(tuple(records))
    found = analyze(log, unit=unit, outcomes=("buy:value",), cap=20, ended=True)
    (comparison,) = found.comparisons
    assert (comparison.users, comparison.accounts.impressions, comparison.late) == (200, 5600, 0)
    assert found.winner == "old"
    assert "do not count" not in str(found)
    assert comparison.capped is not None
    half = analyze(log, unit=unit, outcomes=("buy:value",), cap=5, ended=True).comparisons[0]
    assert half.capped is not None
    assert half.capped.share == np.mean([sum(1 - 2 * r.teams[a.slot] for a in r.actions) != 0 for r in records])
    day = analyze(log, unit=unit, outcomes=("buy:value",), cap=20, window=24, ended=True)
    assert (day.comparisons[0].late, day.winner) == (5400, None)


def test_a_cap_is_of_one_outcome() -> None:
    log = valued(400, 0.02, 0.5, seed=2)
    alone = analyze(log, outcomes=("clicks", "buy"))
    found = analyze(log, outcomes=("clicks", "buy:value", "buy"), caps=("buy:value=100",), ended=True, alpha=0.075)
    assert found.window is None
    assert found.comparisons[0].limits == alone.comparisons[0].limits
    capped, counted = (other.comparisons[0] for other in found.others)
    assert (capped.capped is not None, counted.capped, counted.needs_cap) == (True, None, None)
    assert counted.limits == alone.others[0].comparisons[0].limits
    with pytest.raises(BadInput, match="a cap for 'sale', but the outcomes are clicks"):
        analyze(log, caps=("sale=5",))
    with pytest.raises(BadInput, match="a cap is an outcome and a number, as purchase:value=200, not 'clicks=much'"):
        analyze(log, caps=("clicks=much",))
    with pytest.raises(BadInput, match="the cap of clicks must be a finite number above 0, not -1"):
        analyze(log, cap=-1)


@pytest.mark.parametrize("outcomes", [("buy", "buy:value"), ("buy:value", "buy")])
def test_a_cap_is_of_the_outcome_that_it_names_in_whatever_order(outcomes: tuple[str, ...]) -> None:
    caps = Settings(outcomes=outcomes, caps=("buy=5",)).capped()
    assert {str(outcome): cap for outcome, cap in caps.items()} == {"buy": 5.0}
