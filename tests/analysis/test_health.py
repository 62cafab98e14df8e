"""A verdict on a log that lost something of one ranker is withheld; one bad row or click spoils nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.analysis.analysis import Analysis, analyze, analyze_all
from duelist.analysis.clocks import believable
from duelist.analysis.demo import HOUR, START, demo_log
from duelist.analysis.losses import AGAIN, one_sided_e_value
from duelist.analysis.page import page
from duelist.clicks.log import Action, Log, Record, Rejected, read_log
from duelist.clicks.rows import row_of
from duelist.clicks.scan import scan_log, spool_log
from duelist.evidence.balance import ALARM
from duelist.interleaving import METHODS

EQUAL = {"bm25": 0.3, "ltr": 0.3}
CLEAR = {"old": 0.2, "new": 0.3}


def file_of(folder: Path, rows: list[dict[str, Any]]) -> Path:
    file = folder / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def favoured(record: Record) -> int:
    """The team that is clicked more; -1 neither."""
    scores = [sum(record.teams[click] == team for click in record.clicks) for team in (0, 1)]
    return -1 if scores[0] == scores[1] else int(np.argmax(scores))


def spoiled(records: list[Record]) -> list[dict[str, Any]]:
    """An out-of-range click where the first click was on the second ranker's slot."""
    rows = []
    for record in records:
        row = row_of(record)
        if record.clicks and record.teams[record.clicks[0]] == 1:
            row["clicks"] = [*row["clicks"], 99]
        rows.append(row)
    return rows


def test_bad_clicks_of_one_ranker_withhold_the_verdict_and_drop_no_row(tmp_path: Path) -> None:
    records = demo_log(400, {"bm25": 0.2, "ltr": 0.3}, seed=3, visits=1)
    rows = spoiled(records)
    bad = sum(99 in row["clicks"] for row in rows)
    assert bad > 130  # of 400: what used to be dropped made the loser win
    file = file_of(tmp_path, rows)
    clean, found = analyze(Log(tuple(records))), analyze(read_log(file))
    assert found.impressions == 400
    assert clean.winner == "ltr"
    assert found.comparisons[0].preference == clean.comparisons[0].preference
    assert found.winner is None
    assert not found.health.valid
    reasons = " ".join(found.health.reasons)
    assert "clicks without a place: " in reasons
    assert "clicks without a place are in lists that favour one ranker more than another: bm25" in reasons
    assert "WITHHELD" in str(found)
    assert analyze(scan_log(file)).health.reasons == found.health.reasons


def test_few_bad_clicks_that_hit_one_ranker_are_seen(tmp_path: Path) -> None:
    records = demo_log(3000, EQUAL, seed=1, visits=1)
    rows = [row_of(record) for record in records]
    hit = [place for place, record in enumerate(records) if favoured(record) == 1][:60]
    for place in hit:
        rows[place]["clicks"] = [*rows[place]["clicks"], 77]
    analysis = analyze(read_log(file_of(tmp_path, rows)))
    loss = analysis.health.losses[1]
    assert (loss.count, loss.rankers) == (60, {"bm25": 0, "ltr": 60})
    assert loss.share < 0.05
    assert len(analysis.health.reasons) == 1
    assert (
        "favour one ranker more than another: bm25 0, ltr 60; whose they were nobody can tell"
        in analysis.health.reasons[0]
    )


def test_bad_clicks_of_both_rankers_alike_are_healthy_while_they_are_few(tmp_path: Path) -> None:
    rows = [row_of(record) for record in demo_log(1500, CLEAR, seed=1)]
    for row in rows[::40]:
        row["clicks"] = [*row["clicks"], -5]
    analysis = analyze(read_log(file_of(tmp_path, rows)))
    assert analysis.health.losses[1].count == len(rows[::40])
    assert analysis.health.valid
    assert analysis.winner == "new"
    strict = analyze(read_log(file_of(tmp_path, rows)), most_lost=0.001)
    assert strict.winner is None
    assert "more than 0%" in strict.health.reasons[0]


def test_rejected_rows_of_one_ranker_withhold_the_verdict() -> None:
    records = demo_log(3000, EQUAL, seed=2, visits=1)
    gone = [record for record in records if favoured(record) == 1][:80]
    kept = tuple(record for record in records if record not in gone)
    rejected = tuple(Rejected(place, "no user", "", ranker="ltr") for place in range(len(gone)))
    analysis = analyze(Log(kept, rejected))
    assert analysis.health.losses[0].share < 0.05
    assert "rejected rows hit one ranker more than another: bm25 0, ltr 80" in analysis.health.reasons[0]
    alike = tuple(Rejected(place, "no user", "", ranker=("ltr", "bm25")[place % 2]) for place in range(80))
    assert analyze(Log(kept, alike)).health.valid


def test_loss_that_hits_both_alike_is_seldom_called_one_sided() -> None:
    luck = np.random.default_rng(5)
    alarms = 0
    for _ in range(400):
        share, lost = luck.uniform(0.2, 0.8), luck.uniform(0.01, 0.5)
        whose, hit = luck.random(2000) < share, luck.random(2000) < lost
        for look in range(50, 2001, 50):
            counts = [[int((hit[:look] == side) @ (whose[:look] == team)) for team in (0, 1)] for side in (True, False)]
            if one_sided_e_value(*counts) >= 1 / ALARM:
                alarms += 1
                break
    assert alarms <= 10  # 4 of 400 at most may be expected; more than 10 have a chance of 0.3 %


def test_late_clicks_do_not_count_and_withhold_where_they_are_one_sided() -> None:
    records = demo_log(2000, EQUAL, seed=4, visits=1)
    timed = [replace(r, click_times=tuple(r.time + 60 for _ in r.clicks)) for r in records]
    prompt = analyze(Log(tuple(timed)), ended=True)
    late = [
        replace(r, click_times=tuple(r.time + 30 * HOUR for _ in r.clicks)) if favoured(r) == 1 and i % 8 == 0 else r
        for i, r in enumerate(timed)
    ]
    found = analyze(Log(tuple(late)), ended=True, most_lost=0.5)
    moved = sum(len(r.clicks) for i, r in enumerate(timed) if favoured(r) == 1 and i % 8 == 0)
    assert prompt.health.valid
    assert found.health.losses[2].count == moved
    assert "late clicks hit one ranker more than another" in found.health.reasons[0]
    assert found.comparisons[0].preference > prompt.comparisons[0].preference
    assert analyze(Log(tuple(late)), ended=True, attribution=48).comparisons[0].preference == pytest.approx(
        prompt.comparisons[0].preference
    )


def test_a_click_that_comes_late_does_not_change_what_was_counted() -> None:
    records = [replace(r, click_times=tuple(r.time + 60 for _ in r.clicks)) for r in demo_log(600, CLEAR, visits=1)]
    early = analyze(Log(tuple(records)))
    assert early.waiting > 0
    assert early.comparisons[0].accounts.impressions == len(records) - early.waiting
    more = replace(records[0], clicks=(0, 1, 2, 3, 4), click_times=(START + 40 * HOUR,) * 5)
    kept = dict(zip(records[0].clicks, records[0].click_times, strict=True))
    more = replace(more, click_times=tuple(kept.get(click, START + 40 * HOUR) for click in more.clicks))
    later = analyze(Log((more, *records[1:])))
    assert (later.comparisons[0].accounts.sums == early.comparisons[0].accounts.sums).all()
    assert later.health.losses[2].count == 5 - len(records[0].clicks)


def test_a_row_dated_years_ahead_ends_nothing() -> None:
    records = [replace(r, click_times=tuple(r.time + 60 for _ in r.clicks)) for r in demo_log(300, CLEAR, visits=1)]
    plain = analyze(Log(tuple(records)), window=24)
    strange = replace(records[5], id="x", user="x", time=START + 3 * 365 * 24 * HOUR, click_times=(), clicks=())
    found = analyze(Log((*records, strange)), window=24)
    assert found.health.misdated == 1
    assert found.comparisons[0].open == plain.comparisons[0].open > 0
    assert (found.comparisons[0].accounts.sums == plain.comparisons[0].accounts.sums).all()
    assert "1 impressions dated far from all others" in str(found)


def test_dates_that_fit_are_believed() -> None:
    luck = np.random.default_rng(0)
    assert believable(np.zeros(10)).all()
    assert believable(START + luck.exponential(24 * HOUR, 5000)).all()
    assert believable(START + 24 * HOUR * np.arange(3.0)).all()
    times = np.append(START + luck.uniform(0, 30 * 24 * HOUR, 500), [0.0, START + 90 * 24 * HOUR])
    assert np.flatnonzero(~believable(times)).tolist() == [500, 501]


def test_clicks_dated_before_their_list_are_told() -> None:
    records = [replace(r, click_times=tuple(r.time - 3600 for _ in r.clicks)) for r in demo_log(200, CLEAR)]
    clicks = sum(len(r.clicks) for r in records)
    analysis = analyze(Log(tuple(records)), ended=True)
    assert f"{clicks:,} of {clicks:,} dated clicks are dated before their list: clocks differ." in analysis.health.notes


def test_machines_and_silent_days_are_told() -> None:
    records = demo_log(3000, CLEAR, visits=1)
    machine = [replace(records[i], id=f"m{i}", user="crawler") for i in range(700)]
    silent = [replace(r, clicks=()) if START + 5 * 24 * HOUR < r.time < START + 6 * 24 * HOUR else r for r in records]
    notes = analyze(Log((*silent, *machine))).health.notes
    assert any("1 user made 18.9% of the impressions, up to 700 each" in note for note in notes)
    assert any("was everything logged?" in note for note in analyze(Log(tuple(silent))).health.notes)
    assert analyze(Log(tuple(records))).health.notes == ()
    without = analyze(Log((*records, *machine)), most=50)
    assert without.comparisons[0].accounts.impressions == len(records)


def test_repeated_clicks_are_counted_by_ranker(tmp_path: Path) -> None:
    rows = [row_of(record) for record in demo_log(300, CLEAR, seed=1)]
    again: dict[str, int] = {"old": 0, "new": 0}
    for row in rows:
        if row["clicks"]:
            again[("old", "new")[row["teams"][row["clicks"][0]]]] += 1
            row["clicks"] = [*row["clicks"], row["clicks"][0]]
    file = file_of(tmp_path, rows)
    for analysis in (analyze(read_log(file)), analyze(scan_log(file))):
        loss = analysis.health.losses[3]
        assert (loss.count, dict(loss.rankers)) == (sum(again.values()), again)
        assert analysis.health.valid


def test_a_verdict_that_replays_do_not_support_is_withheld() -> None:
    """Few users earn 100 for new, many 1 for old: until the large sums have come, old seems to win.

    Lists are so long that one click may be worth as much; else such credit would need a cap.
    """
    luck, shown = np.random.default_rng(3), tuple(map(str, range(100)))
    large, small = 100.0 * (luck.random(9000) < 0.009), 1.0 * (luck.random(9000) < 0.4)
    records = [
        Record(f"i{i}", f"u{i}", "q", START + 60.0 * i, shown, (0,), ("new", "old"), (i % 2, 1 - i % 2) * 50, credit)
        for i, credit in enumerate(zip(large.tolist(), small.tolist(), strict=True))
    ]
    found = analyze(Log(tuple(records)))
    assert found.comparisons[0].limits[0] > 0  # new would win
    assert found.health.replay["confidence sequence"] > 0.1
    assert found.health.unreliable == ("confidence sequence",)
    assert (found.winner, found.health.valid, found.summary()["winner"]) == (None, False, None)
    assert "the verdict is WITHHELD" in str(found)
    assert "WITHHELD" in page(found, "log", datetime(2026, 1, 1, tzinfo=UTC))
    capped = analyze(Log(tuple(records)), cap=100, ended=True)
    assert (capped.health.unreliable, capped.health.valid, capped.winner) == ((), True, "new")


def test_credit_that_clicks_do_not_explain_has_no_verdict_without_a_cap() -> None:
    """Nobody has earned 100 yet, as one user in 200 will: two for old in every second impression seem to win."""
    luck = np.random.default_rng(3)
    records = [
        Record(f"i{i}", f"u{i}", "q", START + 60.0 * i, ("a", "b"), (), ("new", "old"), (), (0.0, earned))
        for i, earned in enumerate((2.0 * (luck.random(150) < 0.5)).tolist())
    ]
    found = analyze(Log(tuple(records)))
    assert (found.winner, found.comparisons[0].winner, found.comparisons[0].needs_cap) == (None, None, 2.0)
    assert "Nobody yet. The credit of this log has no bound" in str(found)
    clicked = [replace(record, clicks=(0,)) for record in records]  # of which each may be worth two slots
    assert analyze(Log(tuple(clicked))).winner == "old"
    assert analyze(Log(tuple(records)), cap=100, ended=True).comparisons[0].capped is not None


def first_clicked(records: list[Record], team: int) -> list[bool]:
    """Which have their first click on a slot of a team."""
    return [bool(r.clicks) and r.teams[r.clicks[0]] == team for r in records]


@pytest.mark.parametrize("gone", [{"teams": ()}, {"teams": (), "rankers": ()}])
def test_clicked_rows_that_do_not_say_whose_withhold_the_verdict(gone: dict[str, Any], tmp_path: Path) -> None:
    records = demo_log(800, CLEAR, seed=3, visits=1)
    hit = first_clicked(records, 1)
    bare = [replace(r, **gone) if mine else r for r, mine in zip(records, hit, strict=True)]
    file = file_of(tmp_path, [row_of(r) for r in bare])
    found = analyze(read_log(file))
    assert replace(found.comparisons[0], withheld=False).winner == "old"  # what is lost decides
    assert found.winner is None
    assert f"impressions with clicks without teams or credit: {sum(hit) / 800:.1%} of 800" in found.health.reasons[0]
    assert analyze(scan_log(file)).health.reasons == found.health.reasons
    few = [replace(r, **gone) if mine and i < 300 else r for i, (r, mine) in enumerate(zip(records, hit, strict=True))]
    assert "have clicks in" in analyze(Log(tuple(few)), most_lost=0.5).health.reasons[0]


def test_rows_without_teams_by_chance_are_told_and_cost_users_only() -> None:
    records = demo_log(1500, CLEAR, seed=1, visits=1)
    bare = [replace(r, teams=()) if i % 40 == 0 else r for i, r in enumerate(records)]
    found = analyze(Log(tuple(bare)))
    assert found.winner == analyze(Log(tuple(records))).winner == "new"
    assert found.health.losses[-1].count == sum(i % 40 == 0 and bool(r.clicks) for i, r in enumerate(records)) > 10


def test_lists_of_one_ranker_forbid_a_verdict_only_where_clicks_chose_them() -> None:
    records = demo_log(800, CLEAR, seed=3, visits=1)
    single: dict[str, Any] = {"rankers": ("new",), "teams": (0,) * len(records[0].shown)}
    chosen = [replace(r, **single) if own else r for r, own in zip(records, first_clicked(records, 1), strict=True)]
    found = analyze(Log(tuple(chosen)))
    assert found.winner is None
    assert "impressions of new alone have clicks, where its clicks in lists of several let" in found.health.reasons[0]
    luck = np.random.default_rng(0)
    settled = []  # as a policy that is sure shows them: all slots are new's, and people click as they would
    for i in range(2000):
        clicks = tuple(np.flatnonzero(luck.random(len(records[0].shown)) < CLEAR["new"]).tolist())
        settled.append(
            replace(records[0], id=f"s{i}", user=f"s{i}", time=START + 15 * 24 * HOUR, clicks=clicks, **single)
        )
    assert analyze(Log((*records, *settled))).health.reasons == ()


def settled_on_new(method: str, users: int = 900) -> list[Record]:
    """Two rankers with the same first two documents; after two thirds of the users a policy shows new alone."""
    luck, records = np.random.default_rng(1), []
    appeal = {"a": 0.3, "b": 0.2, "c": 0.1, "d": 0.1}
    for i in range(users):
        shown = METHODS.make(method).combine(["abcd", "abdc"], length=4, rng=luck)
        clicks = [slot for slot, name in enumerate(shown.ranking) if luck.random() < appeal[name]]
        told = {"id": str(i), "user": f"u{i}", "query": "q", "time": START + 600.0 * i}
        record = shown.record(rankers=("new", "old"), clicks=clicks, **told)
        if 3 * i >= 2 * users:
            record = replace(record, rankers=("new",), teams=(0,) * 4, credit=())
        records.append(record)
    return records


@pytest.mark.parametrize("method", ["team-draft", "balanced", "pairwise-preference", "competitive-pair"])
def test_lists_of_one_ranker_have_the_clicks_that_both_share(method: str) -> None:
    """What both rankings have is nobody's slot or a tie of scores, and clicked all the same in lists of one."""
    found = analyze(Log(tuple(settled_on_new(method))))
    assert (found.health.alone, found.health.reasons) == (300, ())


def test_late_clicks_on_lists_of_one_ranker_choose_nothing() -> None:
    """As those on lists of several do not."""
    records = [replace(r, clicks=()) for r in settled_on_new("team-draft")]
    late = [replace(r, clicks=(2,), click_times=(r.time + 90_000,)) for r in records]
    assert not any("alone have clicks" in why for why in analyze(Log(tuple(late)), ended=True).health.reasons)


def test_late_clicks_of_busy_people_are_nobodys_fault() -> None:
    """Half click once, on anything; the others click much, of new more. Each click is late by the same chance."""
    luck, records = np.random.default_rng(1), []
    for i in range(3000):
        teams = tuple(luck.permutation([0, 1] * 4).tolist())
        busy = tuple(slot for slot in range(8) if luck.random() < (0.2, 0.6)[teams[slot]])
        clicks = busy if i % 2 else (int(luck.integers(8)),)
        time = START + 60.0 * i
        times = tuple(time + 90_000 * (luck.random() < 0.1) for _ in clicks)
        shown = tuple("abcdefgh")
        records.append(Record(f"i{i}", f"u{i}", "q", time, shown, clicks, ("old", "new"), teams, click_times=times))
    found = analyze(Log(tuple(records)), ended=True, most_lost=0.2)
    assert (found.winner, found.health.reasons) == ("new", ())


def test_misdated_rows_of_one_ranker_withhold_the_verdict() -> None:
    records = demo_log(8000, EQUAL, seed=2, visits=1)
    mine = [place for place, record in enumerate(records) if favoured(record) == 1][:40]
    for place in mine:
        records[place] = replace(records[place], time=START + 3 * 365 * 24 * HOUR)
    found = analyze(Log(tuple(records)))
    assert found.health.misdated == 40
    assert "dated far from all others hit one ranker more than another: bm25 0, ltr 40" in found.health.reasons[0]


def test_clicks_that_a_late_row_adds_are_late(tmp_path: Path) -> None:
    records = demo_log(800, CLEAR, seed=3, visits=1)
    rows = [row_of(r) for r in records]
    more = [place for place in range(len(records)) if place % 3 == 0]
    later = [{**rows[p], "time": records[p].time + 120 * HOUR, "clicks": [records[p].teams.index(0)]} for p in more]
    plain = analyze(Log(tuple(records)), ended=True)
    file = file_of(tmp_path, [*rows, *later])
    found = analyze(read_log(file), ended=True)
    assert found.winner is None
    assert "late clicks" in found.health.reasons[0]
    assert found.comparisons[0].preference == plain.comparisons[0].preference
    scanned = analyze(scan_log(file), ended=True)
    assert scanned.health.reasons == found.health.reasons
    assert scanned.comparisons[0].preference == plain.comparisons[0].preference
    prompt = [{**row, "time": row["time"] - 119 * HOUR} for row in later]
    assert analyze(scan_log(file_of(tmp_path, [*rows, *prompt])), ended=True).health.losses[2].count == 0


def credited(records: list[Record], credit: tuple[float, float] = (0.0, 0.0)) -> list[dict[str, Any]]:
    """Rows with a click each that say themselves what it is worth."""
    return [{**row_of(r), "clicks": [0], "credit": list(credit)} for r in records]


@pytest.mark.parametrize("silent", [False, True])
def test_credit_that_a_late_row_brings_is_late(tmp_path: Path, silent: bool) -> None:
    """Days later new is said to have earned 1 in every third impression; before, nothing, or what its clicks say."""
    records = demo_log(600, EQUAL, seed=3, visits=1)
    rows, later = credited(records), credited(records[::3], (0.0, 1.0))
    rows = [{name: value for name, value in row.items() if name != "credit" or not silent} for row in rows]
    whole = [later[place // 3] if place % 3 == 0 else row for place, row in enumerate(rows)]
    never, at_once = (analyze(scan_log(file_of(tmp_path, lines)), ended=True) for lines in (rows, whole))
    for read in (read_log, scan_log, spool_log):
        days = [{**row, "time": row["time"] + 120 * HOUR} for row in later]
        found = analyze(read(file_of(tmp_path, [*rows, *days])), ended=True)
        assert found.comparisons[0].preference == never.comparisons[0].preference
        assert found.winner is None
        assert "late clicks" in found.health.reasons[0]
        hour = [{**row, "time": row["time"] + HOUR} for row in later]
        found = analyze(read(file_of(tmp_path, [*rows, *hour])), ended=True)
        assert found.comparisons[0].preference == at_once.comparisons[0].preference
        assert (found.health.losses[2].count, found.health.reasons) == (0, at_once.health.reasons)


def test_credit_told_in_time_is_not_late_because_it_is_told_again(tmp_path: Path) -> None:
    records = demo_log(300, EQUAL, seed=3, visits=1)
    rows, later = credited(records), credited(records, (0.0, 1.0))
    again = [
        *({**row, "time": row["time"] + 120 * HOUR} for row in later),
        *({**row, "time": row["time"] + HOUR} for row in later),
        *({**row, "time": row["time"] + 200 * HOUR} for row in later),
    ]
    for read in (read_log, scan_log):
        found = analyze(read(file_of(tmp_path, [*rows, *again])), ended=True)
        assert (found.health.losses[2].count, found.health.duplicates) == (0, 900)
        assert found.comparisons[0].preference == -1.0


@pytest.mark.parametrize("delay", [0.0, 120 * HOUR])
def test_rows_told_once_more_change_nothing(tmp_path: Path, delay: float) -> None:
    rows = [row_of(r) for r in demo_log(300, CLEAR, seed=3, visits=1)]
    again = [{**row, "time": row["time"] + delay} for row in rows]
    once = analyze(scan_log(file_of(tmp_path, rows)))
    twice = [analyze(read(file_of(tmp_path, [*rows, *again]))) for read in (read_log, scan_log)]
    for found in twice:
        assert (found.comparisons[0].accounts.sums == once.comparisons[0].accounts.sums).all()
        assert (found.waiting, found.health.losses[2].count, found.health.duplicates) == (0, 0, 300)


def test_what_is_lost_belongs_to_the_experiment_that_lost_it(tmp_path: Path) -> None:
    rows = [row_of(record) for record in demo_log(300, CLEAR, seed=1, visits=1)]
    home, checkout = ([{**row, "experiment": name} for row in rows] for name in ("home", "checkout"))
    for row in home[:30]:
        row["user"] = ""
    for row in home[30:60]:
        row["clicks"] = [*row["clicks"], 99]
    for read in (read_log, scan_log):
        found = {a.experiment: a.health for a in analyze_all(read(file_of(tmp_path, home + checkout)))}
        assert [loss.count for loss in found["home"].losses[:2]] == [30, 30]
        assert [loss.count for loss in found["checkout"].losses[:2]] == [0, 0]
        assert (found["home"].valid, found["checkout"].valid) == (False, True)
        assert found["checkout"].example == ""
    for row in home[:30]:
        row["experiment"] = ""  # nobody can tell
    for read in (read_log, scan_log):
        found = {a.experiment: a.health for a in analyze_all(read(file_of(tmp_path, home + checkout)))}
        assert [found[name].losses[0].count for name in ("home", "checkout")] == [30, 30]


def test_a_few_per_cent_of_rows_from_another_year_end_nothing(tmp_path: Path) -> None:
    records = demo_log(1600, CLEAR, seed=3, visits=1)
    wrong = [place for place, own in enumerate(first_clicked(records, 1)) if own and favoured(records[place]) == 1][:48]
    moved = [replace(r, time=r.time + 1200 * 24 * HOUR) if i in wrong else r for i, r in enumerate(records)]
    file = file_of(tmp_path, [row_of(r) for r in moved])
    late = analyze(scan_log(file), window=96)
    rest = analyze(Log(tuple(r for i, r in enumerate(records) if i not in wrong)), window=96)
    assert (late.health.misdated, late.comparisons[0].open) == (48, rest.comparisons[0].open)
    assert late.winner is None
    assert "dated far from all others hit one ranker more than another: old 0, new 48" in late.health.reasons[0]
    assert "48 impressions dated far from all others" in str(late)
    assert analyze(spool_log(file, portion=100), window=96).health.reasons == late.health.reasons


def test_a_long_pause_is_told_and_what_came_after_it_counts() -> None:
    records = demo_log(800, CLEAR, seed=3, visits=1)
    moved = [replace(r, time=r.time + 1200 * 24 * HOUR) if i % 10 == 0 else r for i, r in enumerate(records)]
    found = analyze(Log(tuple(moved)))
    assert found.health.misdated == 0
    assert "Nothing was logged between" in found.health.notes[0]
    assert "10.0% of the impressions after: do clocks agree?" in found.health.notes[0]
    times = START + 24 * HOUR * np.append(np.arange(7.0).repeat(100), [20.0] * 20)  # begun again after two weeks
    assert believable(times).all()


def test_clicks_without_a_place_that_could_undo_the_lead_withhold_the_verdict(tmp_path: Path) -> None:
    """People click once, so that no other click of a list tells whose a lost one was."""
    luck = np.random.default_rng(1)
    rows = []
    for i in range(20_000):
        teams = [0, 1] if luck.random() < 0.5 else [1, 0]
        click = int(luck.integers(2))
        gone = teams[click] == 1 and luck.random() < 0.094  # 4.7 % of all clicks, all of them the second ranker's
        rows.append(
            {"id": f"i{i}", "user": f"u{i}", "time": START + 60 * i, "shown": [f"a{i}", f"b{i}"], "teams": teams}
            | {"clicks": [9 if gone else click], "rankers": ["bm25", "ltr"]}
        )
    file = file_of(tmp_path, rows)
    found = analyze(scan_log(file))
    lost = sum(row["clicks"] == [9] for row in rows)
    assert replace(found.comparisons[0], withheld=False).winner == "bm25"
    assert (found.winner, found.health.losses[1].share < 0.05) == (None, True)
    rate = f"{lost / 20_000:.3g} an impression"
    words = f"if all {lost:,} clicks without a place were ltr's ({rate}), bm25 would not surely win"
    assert found.health.reasons == (words,)
    assert f"{lost:,} clicks without a place, {lost / 20_000:.1%}; whose, nobody can tell" in str(found)
    assert analyze(read_log(file)).health.reasons == found.health.reasons


def with_broken_lines(folder: Path, records: list[Record], broken: list[int]) -> Path:
    """The log with some of its lines cut off, so that nobody can tell whose they were."""
    file = file_of(folder, [row_of(record) for record in records])
    lines = file.read_text().split("\n")
    file.write_text("\n".join(line[:-15] if i in broken else line for i, line in enumerate(lines)))
    return file


def test_broken_lines_that_could_undo_the_lead_withhold_the_verdict(tmp_path: Path) -> None:
    records = demo_log(6000, EQUAL, seed=3, visits=1)
    mine = [place for place, record in enumerate(records) if favoured(record) == 1][:290]
    file = with_broken_lines(tmp_path, records, mine)
    found = analyze(scan_log(file))
    assert replace(found.comparisons[0], withheld=False).winner == "bm25"
    assert (found.winner, found.health.losses[0].share < 0.05) == (None, True)
    rest = [r for place, r in enumerate(records) if favoured(r) == 1 and place not in mine]
    worth = np.mean([sum(r.teams[click] == 1 for click in r.clicks) for r in rest])
    rate = f"{290 * worth / 5710:.3g} an impression"  # one click each would be too few to undo it
    words = f"if all 290 rejected rows of no known ranker were ltr's ({rate}), bm25 would not surely win"
    assert found.health.reasons == (words,)
    for read in (read_log, spool_log):
        assert analyze(read(file)).health.reasons == found.health.reasons


def test_a_clear_lead_outlives_a_few_broken_lines(tmp_path: Path) -> None:
    records = demo_log(1500, CLEAR, seed=1)
    found = analyze(scan_log(with_broken_lines(tmp_path, records, list(range(0, len(records), 100)))))
    assert found.health.rejected == len(range(0, len(records), 100))
    assert (found.winner, found.health.reasons) == ("new", ())


def test_rejected_rows_that_favour_nobody_undo_no_lead(tmp_path: Path) -> None:
    records = demo_log(3000, {"old": 0.2, "new": 0.23}, seed=1)  # a lead that so many of the other's would undo
    rows = [row_of(record) for record in records]
    empty = {"user": "", "clicks": []}
    few = len(rows) // 21
    found = analyze(
        scan_log(file_of(tmp_path, [*rows, *(row | empty | {"id": f"x{i}"} for i, row in enumerate(rows[:few]))]))
    )
    assert found.health.rejected == few
    assert (found.winner, found.health.reasons) == ("new", ())


def test_duplicates_of_one_ranker_are_a_note_and_count_once(tmp_path: Path) -> None:
    """A page that sends its row again when new is clicked, as it may: nothing counts twice, and it is told."""
    records = demo_log(800, EQUAL, seed=3, visits=1)
    rows = [row_of(r) for r in records]
    mine = [row for row, r in zip(rows, records, strict=True) if favoured(r) == 1]
    once = analyze(scan_log(file_of(tmp_path, rows)))
    for read in (read_log, scan_log, spool_log):
        found = analyze(read(file_of(tmp_path, [*rows, *mine])))
        assert (found.comparisons[0].accounts.sums == once.comparisons[0].accounts.sums).all()
        assert found.health.duplicates == len(mine)
        loss = next(loss for loss in found.health.losses if loss.name == AGAIN)
        assert (loss.count, dict(loss.rankers)) == (len(mine), {"bm25": 0, "ltr": len(mine)})
        assert "rows of impressions told before are more one ranker's than another's." in found.health.notes
        assert f"{len(mine):,} rows of impressions told before, " in str(found)
        assert "duplicates" not in str(found)
        assert found.health.reasons == ()
        every = analyze(read(file_of(tmp_path, [*rows, *rows])))
        assert (every.health.duplicates, every.health.notes) == (800, ())


def test_nothing_is_decided_before_the_time_for_clicks_is_over() -> None:
    """Both are bought alike; what old sells is bought at once, what new sells after twenty hours."""
    luck, records = np.random.default_rng(3), []
    for i in range(1500):
        time = START + 60.0 * i  # a list a minute: 25 hours
        teams = (i % 2, 1 - i % 2)
        wait = (72_000.0, 300.0)
        done = [Action("buy", teams.index(team), 1.0, time + wait[team]) for team in (0, 1) if luck.random() < 0.3]
        records.append(Record(f"i{i}", f"u{i}", "q", time, ("a", "b"), (), ("new", "old"), teams, actions=tuple(done)))

    def seen(hours: float, **settings: Any) -> Analysis:
        end = START + 3600 * hours
        early = [
            replace(r, actions=tuple(a for a in r.actions if a.time is not None and a.time <= end))
            for r in records
            if r.time <= end
        ]
        return analyze(Log(tuple(early)), outcomes=("buy",), segments=("queries",), **settings)

    first_day = seen(23)
    assert (first_day.winner, first_day.frozen) == (None, False)
    assert {segment.winner for segment in first_day.segments} == {None}
    assert "No user decides it: the time for clicks and actions has to be over, 24 hours" in str(first_day)
    assert seen(23, ended=True).winner == "old"  # what somebody says who knows that nothing more comes


def rows_with_lost_clicks(number: int, lost: int) -> list[dict[str, Any]]:
    """Lists of bm25 and ltr that nobody prefers, but for so many clicks of ltr's that have no place."""
    rows = []
    for i in range(number):
        teams = [i % 2, 1 - i % 2]
        ltr = i % 4 < 2
        click = 9 if ltr and i // 4 < lost // 2 else teams.index(int(ltr))
        rows.append(
            {"id": f"i{i}", "user": f"u{i}", "time": START + 60 * i, "shown": ["a", "b"], "teams": teams}
            | {"clicks": [click], "rankers": ["bm25", "ltr"]}
        )
    return rows


def test_one_row_with_credit_does_not_hide_lost_clicks(tmp_path: Path) -> None:
    rows = rows_with_lost_clicks(12_000, 570)
    assert "would not surely win" in str(analyze(scan_log(file_of(tmp_path, rows))))
    rows[-1]["credit"] = [1.0, 0.0]
    assert "would not surely win" in str(analyze(scan_log(file_of(tmp_path, rows))))


def test_lost_clicks_are_weighed_against_the_lists_that_compare_the_two(tmp_path: Path) -> None:
    rows = rows_with_lost_clicks(12_000, 570)
    for i, row in enumerate(rows_with_lost_clicks(24_000, 0)):
        click = row["teams"].index(0 if i % 3 else 1)
        rows.append(row | {"id": f"k{i}", "user": f"v{i}", "clicks": [click], "rankers": ["bm25", "third"]})
    found = analyze(scan_log(file_of(tmp_path, rows)))
    assert (found.comparisons[0].first, found.comparisons[0].second) == ("bm25", "ltr")
    assert "would not surely win" in str(found)
