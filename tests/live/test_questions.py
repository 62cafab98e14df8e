"""What people who vote are asked, and what becomes of their votes."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from duelist.core.errors import BadInput
from duelist.live import Definition, Experiment, LocalExperiments
from duelist.live.events import view_of
from duelist.live.questions import sure_beats, sure_best, sure_order
from duelist.live.told import told_duels
from duelist.ranking import leaderboard
from duelist.storage import MemoryJournal

from .helpers import Time, check_replay, experiments

ARMS = ["a", "b", "c", "d"]
CONTENTS = {arm: f"the text of {arm}" for arm in ARMS}
PROMPTS = [{"prompt": f"question {n}", "answers": {arm: {"markdown": f"*{arm}* {n}"} for arm in ARMS}} for n in (0, 1)]


def definition(**more: Any) -> dict[str, Any]:
    return {"name": "votes", "kind": "arms", "arms": ARMS, "policy": "d-ts", "contents": CONTENTS, **more}


def voting(seed: int = 1, **more: Any) -> tuple[LocalExperiments, Experiment]:
    living = experiments(seed)
    votes = living.define(definition(**more))
    votes.start()
    return living, votes


LONG = "x" * 20_001
ONE = dict(list(CONTENTS.items())[1:])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"contents": ONE}, "contents: the arm 'a' has none"),
        ({"contents": {**CONTENTS, "e": "?"}}, "contents: 'e' is no arm; the arms: .'a'"),
        ({"contents": {**CONTENTS, "a": "  "}}, "that of 'a' is empty"),
        ({"contents": {**CONTENTS, "a": LONG}}, "that of 'a' has 20001 signs of text; allowed are 20000"),
        ({"contents": {**CONTENTS, "a": {"image": "a.png"}}}, "begins with https:// or http://, not 'a.png'"),
        ({"contents": {**CONTENTS, "a": {"link": "javascript:alert(1)"}}}, "not 'javascript:alert"),
        ({"contents": {**CONTENTS, "a": {"image": "data:image/png;base64,AA"}}}, "not 'data:image"),
        ({"contents": {**CONTENTS, "a": {"image": "https://e.x; script-src *"}}}, "must be an address"),
        ({"contents": {**CONTENTS, "a": {"image": "https://user@e.x/a.png"}}}, "must be an address"),
        ({"contents": {**CONTENTS, "a": {"image": "/files/../secret"}}}, "must be an address"),
        ({"contents": {**CONTENTS, "a": {"markdown": "a", "link": "https://e.x"}}}, "is one of text, markdown"),
        ({"contents": {**CONTENTS, "a": {"html": "<b>"}}}, "unknown field `html`"),
        ({"contents": [{"prompt": "", "answers": CONTENTS}]}, r"contents\[0\]: the prompt is empty"),
        ({"contents": [*PROMPTS, {"prompt": "?", "answers": ONE}]}, r"contents\[2\]: the arm 'a' has none"),
        ({"contents": [{"prompt": "x" * 15_000, "answers": CONTENTS}] * 70}, "signs together; allowed are 1000000"),
        ({"arms": [f"{n}" for n in range(201)], "contents": {f"{n}": "?" for n in range(201)}}, "from 2 to 200 arms"),
        (
            {"arms": [f"{n}" for n in range(21)], "contents": {f"{n}": {"image": f"http://h{n}/"} for n in range(21)}},
            "images from 21 hosts; allowed are 20",
        ),
        ({"policy": "rex3"}, "policy: rex3 weighs outcomes"),
        ({"shadow": True}, "shadow shows everybody the default"),
        ({"kind": "pair", "arms": ["a", "b"]}, "contents are for kind 'arms'"),
        ({"contents": {}, "target": "order"}, "target for arms with contents"),
        ({"target": "worst"}, "Invalid enum value 'worst'"),
    ],
)
def test_what_is_wrong_with_contents_is_named(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Definition.read(definition(**change))


def test_a_definition_without_contents_is_what_it_was() -> None:
    made = Definition.read({"name": "search", "kind": "arms", "arms": ["bm25", "ltr"], "policy": "rucb"})
    assert made.digest == "2828894fef17e01b"  # of the version before there were contents
    assert not {"contents", "target"} & made.document().keys()
    whole = Definition.read(definition(contents=PROMPTS, target="order"))
    assert Definition.read(whole.document()) == whole


def test_contents_are_not_in_every_status() -> None:
    _, votes = voting()
    status = votes.status()
    assert status["questions"] == 1
    assert "contents" not in status["definition"]


@pytest.mark.parametrize("contents", [CONTENTS, PROMPTS], ids=["arms", "prompts"])
@pytest.mark.parametrize("policy", ["d-ts", "rucb", "rmed1", "savage"])
def test_nobody_is_asked_twice_nor_about_an_arm_and_itself(contents: Any, policy: str) -> None:
    _, votes = voting(contents=contents, policy=policy, parameters={"horizon": 1000} if policy == "savage" else {})
    for user in ("ann", "bob"):
        asked = []
        while (question := votes.question(user)).id is not None:
            asked.append((question.prompt, *sorted(question[1:3])))
            votes.tell(question.id, winner=min(question[1:3]))
        pairs = list(combinations(ARMS, 2))
        assert sorted(asked) == sorted((p, *pair) for p in range(2 if contents is PROMPTS else 1) for pair in pairs)
    assert votes.question("cid").id is not None


def test_a_reload_gets_the_same_question_even_the_last_one() -> None:
    living, votes = voting()
    last = None
    for number in range(6):
        last = votes.question("ann", key=f"k{number}")
        assert votes.question("ann", key=f"k{number}") == last
    assert votes.question("ann", key="k6").id is None
    assert votes.question("ann", key="k5") == last  # not answered yet
    assert votes.status()["counts"]["drawn"] == 6
    check_replay(living)


def test_what_is_told_is_right_whichever_side_it_stood() -> None:
    living, votes = voting(contents=PROMPTS)
    swapped = {True: 0, False: 0}
    for number in range(300):
        question = votes.question(f"u{number % 60}")
        if question.id is None:
            continue
        better = min(question[1:3])
        votes.tell(question.id, outcome=float(question.left == better))
        swapped[question.left == better] += 1
    wins = living.state("votes").evidence.wins
    assert np.tril(wins).sum() == 0
    assert np.triu(wins).sum() == sum(swapped.values()) > 40
    assert min(swapped.values()) > 15
    log = told_duels(living.journal)  # as people saw them
    arms = np.array(log.arms)
    assert ((arms[log.left] < arms[log.right]) == (log.outcome == 1)).all()
    assert (log.outcome == 1).sum() == swapped[True]
    assert log.context is not None
    assert {*log.context} == {"question 0", "question 1"}
    check_replay(living)


@pytest.mark.parametrize("policy", ["d-ts", "rucb", "winner-stays-weak"])
def test_each_arm_stands_left_as_often_as_right(policy: str) -> None:
    """Whatever the policy calls left: there an arm that wins would stand nearly always."""
    living, votes = voting(seed=3, policy=policy)
    luck = np.random.default_rng(1)
    left, total = dict.fromkeys(ARMS, 0), dict.fromkeys(ARMS, 0)
    for number in range(400):
        question = votes.question(f"u{number}")
        left[question.left] += 1
        for arm in question[1:3]:
            total[arm] += 1
        votes.tell(question.id, outcome=float(luck.random() < 0.5))  # nothing is ever sure
    views = [view_of(event) for event in living.journal.events() if event.kind == "drawn"]
    assert stats.binomtest(sum(view.swapped for view in views), len(views)).pvalue > 0.001
    for arm in ARMS:
        assert stats.binomtest(left[arm], total[arm]).pvalue > 0.001, (arm, left, total)


@pytest.mark.parametrize("policy", ["rmed1", "winner-stays-weak"])
def test_a_voter_who_always_takes_the_left_one_makes_nobody_win(policy: str) -> None:
    living, votes = voting(seed=5, policy=policy)
    for number in range(400):
        votes.tell(votes.question(f"u{number}").id, outcome=1.0)
    assert not votes.status()["certain"]
    board = leaderboard(told_duels(living.journal), kind="always-valid", sides=True)
    assert board.bias_why == "one side wins always"  # measured, and no arm is ahead
    assert {standing.rank_low for standing in board.standings} == {1}


def test_a_small_liking_for_the_left_side_is_measured() -> None:
    living, votes = voting(seed=6, policy="uniform")
    luck = np.random.default_rng(1)
    for number in range(800):
        votes.tell(votes.question(f"u{number}").id, outcome=float(luck.random() < 0.7))
    bias = leaderboard(told_duels(living.journal), sides=True).bias
    assert bias is not None
    assert bias.low < 0.7 < bias.high
    assert bias.low > 0.6


def test_erasing_a_voter_changes_no_number_and_snapshots_go_on() -> None:
    living, votes = voting()
    for number in range(20):
        votes.tell(votes.question(f"u{number % 5}").id, outcome=1.0)
    before = votes.status()["hash"]
    assert living.forget("u0") > 0
    assert votes.status()["hash"] == before
    living.save()
    again = LocalExperiments(living.journal)
    assert again.status("votes")["hash"] == before
    asked = {again["votes"].question("u1").id for _ in range(6)}
    assert None in asked  # what u1 was asked is still known
    assert again["votes"].question("u0").id is not None  # and nobody knows who u0 is
    check_replay(again)


@pytest.mark.parametrize("target", ["best", "order"])
def test_it_ends_when_it_is_sure(target: str) -> None:
    """With the order of the alphabet, nearly always; the same limits as those of the leaderboard."""
    living, votes = voting(seed=2, stop={"rule": "evidence"}, target=target, policy="d-ts")
    luck = np.random.default_rng(7)
    for number in range(3000):
        question = votes.question(f"u{number}")
        if question.id is None:
            break
        worse, better = max(question[1:3]), min(question[1:3])
        votes.tell(question.id, winner=better if luck.random() < 0.9 else worse)
    status = votes.status()
    assert (status["state"], status["certain"], status["best"]) == ("stopped", True, "a")
    board = leaderboard(told_duels(living.journal), kind="always-valid")
    assert (board["a"].rank_low, board["a"].rank_high) == (1, 1)
    if target == "order":
        assert [(each.arm, each.rank_low, each.rank_high) for each in board.standings] == [
            (arm, place, place) for place, arm in enumerate(ARMS, 1)
        ]
    wins = living.state("votes").evidence.wins
    place = [board.arms.index(arm) for arm in ARMS]
    assert (sure_beats(wins, 0.05) == board.pairs.beats[np.ix_(place, place)]).all()


def test_sure_orders_are_those_that_brute_force_finds() -> None:
    luck = np.random.default_rng(4)
    found = 0
    for _ in range(300):
        wins = np.triu(luck.integers(0, 2, (4, 4)) * 40.0, 1) + np.tril(luck.integers(0, 2, (4, 4)) * 40.0, -1)
        beats = sure_beats(wins, 0.05)
        orders = [o for o in permutations(range(4)) if all(beats[o[n], o[n + 1]] for n in range(3))]
        circle = any(beats[b, a] for o in orders for a, b in combinations(o, 2))
        expected = list(orders[0]) if len(orders) == 1 and not circle else None
        assert sure_order(wins, 0.05) == expected
        found += expected is not None
        best = [arm for arm in range(4) if not any(beats[other, arm] for other in range(4))]
        assert sure_best(wins, 0.05) == (best[0] if len(best) == 1 else None)
    assert found > 10


def test_a_new_version_asks_everybody_anew() -> None:
    _, votes = voting()
    for _ in range(6):
        votes.question("ann")
    assert votes.question("ann").id is None
    votes.new_version(definition(contents=dict.fromkeys(ARMS, "new")))
    votes.start()
    assert votes.question("ann").id is not None


def test_time_goes_on_for_questions_too() -> None:
    clock = Time()
    living = LocalExperiments(MemoryJournal(clock), np.random.default_rng(1))
    votes = living.define(definition())
    votes.start()
    late = votes.question("ann")
    clock.pass_by(1801)
    assert not votes.tell(late.id, outcome=1).told
    assert votes.status()["counts"]["told_late"] == 1
