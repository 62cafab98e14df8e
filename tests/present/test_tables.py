"""A table is a value: the same text in every file, fitted to its window on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from duelist.present.tables import Table, show


def test_the_first_column_is_aligned_to_the_left_and_others_to_the_right() -> None:
    table = Table(["policy", "regret"], [["rucb", "5"], ["uniform", "6000"]])
    assert str(table).splitlines() == ["policy   regret", "-------  ------", "rucb          5", "uniform    6000"]


def test_a_title_stands_above_and_notes_below() -> None:
    table = Table(["a"], [["1"]], notes=["one note", "another"], title="numbers")
    assert str(table) == "numbers\n\na\n-\n1\n\none note\nanother"


def test_a_table_without_rows_is_its_head() -> None:
    assert str(Table(["a", "bc"], [])) == "a  bc\n-  --"


def on_a_terminal(table: Table, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined,no-any-return]


WIDE = Table(
    ["method", "users", "worst case"],
    [["pairwise-preference, pairing all", "12,345", "no, a preference of -0.088 for abcde over bcade [slot 3]"]],
    ["a note"],
)


def test_what_fits_a_terminal_is_not_wrapped() -> None:
    lines = on_a_terminal(WIDE, 120)
    assert len(lines) == 4
    assert lines[1].split("  ")[0] == "pairwise-preference, pairing all"
    assert lines[2:] == ["", "a note"]


@pytest.mark.parametrize("width", [80, 60])
def test_on_a_narrow_terminal_names_and_numbers_stay_whole(width: int) -> None:
    lines = on_a_terminal(WIDE, width)
    assert max(map(len, lines)) <= width
    assert lines[1].startswith("pairwise-preference, pairing all  12,345")
    assert " ".join(" ".join(line[40:].split()) for line in lines[1:-2]) == WIDE.rows[0][2]


def test_nothing_is_lost_where_nothing_fits() -> None:
    shown = "".join(on_a_terminal(WIDE, 24)).replace(" ", "")
    assert "…" not in shown
    assert max(map(len, on_a_terminal(WIDE, 24))) <= 24


def test_a_file_is_given_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    show("above", WIDE)
    assert capsys.readouterr().out == f"above\n\n{WIDE}\n"


def test_text_is_wrapped_to_a_terminal_and_stays_beside_its_label(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    show("How sure  " + "word " * 9 + "\n          " + "more " * 9 + "\nat https://example.org/" + "x" * 40)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "How sure  word word word word word word"
    assert lines[1] == "          word word word"
    assert lines[2] == "          more more more more more more"
    assert lines[-1] == "https://example.org/" + "x" * 40


def test_a_notebook_is_given_html() -> None:
    shown = Table(["a<b"], [["x & y"]], ["a note"], "title")._repr_html_()
    assert "<caption>title</caption>" in shown
    assert "<th>a&lt;b</th>" in shown
    assert "<td>x &amp; y</td>" in shown
    assert shown.endswith("<p>a note</p>")
