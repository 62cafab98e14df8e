"""Records: whatever has a form in JSON comes back, and what is wrong is said."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.record import frozen, read_record, reading, write_record


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
        (np.array([True, False]), [True, False]),
        (np.float64(0.1), 0.1),
        (np.int64(2**62), 2**62),
        (np.bool_(True), True),
        (range(3), [0, 1, 2]),
        ((1, ("a", None)), [1, ["a", None]]),
        (1e-300, 1e-300),
    ],
)
def test_arrays_and_numbers_of_numpy_become_plain_values(value: Any, read: Any) -> None:
    assert json.loads(write_record({"value": value}, "a thing")) == {"value": read}


def test_every_bit_of_a_number_survives() -> None:
    numbers = np.random.default_rng(0).random(1000) * 10.0 ** np.arange(-300, 300, 0.6)
    assert json.loads(write_record({"n": numbers}, "a thing"))["n"] == numbers.tolist()


@pytest.mark.parametrize("value", [object(), {1, 2}, math.nan, np.array([math.inf]), 1j, {("a", "b"): 1}])
def test_what_has_no_form_is_refused_by_name(value: Any) -> None:
    with pytest.raises(BadInput, match="JSON has no form for all of my policy: "):
        write_record({"value": value}, "my policy")


@pytest.mark.parametrize("record", ['{"schema": 3, "x": 1}', b'{"schema": 3, "x": 1}', {"schema": 3, "x": 1}])
def test_a_record_may_come_as_text_bytes_or_a_mapping(record: Any) -> None:
    assert read_record(record, "a thing", 3)["x"] == 1


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ("{", "not the JSON of a thing: "),
        (b"\xff\xff", "not the JSON of a thing: "),
        (None, "not the JSON of a thing: "),
        ("[3]", "of schema 3: schema is None"),
        ("{}", "of schema 3: schema is None"),
        ('{"schema": 2}', "of schema 3: schema is 2"),
        ({"schema": "3"}, "of schema 3: schema is '3'"),
    ],
)
def test_what_is_no_record_of_the_schema_is_refused(record: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read_record(record, "a thing", 3)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(BadInput, match="not the JSON of a thing: it has no 'tables'"), reading("a thing"):
        dict[str, int]()["tables"]


@pytest.mark.parametrize("error", [TypeError("odd"), ValueError("odd"), AttributeError("odd"), IndexError("odd")])
def test_what_goes_wrong_while_reading_is_about_the_record(error: Exception) -> None:
    with pytest.raises(BadInput, match="not the JSON of a thing: odd"), reading("a thing"):
        raise error


def test_an_error_that_already_says_what_is_wrong_passes() -> None:
    with pytest.raises(BadInput, match=r"^rate must be 1$"), reading("a thing"):
        raise BadInput("rate must be 1")


def test_lists_are_tuples_again() -> None:
    assert frozen([1, ["a", [None]]]) == (1, ("a", (None,)))
    assert frozen("ab") == "ab"
