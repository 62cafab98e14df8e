from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from duelist.core.compile import compiled
from duelist.data.parse import explain, parse, parse_number

fast = settings(derandomize=True, deadline=None, database=None)  # the first call compiles


@compiled
def number(text: Any) -> tuple[float, int]:
    value, stop = parse_number(text, 0)
    return value, stop


def as_array(text: bytes) -> Any:
    return np.frombuffer(text, np.uint8)


@fast
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["{!r}", "{:.6f}", "{:.3e}", "{:+.15g}"]))
@example(0.1 + 0.2, "{!r}")
@example(9007199254740993.0, "{:.0f}")
@example(1e22, "{:.0f}")
@example(5e-324, "{!r}")
def test_numbers_are_rounded_as_python_does(value: float, shape: str) -> None:
    text = shape.format(value)
    found, stop = number(as_array(text.encode() + b"\n"))
    assert stop == len(text)
    if np.isnan(found):  # left to Python
        assert sum(sign.isdigit() for sign in text) > 15 or "e" in text
    else:
        assert found == float(text)
        assert np.signbit(found) == np.signbit(float(text))


@pytest.mark.parametrize("text", ["0.471076", "1", "0", "835", "22.240604", "-1.5", "1e3", "2.5E-7", ".5", "5.", "+3"])
def test_usual_numbers_need_no_help(text: str) -> None:
    assert number(as_array(text.encode() + b"\n")) == (float(text), len(text))


@pytest.mark.parametrize("text", ["", "-", ".", "e5", "1e", "1e+", "nan", "inf", "-inf", "x"])
def test_what_is_no_number_is_seen(text: str) -> None:
    _, stop = number(as_array(text.encode() + b"\n"))
    assert stop == -1 or stop < len(text)


def bad_line(text: bytes, most: int = 100) -> int:
    """The first bad line by the compiled parser."""
    lines, cells = text.count(b"\n"), len(text)
    ints = [np.empty(shape, np.int64) for shape in (lines, (lines, 4), cells, cells)]
    return int(parse(as_array(text), most, ints[0], ints[1], ints[2], np.empty(cells), ints[3])[2])


GOOD_AND_BAD = (
    *("0", "2", "50", "51", "-1", "1.0", "qid:1", "qid:x#", "qid:", "qid", "1:0.5", "2:3", "3:-1e3", "0:1", "101:1"),
    *("9:", "9:nan", "9:1e-3", "9:1_0", "x:1", "7", ":", "#", "#1:x", "8:0x1", "8:+.5", "8:.", "08:1.", "\t", "\x0b"),
)
WORDS = st.sampled_from(GOOD_AND_BAD)


@settings(fast, max_examples=500)
@given(st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=4))
def test_both_parsers_agree_on_which_line_is_bad(lines: list[str]) -> None:
    reasons = [explain(line.encode(), 100) for line in lines]
    expected = next((number for number, reason in enumerate(reasons, 1) if reason), 0)
    assert bad_line("".join(line + "\n" for line in lines).encode()) == expected


@settings(fast, max_examples=500)
@given(st.integers(0, 29), st.integers(0, 255))
def test_both_parsers_agree_on_any_damaged_byte(place: int, byte: int) -> None:
    line = bytearray(b"2 qid:10 1:0.5 3:2e1 12:-4 # x")
    line[place] = byte
    expected = next((n for n, part in enumerate(bytes(line).split(b"\n"), 1) if explain(part, 100)), 0)
    assert bad_line(bytes(line) + b"\n") == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x qid:1 1:1", "the label must be a whole number from 0 to 50, not 'x'"),
        ("-1 qid:1 1:1", "not '-1'"),
        ("1.5 qid:1 1:1", "not '1.5'"),
        ("1 1:1", "qid:<id> must follow the label, not '1:1'"),
        ("1", "qid:<id> must follow the label, not ''"),
        ("1 qid: 1:1", "not 'qid:'"),
        ("1 qid:1 x", "a feature must be number:value, not 'x'"),
        ("1 qid:1 a:1", "a feature must be number:value, not 'a:1'"),
        ("1 qid:1 0:1", "a feature number must be from 1 to 100000, not 0"),
        ("1 qid:1 100001:1", "from 1 to 100000, not 100001"),
        ("1 qid:1 2:1 1:1", "feature numbers must grow, but 1 comes after 2"),
        ("1 qid:1 2:1 2:1", "feature numbers must grow, but 2 comes after 2"),
        ("1 qid:1 2:", "the value of feature 2 must be a finite number, not ''"),
        ("1 qid:1 2:nan", "not 'nan'"),
        ("1 qid:1 2:1e999", "not '1e999'"),
        ("1 qid:1 2:" + "9" * 50 + "x", "9999..."),
    ],
)
def test_reasons(line: str, reason: str) -> None:
    assert reason in explain(line.encode())


@pytest.mark.parametrize("line", ["", "  ", "# only a comment", "1 qid:1", "1 qid:1 # x", "1\tqid:a:b 3:1\r"])
def test_good_lines_have_no_reason(line: str) -> None:
    assert explain(line.encode()) == ""
