"""A shown list is a value: it is stored, logged, and credited where it is read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from duelist.cli import app
from duelist.clicks import Record, read_log, write_log
from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats
from duelist.interleaving import Method, PairwisePreference, Shown, TeamDraft
from duelist.interleaving.audit import built_in

NAMES = ("bm25", "ltr", "vector")
RANKINGS = ("abcdefg", "gbdeafc", "cgabdfe")
CASES = [(method, n) for method in built_in() for n in (2, 3) if n == 2 or not method.only_two]


def impressions(method: Method, rankers: int, number: int = 40) -> list[tuple[Record, Floats]]:
    """Records of lists that people clicked at random, and what the method itself gives for them."""
    luck, found = np.random.default_rng(rankers), []
    for i in range(number):
        shown = method.combine(RANKINGS[:rankers], 6, luck)
        clicks = luck.choice(6, size=i % 4, replace=False).tolist()
        stored = Shown.from_json(shown.to_json())
        record = stored.record(
            id=f"i{i}", user=f"u{i % 9}", query="jazz", time=60.0 * i, rankers=NAMES[:rankers], clicks=clicks
        )
        found.append((record, method.credit(shown, clicks)))
    return found


@pytest.mark.parametrize(("method", "rankers"), CASES, ids=str)
def test_analyze_finds_the_credit_that_the_method_gave(method: Method, rankers: int, tmp_path: Path) -> None:
    found = impressions(method, rankers)
    write_log([record for record, _ in found], tmp_path / "log.jsonl")
    printed = CliRunner().invoke(app, ["analyze", str(tmp_path / "log.jsonl"), "--json"], catch_exceptions=False)
    earned = {ranker["name"]: ranker["estimate"] for ranker in json.loads(printed.stdout)["rankers"]}
    mean = np.mean([credit for _, credit in found], axis=0)
    assert mean.any()
    assert [earned[name] for name in NAMES[:rankers]] == pytest.approx(mean.tolist(), abs=1e-12)


@pytest.mark.parametrize(("method", "rankers"), CASES, ids=str)
def test_records_are_read_as_they_were_written(method: Method, rankers: int, tmp_path: Path) -> None:
    records = tuple(record for record, _ in impressions(method, rankers))
    for name in ("log.jsonl", "log.csv"):
        write_log(records, tmp_path / name)
        assert read_log(tmp_path / name).records == records


def test_teams_decide_where_they_can_and_else_the_record_carries_credit() -> None:
    carries = {method.name for method in built_in() if impressions(method, 2)[1][0].credit}
    assert carries == {method.name for method in built_in()} - {"team-draft", "competitive-pair"}


def test_credit_of_ones_own_is_carried_even_where_there_are_teams() -> None:
    class TwiceTheTeam(TeamDraft):
        def credit(self, shown: Shown, clicks: Any) -> Floats:
            return 2 * super().credit(shown, clicks)

    shown = TwiceTheTeam().combine(["ab", "ba"], 2, np.random.default_rng(1))
    record = shown.record(id="1", user="ann", rankers=("x", "y"), clicks=[0, 1])
    assert (record.teams, record.credit) == (shown.teams, (2.0, 2.0))


def test_a_list_knows_the_parameters_that_its_credit_needs() -> None:
    shown = PairwisePreference(pairing="all").combine(RANKINGS, 6, np.random.default_rng(5))
    assert shown.method == "pairwise-preference:pairing=all"
    assert Shown.from_json(shown.to_json()).made_by() == PairwisePreference(pairing="all")
    record = shown.record(id="1", user="ann", rankers=NAMES, clicks=[0, 4])
    assert record.credit == tuple(PairwisePreference("all").credit(shown, [0, 4]))
    assert record.credit != tuple(PairwisePreference("above").credit(shown, [0, 4]))


def test_clicks_keep_their_order_and_come_once() -> None:
    shown = TeamDraft().combine(["abc", "cab"], 3, np.random.default_rng(1))
    for clicks in ([2, 0, 2, 0], np.array([2, 0])):
        assert shown.record(id="1", user="ann", rankers=("x", "y"), clicks=clicks).clicks == (2, 0)


def test_whole_numbers_become_text_in_a_log_and_other_documents_are_refused() -> None:
    def record(ranking: Sequence[Any]) -> Record:
        return Shown(tuple(ranking), 2, "team-draft", (0, 1)).record(id="1", user="ann", rankers=("x", "y"))

    assert record([7, np.int64(8)]).shown == ("7", "8")
    for bad in (("a", 1), None, 1.5, True):
        with pytest.raises(BadInput, match=r"a log holds documents that are text or whole numbers, not "):
            record(["a", bad])
    with pytest.raises(BadInput, match="document '7' is shown twice"):
        record([7, "7"])


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rankers": ("x",)}, r"2 rankings were combined, which need as many names, not \('x',\)"),
        ({"rankers": "xy"}, "need as many names, not 'xy'"),
        ({"rankers": ("x", "x")}, "ranker 'x' is named twice"),
        ({"clicks": [3]}, "there is no position 3"),
        ({"clicks": [0.5]}, "a click must be a whole number, not 0.5"),
        ({"user": ""}, "no user"),
        ({"time": -1}, "time must be from 1970"),
    ],
)
def test_what_cannot_be_logged_is_named(changes: dict[str, Any], complaint: str) -> None:
    shown = TeamDraft().combine(["abc", "cab"], 3, np.random.default_rng(1))
    with pytest.raises(BadInput, match=complaint):
        shown.record(**{"id": "1", "user": "ann", "rankers": ("x", "y"), "clicks": [0], **changes})


def test_a_list_must_say_which_method_made_it() -> None:
    with pytest.raises(BadInput, match="does not say which method made it"):
        Shown(("a", "b"), 2, teams=(0, 1)).record(id="1", user="ann", rankers=("x", "y"))
    with pytest.raises(UnknownName, match=r"unknown method 'team-drafd' .did you mean 'team-draft'"):
        Shown(("a", "b"), 2, "team-drafd", (0, 1)).record(id="1", user="ann", rankers=("x", "y"))


def test_the_json_form_is_that_of_a_duel() -> None:
    shown = TeamDraft().combine([["a", ("b", 2)], [("b", 2), "a"]], 2, np.random.default_rng(1))
    data = json.loads(shown.to_json())
    assert (data["schema"], list(data)[1:]) == (1, list(Shown._fields[:-1])), "without tops, where there are none"
    assert Shown.from_json(data) == Shown.from_json(shown.to_json().encode()) == shown
    with pytest.raises(BadInput, match="not the JSON of a shown list of schema 1: schema is 2"):
        Shown.from_json(data | {"schema": 2})


def test_documents_that_json_cannot_hold_are_refused() -> None:
    with pytest.raises(BadInput, match="JSON has no form"):
        Shown((frozenset({1}),), 2).to_json()


def test_numbers_of_numpy_are_stored_as_numbers() -> None:
    shown = TeamDraft().combine(np.array([[1, 2], [2, 1]]), 2, np.random.default_rng(0))
    assert Shown.from_json(shown.to_json()) == shown


@pytest.mark.parametrize(
    "text", ["", "[1]", '{"schema": 1, "ranking": []}', '{"schema": 1, "ranking": [], "rankers": 2, "colour": 1}']
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not the JSON of a shown list"):
        Shown.from_json(text)


def test_slots_beyond_the_teams_are_neutral() -> None:
    assert TeamDraft().credit(Shown(("a", "b", "c"), 2, "team-draft", (1, 0)), [0, 2]).tolist() == [0, 1]
