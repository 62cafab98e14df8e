from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from duelist.core.errors import BadInput, UnknownName
from duelist.interleaving import TeamDraft
from duelist.interleaving.method import make_method
from duelist.live import Experiment, LocalExperiments, Page
from duelist.live.credit import outcome_of
from duelist.live.events import body_of, numbers_of
from duelist.live.kinds.arms import Arms
from duelist.live.kinds.weights import Weights
from duelist.storage.journal import Draft

from .helpers import RANKINGS, Time, check_replay, definition, experiments, hashes

PAIR = {name: RANKINGS[name] for name in ("old", "new")}


def started(living: LocalExperiments, kind: str = "pair", **more: object) -> Experiment:
    search = living.define(definition(kind, **more))
    search.start()
    return search


def click(search: Experiment, page: Page, document: str, **more: object) -> str:
    assert page.id is not None
    return search.click(page.id, document, **more)  # type: ignore[arg-type]


def test_clicks_are_credited_to_the_ranker_that_owns_the_slot() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, session={"timeout": 100, "grace": 10})
        page = search.interleave(PAIR, user="ann", length=4)
        assert page.arms == ("old", "new")
        assert page.id
        listed = body_of(living.journal.read(numbers_of(page.id)[1] - 1, 1)[0])
        expected = TeamDraft().credit(listed.shown, [0, 3])
        assert [click(search, page, page.ranking[place]) for place in (0, 3)] == ["accepted", "accepted"]
        clock.pass_by(11)
        assert living.tick()
        assert [arm["credit"] for arm in search.status()["arms"]] == expected.tolist()
        check_replay(living)


def test_any_order_and_repetition_of_clicks_gives_the_same_credit() -> None:
    found = set()
    for order in permutations([0, 1, 2]):
        clock = Time()
        with experiments(seed=3, clock=clock) as living:
            search = started(living, session={"timeout": 100, "grace": 10})
            page = search.interleave(PAIR, user="ann", length=4)
            assert page.id
            answers = [search.click(page.id, position=place) for place in (*order, *order)]
            assert answers == ["accepted"] * 3 + ["repeated"] * 3
            clock.pass_by(11)
            living.tick()
            status = search.status()
            found.add(tuple(arm["credit"] for arm in status["arms"]))
            assert (status["counts"]["counted"], status["counts"]["repeated"]) == (3, 3)
    assert len(found) == 1


def test_what_is_closed_never_changes_and_late_clicks_are_counted_as_such() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, session={"timeout": 100, "grace": 10})
        page = search.interleave(PAIR, user="ann")
        click(search, page, "a")
        clock.pass_by(9)
        assert click(search, page, "b") == "accepted"  # ten seconds after the last click, not the first
        clock.pass_by(9)
        assert click(search, page, "c") == "accepted"
        clock.pass_by(11)
        assert click(search, page, "d") == "late"
        status = search.status()
        assert sum(arm["credit"] for arm in status["arms"]) == 3 - sum(slot < 0 for slot in teams(living, page)[:3])
        assert click(search, page, "nothing") == "unknown"
        assert search.click("1-999", position=0) == "unknown"
        counts = search.status()["counts"]
        assert counts["clicks"] == 6 == counts["counted"] + counts["repeated"] + counts["late"] + counts["unknown"]
        assert search.status()["arms"] == status["arms"]
        check_replay(living)


def teams(living: LocalExperiments, page: Page) -> list[int]:
    assert page.id
    shown = body_of(living.journal.read(numbers_of(page.id)[1] - 1, 1)[0]).shown
    owner = dict(zip(shown.ranking, shown.teams, strict=False))
    return [owner.get(document, -1) for document in "abcd"]


def test_the_next_list_of_a_user_closes_the_last_one() -> None:
    with experiments() as living:
        search = started(living)
        first = search.interleave(PAIR, user="ann")
        other = search.interleave(PAIR, user="bob")
        click(search, first, "a")
        search.interleave(PAIR, user="ann")
        assert click(search, first, "b") == "late"
        assert click(search, other, "b") == "accepted"
        counts = search.status()["counts"]
        assert (counts["shown"], counts["open"], counts["learnt"], counts["skipped"]) == (3, 2, 1, 0)


def test_silence_is_skipped_unless_it_is_a_tie() -> None:
    for silence, told in (("skip", 0), ("tie", 1)):
        clock = Time()
        with experiments(clock=clock) as living:
            search = started(living, "arms", policy="uniform", silence=silence, arms=["old", "new"])
            while len(search.interleave(PAIR, user="ann").arms) < 2:
                pass
            clock.pass_by(2000)
            living.tick()
            state = living.state("search")
            assert isinstance(state, Arms)
            assert search.status()["counts"]["skipped"] >= 1
            assert state.policy.told >= told
            assert state.learnt == 0
            check_replay(living)


@pytest.mark.parametrize("method", ["team-draft", "probabilistic", "balanced", "optimized"])
def test_pages_continue_each_other_across_learning_restarts_and_changed_rankings(method: str) -> None:
    documents = [f"d{i}" for i in range(40)]
    rankings = {"old": documents, "new": documents[::-1]}
    with experiments() as living:
        search = started(living, method=method, length=5)
        first = search.interleave(rankings, user="ann")
        changed = {"old": ["fresh", *documents], "new": documents[20:] + documents[:20]}
        second = search.interleave(changed, of=first.id, page=2)
        again = LocalExperiments(living.journal)  # as after a restart
        third = again["search"].interleave(rankings, of=second.id, page=3)
        assert [page.page for page in (first, second, third)] == [1, 2, 3]
        shown = first.ranking + second.ranking + third.ranking
        assert len(set(shown)) == len(shown) == 15
        assert again["search"].interleave(rankings, of=third.id, page=2) == second
        assert again["search"].interleave(rankings, of=first.id, page=3) == third
        with pytest.raises(BadInput, match="page must be at most 4, the next one, not 7"):
            again["search"].interleave(rankings, of=first.id, page=7)
        assert third.id
        assert again["search"].click(third.id, document=third.ranking[-1]) == "accepted"
        assert again["search"].click(third.id, position=4) == "repeated"
        assert again["search"].click(third.id, document=first.ranking[0]) == "unknown"
        again.group.close()
        living.catch_up()
        check_replay(living)


def test_a_multileaved_list_has_all_that_have_a_ranking() -> None:
    with experiments() as living:
        search = started(living, "multileave")
        assert search.interleave(RANKINGS).arms == ("old", "new", "third")
        assert search.interleave(PAIR).arms == ("old", "new")
        with pytest.raises(BadInput, match="'fourth' is no arm"):
            search.interleave({**PAIR, "fourth": ["a"]})
        with pytest.raises(BadInput, match="has the document 'a' twice"):
            search.interleave({**PAIR, "third": ["a", "a"]})


def test_an_ask_may_be_shown_as_a_list() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, "arms", policy="uniform")
        asked = search.ask(user="ann")
        while asked.left == asked.right:
            asked = search.ask(user="ann")
        page = search.interleave(RANKINGS, of=asked.id, user="ann")
        assert set(page.arms) == {asked.left, asked.right}
        own = next(document for document in page.ranking if owner(living, page, document) == asked.right)
        click(search, page, own)
        clock.pass_by(61)
        living.tick()
        assert asked.id
        assert search.tell(asked.id, winner=asked.left).repeated  # the clicks have told it
        counts = search.status()["counts"]
        assert counts["told"] == 1
        with pytest.raises(UnknownName, match="there is no ask"):
            search.interleave(RANKINGS, of=page.id)
        check_replay(living)


@pytest.mark.parametrize("method", ["team-draft", "competitive-pair", "probabilistic", "optimized"])
def test_clicks_that_prefer_nobody_teach_nothing_on_average(method: str) -> None:
    made, total, mass = make_method(method), 0.0, 0.0
    for chance, shown in made.distribution(["abcd", "bcad"], 4):
        for clicks in ([0], [1], [2], [3], [0, 2], [1, 2, 3]):
            earned = made.credit(shown, clicks)
            total += chance * (outcome_of(shown, float(earned[0] - earned[1]), len(clicks)) - 0.5)
            mass += chance
    assert mass == pytest.approx(6)
    assert abs(total) < 1e-9


def owner(living: LocalExperiments, page: Page, document: str) -> str:
    assert page.id
    listed = body_of(living.journal.read(numbers_of(page.id)[1] - 1, 1)[0])
    slot = listed.shown.ranking.index(document)
    team = listed.shown.teams[slot] if slot < len(listed.shown.teams) else -1
    return page.arms[team] if team >= 0 else ""


def test_what_is_bought_counts_for_every_list_of_the_user_that_showed_it() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, credit={"purchase": 2.0}, session={"timeout": 100})
        pages = [search.interleave(PAIR, user=user, length=5) for user in ("ann", "ann", "bob")]
        assert click(search, pages[1], "a", action="purchase", value=7.5) == "accepted"
        assert click(search, pages[1], "a") == "unknown"  # a click is worth nothing here
        clock.pass_by(101)
        living.tick()
        counts = search.status()["counts"]
        assert (counts["learnt"], counts["skipped"]) == (2, 1)
        credit = sum(arm["credit"] for arm in search.status()["arms"])
        neutral = sum(owner(living, page, "a") == "" for page in pages[:2])
        assert credit == 2 * 7.5 * (2 - neutral)
        check_replay(living)


@pytest.mark.parametrize("learner", ["pdgd", "dbgd", "p-dbgd"])
def test_a_learner_learns_from_lists_and_replays_to_the_same_bits(learner: str) -> None:
    clock, luck = Time(), np.random.default_rng(0)
    with experiments(clock=clock) as living:
        search = started(living, "weights", learner=learner, session={"timeout": 50, "grace": 1})
        for number in range(60):
            features = luck.standard_normal((12, 3))
            page = search.rank([(f"d{i}", row.tolist()) for i, row in enumerate(features)], user=f"u{number}")
            best = max(range(10), key=lambda place: features[int(str(page.ranking[place])[1:]), 0])
            assert page.id
            assert search.click(page.id, position=best) == "accepted"
            clock.pass_by(2)
        state = living.state("search")
        assert isinstance(state, Weights)
        assert state.learner.told == 59
        assert np.argmax(state.learner.weights[0]) == 0
        check_replay(living)
        search.stop()
        page = search.rank([("low", [-1.0, 0, 0]), ("high", [1.0, 0, 0])])
        assert page == (None, ("high", "low"), 1, ())
        with pytest.raises(BadInput, match="a document needs 3 finite features"):
            search.rank([("low", [1.0])])


def test_another_clock_on_the_machine_changes_nothing() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living)
        for number in range(30):
            page = search.interleave(PAIR, user=f"u{number % 7}")
            click(search, page, "a")
            clock.pass_by(50 if number % 3 else -500)
        check_replay(living)
        assert hashes(living.fold)


def test_a_tick_more_does_no_harm() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living)
        click(search, search.interleave(PAIR, user="ann"), "a")
        clock.pass_by(4000)
        before = search.status()["hash"]
        living.group.append([Draft(0, "tick"), Draft(0, "tick")])
        after = search.status()
        assert after["hash"] != before
        assert after["counts"]["learnt"] == 1
        assert not living.tick()
