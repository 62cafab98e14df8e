"""One rule for every row; for each kind of reference, something that is broken changes the verdict."""

from __future__ import annotations

import math

import pytest

from duelist.core.errors import BadInput
from duelist.core.intervals import Interval
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row, exactly, printed, rows_table

FIGURE = Reference("independent", "C++, 30 runs", 100.0, error=3.0)
CLAIM = Reference("claim", "section 5", below=1.0)


def around(mean: float, half: float) -> Interval:
    return Interval(mean, mean - half, mean + half)


@pytest.mark.parametrize(
    ("mean", "half", "agrees"),
    [
        (108.0, 4.0, True),  # 8 apart, 3.1 standard errors of the difference
        (110.0, 4.0, False),
        (92.0, 4.0, True),
        (90.0, 4.0, False),  # too good is as wrong
        (110.0, 6.0, True),  # ours is less sure
    ],
)
def test_numbers_agree_within_both_intervals_and_not_beyond(mean: float, half: float, agrees: bool) -> None:
    assert Row("cell", FIGURE, around(mean, half)).agrees is agrees


def test_a_tolerance_is_added_to_what_chance_allows_and_needs_a_reason() -> None:
    loose = Reference("published", "Table 1", 100.0, error=3.0, tolerance=2.0, reason="its own noise")
    assert Row("cell", loose, around(110.0, 4.0)).agrees
    assert not Row("cell", loose, around(112.0, 4.0)).agrees
    assert Row("cell", loose, around(110.0, 4.0)).apart == pytest.approx(8 / (5 / 1.96))
    with pytest.raises(BadInput, match="a tolerance needs a reason"):
        Reference("published", "Table 1", 100.0, tolerance=2.0)


def test_the_side_of_an_interval_that_faces_the_number_counts() -> None:
    ours = Interval(110.0, 109.0, 150.0)
    assert not Row("cell", FIGURE, ours).agrees
    assert Row("cell", Reference("independent", "C++", 140.0, error=3.0), ours).agrees


def test_numbers_without_error_agree_when_they_round_to_what_is_printed() -> None:
    assert Row("cell", printed("0.51", "Table 3.4"), exactly(0.5139)).agrees
    assert not Row("cell", printed("0.51", "Table 3.4"), exactly(0.5151)).agrees
    assert not Row("cell", printed("1.0", "section 2.3"), exactly(0.9)).agrees
    assert Row("cell", Reference("published", "Table 1", 2.0), exactly(2.0)).agrees
    assert not Row("cell", Reference("published", "Table 1", 2.0), exactly(1.0)).agrees


@pytest.mark.parametrize(("mean", "agrees"), [(0.9, True), (0.96, False), (1.067, False), (0.2, True)])
def test_a_claim_holds_for_the_whole_interval_and_may_be_one_sided(mean: float, agrees: bool) -> None:
    assert Row("ratio", CLAIM, around(mean, 0.05)).agrees is agrees


@pytest.mark.parametrize(("mean", "agrees"), [(0.0, True), (0.04, True), (0.06, False), (-0.06, False)])
def test_a_claim_of_no_difference_fails_where_one_is_seen(mean: float, agrees: bool) -> None:
    same = Reference("claim", "section 3.3.7", above=0.0, below=0.0, refutable=True)
    assert Row("difference", same, around(mean, 0.05)).agrees is agrees
    assert same.text == "not below 0 and not above 0"


def test_an_observation_has_no_verdict() -> None:
    row = Row("seen", OBSERVATION, around(0.5, 0.1))
    assert row.agrees is None
    assert math.isnan(row.apart)


def test_one_run_has_no_interval_and_agrees_with_nothing() -> None:
    alone = Interval(100.0, math.nan, math.nan)
    assert Row("cell", FIGURE, alone).agrees is False
    assert Row("cell", CLAIM, alone).agrees is False


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "guess", "source": "nowhere"},
        {"kind": "published", "source": "Table 1"},
        {"kind": "claim", "source": "section 5"},
        {"kind": "claim", "source": "section 5", "value": 1.0, "below": 2.0},
        {"kind": "observation", "source": "", "below": 1.0},
        {"kind": "independent", "source": "C++", "value": 1.0, "below": 2.0},
    ],
)
def test_a_reference_that_says_too_little_or_too_much_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Reference(**settings)  # type: ignore[arg-type]


def test_a_table_shows_the_kind_and_names_every_source_and_reason_once() -> None:
    rows = [
        Row("a cell", Reference("published", "Table 1", 2.0, tolerance=0.2, reason="its noise"), around(2.1, 0.2)),
        Row("another", Reference("published", "Table 1", 3.0, tolerance=0.2, reason="its noise"), around(2.1, 0.2)),
        Row("a claim", CLAIM, around(1.5, 0.1)),
        Row("seen", OBSERVATION, around(0.5, 0.1)),
    ]
    assert str(rows_table(rows)).splitlines() == [
        "cell            kind    reference           ours [95 %]  agrees",
        "-------  -----------  -----------  --------------------  ------",
        "a cell     published  2.000 ± 0.2  2.100 [1.900, 2.300]     yes",
        "another    published  3.000 ± 0.2  2.100 [1.900, 2.300]      NO",
        "a claim        claim      below 1  1.500 [1.400, 1.600]      NO",
        "seen     observation               0.500 [0.400, 0.600]       -",
        "",
        "published: Table 1",
        "± 0.2: its noise",
        "claim: section 5",
    ]


def test_a_row_as_json_says_all_that_the_verdict_came_from() -> None:
    assert Row("ratio", CLAIM, around(1.5, 0.5)).summary() == {
        "cell": "ratio",
        "kind": "claim",
        "source": "section 5",
        "reference": None,
        "reference_error": None,
        "above": None,
        "below": 1.0,
        "tolerance": 0.0,
        "reason": "",
        "ours": 1.5,
        "low": 1.0,
        "high": 2.0,
        "agrees": False,
    }
