from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.dueling.preferences import (
    Preferences,
    borda_scores,
    check_matrix,
    condorcet_winner,
    copeland_scores,
    read_matrix,
    read_named_matrix,
    reference_arm,
)

fast = settings(derandomize=True, deadline=None, max_examples=150, database=None)

GOOD = [[0.5, 0.7, 0.6], [0.3, 0.5, 0.9], [0.4, 0.1, 0.5]]


# Validation


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ({(1, 2): 1.25}, r"P\[1, 2\] must be from 0 to 1, not 1\.25"),
        ({(2, 0): -0.5}, r"P\[2, 0\] must be from 0 to 1, not -0\.5"),
        ({(0, 1): np.nan}, r"P\[0, 1\] must be from 0 to 1, not nan"),
        ({(2, 2): 0.75}, r"P\[2, 2\] must be 0\.5, not 0\.75"),
        ({(0, 2): 0.7}, r"P\[0, 2\] \+ P\[2, 0\] must be 1, but 0\.7 \+ 0\.4 is 1\.1"),
        ({(1, 2): 0.8, (0, 2): 0.7}, r"P\[0, 2\] \+ P\[2, 0\]"),
        ({(2, 1): 7, (1, 0): 8}, r"P\[1, 0\]"),
    ],
)
def test_first_bad_cell_is_named(cells: dict[tuple[int, int], float], complaint: str) -> None:
    matrix = np.array(GOOD)
    for cell, value in cells.items():
        matrix[cell] = value
    with pytest.raises(BadInput, match=complaint):
        check_matrix(matrix)


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ({(0, 1): 0.7000001}, "0.7000001"),
        ({(1, 1): 0.5000001}, "0.5000001"),
        ({(0, 1): 1.0000001}, "1.0000001"),
    ],
)
def test_a_cell_that_is_only_just_wrong_is_shown_with_the_digits_that_make_it_wrong(
    cells: dict[tuple[int, int], float], complaint: str
) -> None:
    matrix = np.array(GOOD)
    for cell, value in cells.items():
        matrix[cell] = value
    with pytest.raises(BadInput) as error:
        check_matrix(matrix)
    assert complaint in str(error.value)


@pytest.mark.parametrize("values", [[], [0.5], [[0.5]], [[0.5, 0.5]], np.full((2, 2, 2), 0.5), 0.5, None])
def test_what_is_not_square_is_refused_with_its_shape(values: Any) -> None:
    with pytest.raises(BadInput, match=r"must be square with at least 2 arms, but its shape is \("):
        check_matrix(values)


@pytest.mark.parametrize("values", [[["a", "b"], ["c", "d"]], [[0.5, 0.5], [0.5]], [[{}, 1], [2, 3]]])
def test_what_is_not_a_number_is_refused(values: Any) -> None:
    with pytest.raises(BadInput, match="every cell must be a number"):
        check_matrix(values)


def test_rounding_errors_are_forgiven_and_the_users_array_is_not_kept() -> None:
    given_matrix = np.array([[0.5, 0.1 + 0.2], [0.7, 0.5]])
    checked = check_matrix(given_matrix)
    given_matrix[0, 1] = 9
    assert checked[0, 1] == pytest.approx(0.3)


# Files


def write(path: Path, matrix: Any) -> Path:
    cells = np.asarray(matrix)
    if path.suffix == ".npy":
        np.save(path, cells)
    elif path.suffix == ".npz":
        np.savez(path, PMat=cells)
    else:
        between = "," if path.suffix == ".csv" else " "
        path.write_text("".join(between.join(map(str, row)) + "\n" for row in cells))
    return path


SUFFIXES = (".txt", ".csv", ".npy", ".npz")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_is_read_to_the_last_digit(tmp_path: Path, suffix: str) -> None:
    third = [[0.5, 1 / 3], [1 - 1 / 3, 0.5]]
    assert read_matrix(write(tmp_path / f"m{suffix}", third)).tolist() == third


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_bad_cell_of_a_file_is_named_with_the_file(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"m{suffix}", [[0.5, 0.7], [0.4, 0.5]])
    with pytest.raises(BadInput, match=rf"m\{suffix}: P\[0, 1\] \+ P\[1, 0\] must be 1"):
        read_matrix(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0.5 0.7\n0.3 x\n", "line 2: 'x' is not a number"),
        ("# two arms\n\n0.5 0.7\n0.3 0.5 0.1\n", "line 4: 3 cells, but 2 in the first row"),
        ("a,0.5\n0.5,0.7\n", "line 1: 'a' is not a number"),
        ("a,b\nc,d\n", "line 2: 'd' is not a number"),
    ],
)
@pytest.mark.parametrize("suffix", [".txt", ".csv"])
def test_the_bad_line_of_a_text_file_is_named(tmp_path: Path, suffix: str, text: str, complaint: str) -> None:
    path = tmp_path / f"m{suffix}"
    path.write_text(text)
    with pytest.raises(BadInput, match=f"m{suffix}, {complaint}"):
        read_matrix(path)


@pytest.mark.parametrize(
    "text",
    [
        "bm25, learning to rank\n0.5, 0.7\n0.3, 0.5\n",
        ",bm25,learning to rank\nbm25,0.5,0.7\nlearning to rank,0.3,0.5\n",
        '# names\n"";"bm25";"learning to rank"\n"bm25";0.5;0.7\n"learning to rank";0.3;0.5\n',
    ],
    ids=["a line", "a line and a column", "quoted"],
)
def test_a_first_line_names_the_arms(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    cells, names = read_named_matrix(path)
    assert cells.tolist() == [[0.5, 0.7], [0.3, 0.5]]
    assert names == ["bm25", "learning to rank"]
    assert "  Condorcet winner  bm25 (beats every other arm)" in str(Preferences.of(cells, names))
    assert "  arms              2, bm25, learning to rank" in str(Preferences.of(cells, names))


def test_names_in_a_text_file_are_words(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_text("old new\n0.5 0.7\n0.3 0.5\n")
    assert read_named_matrix(path)[1] == ["old", "new"]
    path.write_text("0.5 0.7\n0.3 0.5\n")
    assert read_named_matrix(path)[1] == []


@pytest.mark.parametrize("names", ["a,a", "a,b,c,d", "a"])
def test_names_that_do_not_fit_are_refused(tmp_path: Path, names: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(f"{names}\n0.5,0.7\n0.3,0.5\n")
    with pytest.raises(BadInput, match=r"m\.csv: 2 arms need as many different names, not a"):
        read_matrix(path)


def test_an_empty_cell_is_not_skipped_over(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("0.5,,0.7\n0.3,0.5,\n")  # without its empty cells this would be a good matrix
    with pytest.raises(BadInput, match="line 1"):
        read_matrix(path)


def test_comments_blank_lines_semicolons_and_a_byte_order_mark_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("\ufeff0.5; 0.7  # the better arm\n\n0.3; 0.5\n", encoding="utf-8")
    assert read_matrix(path).tolist() == [[0.5, 0.7], [0.3, 0.5]]


def test_the_case_of_the_suffix_does_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path / "m.npz", GOOD).rename(tmp_path / "M.NPZ")
    assert read_matrix(path).tolist() == GOOD


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "content",
    [b"", bytes(range(256)), b"PK\x03\x04" + bytes(99), b"\x93NUMPY\x01\x00v\x00{'"],
    ids=["empty", "junk", "seems npz", "seems npy"],
)
def test_a_file_that_holds_no_matrix_is_refused_by_name(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"junk{suffix}"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=rf"junk\{suffix}"):
        read_matrix(path)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_a_file_cut_short_is_refused_by_name(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"cut{suffix}", GOOD)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInput, match="cut"):
        read_matrix(path)


@pytest.mark.parametrize(("real", "called"), [(".npy", ".npz"), (".npz", ".npy")])
def test_the_two_formats_of_numpy_are_told_apart_by_their_content(tmp_path: Path, real: str, called: str) -> None:
    path = write(tmp_path / f"m{real}", GOOD).rename(tmp_path / f"other{called}")
    assert read_matrix(path).tolist() == GOOD


@pytest.mark.parametrize("cells", [np.array([[0.5, {}], [1, 0.5]], dtype=object), np.full((2, 2), 0.5 + 1j)])
def test_an_array_of_other_things_than_numbers_is_refused(tmp_path: Path, cells: Any) -> None:
    with pytest.raises(BadInput, match=r"m\.npy"):
        read_matrix(write(tmp_path / "m.npy", cells))


def test_an_archive_must_hold_one_matrix(tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", a=GOOD, b=GOOD)
    with pytest.raises(BadInput, match=r"one two-dimensional array, but holds \['a', 'b'\]"):
        read_matrix(tmp_path / "two.npz")
    np.savez(tmp_path / "one.npz", PMat=GOOD, names=["a", "b", "c"])
    assert read_matrix(tmp_path / "one.npz").tolist() == GOOD


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(BadInput, match=f"no matrix file '{path}'"):
            read_matrix(path)


# Winners and assumptions, against brute force. Eighths are exact, so no comparison needs a tolerance.


def matrices(chances: st.SearchStrategy[float]) -> st.SearchStrategy[Floats]:
    """Preference matrices of two to four arms with these chances above the diagonal."""

    def build(upper: list[float]) -> Floats:
        n = {1: 2, 3: 3, 6: 4}[len(upper)]
        matrix = np.full((n, n), 0.5)
        for (i, j), p in zip(itertools.combinations(range(n), 2), upper, strict=True):
            matrix[i, j], matrix[j, i] = p, 1 - p
        return matrix

    return st.sampled_from([1, 3, 6]).flatmap(lambda n: st.lists(chances, min_size=n, max_size=n)).map(build)


any_chance = st.integers(0, 8).map(lambda eighths: eighths / 8)
no_tie = any_chance.filter(lambda p: p != 0.5)
few_ties = st.sampled_from([0.5, 0.5, 0.625, 0.75])  # mostly an order along the arms, for SST and STI to hold


def gaps_along_orders(matrix: Floats) -> Iterator[Floats]:
    """P - 1/2 with the arms in every order that no pair contradicts."""
    for order in itertools.permutations(range(len(matrix))):
        gap = matrix[np.ix_(order, order)] - 0.5
        if all(gap[i, j] >= 0 for i, j in itertools.combinations(range(len(matrix)), 2)):
            yield gap


def is_sst(gap: Floats) -> bool:
    return all(gap[i, k] >= max(gap[i, j], gap[j, k]) for i, j, k in itertools.combinations(range(len(gap)), 3))


def is_sti(gap: Floats) -> bool:
    return all(gap[i, k] <= gap[i, j] + gap[j, k] for i, j, k in itertools.combinations(range(len(gap)), 3))


@fast
@given(matrices(any_chance))
def test_winners_and_scores_are_those_of_the_definitions(matrix: Floats) -> None:
    arms = range(len(matrix))
    beaten = [sum(matrix[i, j] > 0.5 for j in arms if j != i) for i in arms]
    borda = [sum(matrix[i, j] for j in arms if j != i) / (len(arms) - 1) for i in arms]
    facts = Preferences.of(matrix)
    assert copeland_scores(matrix).tolist() == pytest.approx([b / (len(arms) - 1) for b in beaten])
    assert borda_scores(matrix).tolist() == pytest.approx(borda)
    assert facts.condorcet == condorcet_winner(matrix) == next((i for i in arms if beaten[i] == len(arms) - 1), None)
    assert facts.copeland == [i for i in arms if beaten[i] == max(beaten)]
    assert facts.borda == [i for i in arms if borda[i] == pytest.approx(max(borda))]
    assert facts.ties == sum(matrix[i, j] == 0.5 for i, j in itertools.combinations(arms, 2))


@fast
@given(matrices(any_chance))
def test_strong_regret_is_against_the_copeland_winner_with_the_best_borda_score(matrix: Floats) -> None:
    best, facts = reference_arm(matrix), Preferences.of(matrix)
    assert best in facts.copeland
    assert borda_scores(matrix)[best] == pytest.approx(borda_scores(matrix)[facts.copeland].max())
    others = [abs(matrix[best, j] - 0.5) for j in range(len(matrix)) if j != best]
    assert facts.smallest_gap == pytest.approx(min(others))


@fast
@given(matrices(no_tie) | matrices(st.sampled_from([0.625, 0.75, 0.875])))
def test_without_ties_order_and_transitivity_agree_with_all_orders_and_triples(matrix: Floats) -> None:
    facts, gaps = Preferences.of(matrix), list(gaps_along_orders(matrix))
    assert facts.total_order == bool(gaps)
    assert facts.strong_transitivity == any(map(is_sst, gaps))
    assert facts.stochastic_triangle_inequality == any(map(is_sti, gaps))


# Arm 0 beats 1, which beats 2 and 3; all else is tied: 0, 1, 2, 3 is an order although 1 beats more arms than 0.
MODEST_WINNER = np.array([[0.5, 0.75, 0.5, 0.5], [0.25, 0.5, 0.75, 0.75], [0.5, 0.25, 0.5, 0.5], [0.5, 0.25, 0.5, 0.5]])


@fast
@given(matrices(any_chance) | matrices(few_ties))
@example(MODEST_WINNER)
def test_with_ties_transitivity_is_sought_along_an_order_that_no_pair_contradicts(matrix: Floats) -> None:
    facts, gaps = Preferences.of(matrix), list(gaps_along_orders(matrix))
    assert facts.total_order == (bool(gaps) and facts.ties == 0)
    assert facts.strong_transitivity == any(map(is_sst, gaps))
    # Which of several orders STI is looked at along is left open: it may not differ from all of them.
    assert facts.stochastic_triangle_inequality in {is_sti(gap) for gap in gaps} | ({False} if not gaps else set())


def test_a_tie_with_a_rounding_error_is_still_a_tie() -> None:
    # 1 + 0.9 - 0.9 is not quite 1, so this pair is not quite at 1/2 and each arm seems to lose to the other.
    nearly = (1 + np.array([0.9, 0.9, 0.1])[:, None] - np.array([0.9, 0.9, 0.1])[None, :]) / 2
    exactly = np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]])
    assert nearly[0, 1] < 0.5
    assert Preferences.of(nearly) == Preferences.of(exactly)


def test_relabelling_the_arms_relabels_the_report() -> None:
    order = [2, 0, 1]
    facts = Preferences.of(check_matrix(GOOD))
    moved = Preferences.of(check_matrix(GOOD)[np.ix_(order, order)])
    assert moved.condorcet is not None
    assert facts.condorcet == order[moved.condorcet] == 0
    assert facts.total_order == moved.total_order


def test_the_report_names_winners_and_assumptions_in_words() -> None:
    cycle = np.array([[0.5, 0.75, 0.25], [0.25, 0.5, 0.75], [0.75, 0.25, 0.5]])
    lines = {line[2:20].strip(): line[20:] for line in str(Preferences.of(cycle)).splitlines()}
    assert lines["arms"].startswith("3")
    assert lines["Condorcet winner"].startswith("none")
    assert lines["Copeland winners"].startswith("arms 0, 1, 2")
    assert (lines["total order"], lines["SST"][:2], lines["STI"][:2]) == ("no", "no", "no")
