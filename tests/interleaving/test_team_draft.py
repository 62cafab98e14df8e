from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.interleaving import TeamDraft
from duelist.interleaving.team_draft import _combine_many, fill

Outcomes = dict[tuple[str, tuple[int, ...]], float]


def expected_preference(first: str, second: str, relevant: str) -> float:
    """Of clicks on all relevant documents shown."""
    method, total = TeamDraft(), 0.0
    for chance, shown in method.distribution([first, second], len(first)):
        mine, theirs = method.credit(shown, [i for i, d in enumerate(shown.ranking) if d in relevant])
        total += chance * (mine - theirs)
    return total


def test_the_known_lack_of_fidelity() -> None:
    """Radlinski and Craswell's example: the second ranks c higher and yet wins only half the time."""
    assert expected_preference("abcd", "bcda", "c") == 0


def test_two_rounds_by_hand() -> None:
    """Coins decide who leads each round; the second round of a b|c d, with b a first, has c and d left."""
    outcomes = {(shown.ranking, shown.teams): p for p, shown in TeamDraft().distribution(["abcd", "badc"], 4)}
    assert outcomes == {
        (tuple(first + second), teams + later): 0.25
        for (first, teams), (second, later) in product(
            [("ab", (0, 1)), ("ba", (1, 0))], [("cd", (0, 1)), ("dc", (1, 0))]
        )
    }


def test_a_beginning_that_all_share_is_neutral() -> None:
    for seed in range(20):
        shown = TeamDraft().combine(["abcde", "abdce", "abecd"], 5, np.random.default_rng(seed))
        assert shown.ranking[:2] == ("a", "b")
        assert shown.teams[:2] == (-1, -1)
        assert sorted(shown.teams[2:]) == [0, 1, 2]
    whole = TeamDraft().combine(["abc", "abc"], 2, np.random.default_rng(0))
    assert (whole.ranking, whole.teams) == (("a", "b"), (-1, -1))


def algorithm_8(first: str, second: str, begun: tuple[str, tuple[int, ...]] = ("", ())) -> Outcomes:
    """Line by line from Yue's thesis: every list and its teams, with the probability."""
    shown, teams = begun
    left = [next((document for document in ranking if document not in shown), "") for ranking in (first, second)]
    if not all(left):  # the loop goes on while both rankings have a document that is not in the list
        return {begun: 1.0}
    sizes = teams.count(0), teams.count(1)
    turns = [0] if sizes[0] < sizes[1] else [0, 1] if sizes[0] == sizes[1] else [1]
    outcomes: Outcomes = defaultdict(float)
    for turn in turns:
        for outcome, chance in algorithm_8(first, second, (shown + left[turn], (*teams, turn))).items():
            outcomes[outcome] += chance / len(turns)
    return outcomes


@pytest.mark.parametrize("second", ["".join(order) for order in permutations("abcd")])
def test_algorithm_8_of_the_thesis_drafts_a_shared_beginning(second: str) -> None:
    method = TeamDraft(neutral=False)
    assert method.text == "team-draft:neutral=false"
    outcomes = {("".join(s.ranking), s.teams): p for p, s in method.distribution(["abcd", second], 4)}
    assert outcomes == pytest.approx(algorithm_8("abcd", second))


def preference_of_random_clicks(outcomes: Outcomes) -> float:
    return sum(chance * (teams.count(0) - teams.count(1)) for (_, teams), chance in outcomes.items())


def test_algorithm_8_is_unfair_to_longer_rankings() -> None:
    """Why we count no slot beyond the shortest: "b" may draft b first, and the list ends before "abc" has a turn."""
    assert algorithm_8("abc", "b") == {("b", (1,)): 0.5, ("ab", (0, 1)): 0.5}
    assert preference_of_random_clicks(algorithm_8("abc", "b")) == -0.5
    ours = {("".join(s.ranking), s.teams): p for p, s in TeamDraft(neutral=False).distribution(["abc", "b"], 3)}
    assert preference_of_random_clicks(ours) == 0
    assert preference_of_random_clicks(algorithm_8("abcd", "xy")) == -0.5


def test_batches_may_draft_a_shared_beginning() -> None:
    _, teams = TeamDraft(neutral=False).combine_many(
        np.array([[[0, 1, 2], [0, 1, 2]]] * 9), 3, np.random.default_rng(0)
    )
    assert (teams >= 0).all()


def test_teams_differ_by_at_most_one_pick() -> None:
    rng = np.random.default_rng(1)
    for length in range(1, 11):
        shown = TeamDraft().combine([rng.permutation(20) for _ in range(3)], length, rng)
        picks = [shown.teams.count(ranker) for ranker in range(3)]
        assert max(picks) - min(picks) <= 1


def test_slots_beyond_the_shortest_are_filled_and_neutral() -> None:
    shown = TeamDraft().combine(["abcdef", "xy"], 8, np.random.default_rng(0))
    assert sorted(shown.ranking) == sorted("abcdefxy")
    assert sorted(shown.teams[:2]) == [0, 1]
    assert shown.teams[2:] == (-1,) * 6
    assert TeamDraft().combine(["ab", ""], 3, np.random.default_rng(0)).teams == (-1, -1)


def test_many_rounds_use_fresh_coins() -> None:
    """Two hundred rounds, each led by either with probability 1/2 whatever the others were."""
    rankings, rng = [range(200), range(200, 400)], np.random.default_rng(2)
    leads = np.array([TeamDraft().combine(rankings, 200, rng).teams[::2] for _ in range(400)])
    assert abs(leads.mean(0) - 0.5).max() < 5 * 0.5 / np.sqrt(400)
    correlations = np.corrcoef(leads.T) - np.eye(100)
    assert abs(correlations).max() < 6 / np.sqrt(400)


def test_fill_adds_nothing_twice_and_stops_with_the_documents() -> None:
    assert set(fill(("c",), [("a", "b"), ("c", "d")], 9, np.random.default_rng(0))) == set("abcd")
    assert fill(("c", "a"), [("a", "b"), ("c", "d")], 2, np.random.default_rng(0)) == ("c", "a")


@pytest.mark.parametrize("rankings", [["abcde", "cbdea"], ["abcde", "abedc"], ["abcd", "xb"], ["abc", "cab", "dba"]])
def test_batches_draw_by_the_same_distribution(rankings: list[str]) -> None:
    numbers = {document: n for n, document in enumerate(sorted(set("".join(rankings))))}
    width = max(map(len, rankings))
    table = [[numbers[d] for d in ranking] + [-1] * (width - len(ranking)) for ranking in rankings]
    draws = 40_000
    shown, teams = TeamDraft().combine_many(np.array([table] * draws), 4, np.random.default_rng(5))
    drawn = Counter(map(tuple, np.hstack([shown, teams]).tolist()))
    expected = {
        (*(numbers[d] for d in s.ranking), *s.teams): draws * p for p, s in TeamDraft().distribution(rankings, 4)
    }
    assert drawn.keys() == expected.keys()
    for outcome, count in expected.items():
        assert abs(drawn[outcome] - count) < 5 * np.sqrt(count)


lists = st.lists(st.integers(0, 40), max_size=6, unique=True)


@given(st.lists(st.lists(lists, min_size=3, max_size=3), min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_batches_keep_every_promise(rankings: list[list[list[int]]], length: int, seed: int) -> None:
    table = np.array([[r + [-1] * (6 - len(r)) for r in impression] for impression in rankings])
    shown, teams = TeamDraft().combine_many(table, length, np.random.default_rng(seed))
    for impression, documents, owners in zip(rankings, shown.tolist(), teams.tolist(), strict=True):
        every = {document for ranking in impression for document in ranking}
        size = min(length, len(every))
        assert set(documents[:size]) <= every
        assert len(set(documents[:size])) == size
        assert documents[size:] == [-1] * (length - size)
        assert owners[min(map(len, impression)) :] == [-1] * len(owners[min(map(len, impression)) :])
        for slot, owner in enumerate(owners):
            if owner >= 0:
                left = [d for d in impression[owner] if d not in documents[:slot]]
                assert documents[slot] == left[0]


def test_compiled_and_plain_python_draw_the_same() -> None:
    from duelist.core.compile import plain

    rankings = np.random.default_rng(0).permuted(np.tile(np.arange(8), (50, 3, 1)), axis=2)
    compiled = TeamDraft().combine_many(rankings, 6, np.random.default_rng(1))
    shown, teams = np.empty((50, 6), np.int64), np.empty((50, 6), np.int64)
    plain(_combine_many)(
        rankings, 6, True, np.random.default_rng(1), np.empty((2, 3), np.int64), np.zeros(8, np.bool_), shown, teams
    )
    assert (compiled[0] == shown).all()
    assert (compiled[1] == teams).all()


def test_credit_in_batch_is_credit_one_by_one() -> None:
    rng = np.random.default_rng(3)
    rankings = rng.permuted(np.tile(np.arange(8), (100, 3, 1)), axis=2)
    _, teams = TeamDraft().combine_many(rankings, 6, rng)
    clicked = rng.random((100, 6)) < 0.4
    scores = TeamDraft().credit_many(teams, clicked, 3)
    for impression in range(100):
        own = [int((clicked[impression] & (teams[impression] == ranker)).sum()) for ranker in range(3)]
        assert scores[impression].tolist() == own


@pytest.mark.parametrize(
    ("rankings", "complaint"),
    [
        ([[[0, 1], [1, 0]], [[2, 2], [0, 1]]], "impression 1"),
        ([[[0, -1, 1], [1, 0, 2]]], "impression 0"),
        ([[[0, -2], [1, 0]]], "impression 0"),
        ([[[0, 40, 72], [8, 40, 8]]], "impression 0"),
        ([[[0, 1]]], "two rankers or more"),
        ([[0, 1]], r"shape \(1, 2\)"),
        ([[[0.0, 1.0], [1.0, 0.0]]], "float64"),
        ([[[0, 2**40], [1, 0]]], "from 0 to 16777216"),
    ],
)
def test_bad_batches_are_named(rankings: list[object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        TeamDraft().combine_many(np.array(rankings), 2, np.random.default_rng(0))


def test_marks_that_collide_are_looked_at() -> None:
    """Documents 8, 40 and 72 leave the same mark and are different all the same."""
    shown, _ = TeamDraft().combine_many(np.array([[[8, 40, 72], [72, 8, 40]]]), 3, np.random.default_rng(0))
    assert sorted(shown[0].tolist()) == [8, 40, 72]


def test_clicks_of_the_wrong_shape_are_named() -> None:
    with pytest.raises(BadInput, match=r"shape \(1, 2\), not bool of shape \(1, 3\)"):
        TeamDraft().credit_many(np.array([[0, 1]]), np.array([[True, False, True]]), 2)
    with pytest.raises(BadInput, match="not int64"):
        TeamDraft().credit_many(np.array([[0, 1]]), np.array([[1, 0]]), 2)
