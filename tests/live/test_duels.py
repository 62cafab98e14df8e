from __future__ import annotations

import threading

import numpy as np
import pytest

from duelist import RUCB
from duelist.core.errors import BadInput, UnknownName
from duelist.dueling.policy import Duel
from duelist.live import Experiment, LocalExperiments
from duelist.live.events import TOLD, body_of
from duelist.live.kinds import make_state
from duelist.live.kinds.arms import Arms
from duelist.live.replay import fold_anew
from duelist.live.told import told_duels

from .helpers import RANKINGS, Time, check_replay, definition, experiments, hashes


def play(search: Experiment, rounds: int, seed: int = 0) -> None:
    """Asks and tells as they come in life: several open, some told twice, some never."""
    luck, waiting = np.random.default_rng(seed), list[tuple[str, str, str]]()
    for number in range(rounds):
        asked = search.ask(user=f"u{number % 50}")
        if asked.id is not None:
            waiting.append((asked.id, asked.left, asked.right))
        while len(waiting) > 3 or (waiting and luck.random() < 0.5):
            name, left, right = waiting.pop(int(luck.integers(len(waiting))))
            if luck.random() < 0.9:
                winner = min(left, right, key=["new", "third", "old"].index)
                search.tell(name, winner=winner if luck.random() < 0.8 else right)
                if luck.random() < 0.1:
                    assert search.tell(name, outcome=0.0).repeated


# Some learn with luck, some derive things when they choose, some hold others.
@pytest.mark.parametrize("policy", ["rucb", "rex3", "d-ts", "savage:horizon=1000", "window:base=d-ts,size=100", "auto"])
def test_the_state_is_the_fold_of_the_journal_in_any_chunks(policy: str) -> None:
    with experiments() as living:
        play(living_search := started(living, policy=policy), 300)
        check_replay(living)
        before = hashes(living.fold)
        for _ in range(20):
            living.verbs("search").ask()  # drawn, and never written down
        assert hashes(living.fold) == before
        assert living_search.status()["counts"]["told"] > 200


def started(living: LocalExperiments, **more: object) -> Experiment:
    search = living.define(definition(**more))  # type: ignore[arg-type]
    search.start()
    return search


def test_every_duel_is_somewhere() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, policy="rucb", session={"timeout": 60})
        play(search, 100)
        clock.pass_by(61)
        search.ask()
        counts = search.status()["counts"]
        assert counts["expired"] > 0
        assert counts["drawn"] == 101 == counts["asked_open"] + counts["told"] + counts["expired"]
        check_replay(living)


def test_the_first_tell_counts_and_a_late_one_does_not() -> None:
    clock = Time()
    with experiments(clock=clock) as living:
        search = started(living, policy="rucb", session={"timeout": 60})
        asked, other = search.ask(), search.ask()
        assert asked.id
        assert other.id
        assert search.tell(asked.id, winner=asked.left) == (asked.id, True, False)
        assert search.tell(asked.id, winner=asked.right) == (asked.id, True, True)
        clock.pass_by(61)
        assert search.tell(other.id, outcome=0.5).told is False
        counts = search.status()["counts"]
        assert (counts["told"], counts["told_again"], counts["told_late"], counts["expired"]) == (1, 1, 1, 1)
        check_replay(living)


def test_what_was_never_asked_cannot_be_told() -> None:
    with experiments() as living:
        search = started(living)
        asked = search.ask()
        with pytest.raises(UnknownName, match="there is no ask '1-99'"):
            search.tell("1-99", outcome=1)
        with pytest.raises(UnknownName, match="'7-3' is of another experiment"):
            search.tell("7-3", outcome=1)
        with pytest.raises(BadInput, match="an id is what ask, interleave or rank answered"):
            search.tell("one", outcome=1)
        assert asked.id
        with pytest.raises(BadInput, match="winner must be"):
            search.tell(asked.id, winner="somebody")
        with pytest.raises(BadInput, match="outcome must be from 0"):
            search.tell(asked.id, outcome=2)
        with pytest.raises(BadInput, match="either winner or outcome"):
            search.tell(asked.id)


def test_a_key_gets_the_same_answer() -> None:
    with experiments() as living:
        search = started(living)
        first = search.ask(key="request 1")
        for _ in range(20):
            assert search.ask(key="request 1") == first
        assert search.status()["counts"]["drawn"] == 1
        with pytest.raises(BadInput, match="key must be text of 1 to 200 signs that can be printed"):
            search.ask(key="\x1fpage 2 of 3")


def test_only_allowed_arms_are_drawn_and_each_gets_its_floor() -> None:
    with experiments() as living:
        search = started(living, policy="rucb", floor=0.1)
        for _ in range(50):
            asked = search.ask(allowed=["old", "third"])
            assert {asked.left, asked.right} <= {"old", "third"}
        with pytest.raises(BadInput, match="'fourth' is no arm"):
            search.ask(allowed=["fourth"])
        shown = dict.fromkeys(("old", "new", "third"), 0)
        for _ in range(600):
            asked = search.ask()
            shown[asked.left] += 1
            assert asked.id
            search.tell(asked.id, outcome=float(asked.left == "new") if asked.left != asked.right else 0.5)
        assert min(shown.values()) > 0.06 * 600


def test_share_holdout_and_shadow() -> None:
    with experiments() as living:
        search = started(living, share=0.5, holdout=0.2)
        inside = [search.ask(user=f"u{i}").id is not None for i in range(1000)]
        assert 330 < sum(inside) < 470  # half of the 80 % that are not held out
        assert inside == [search.ask(user=f"u{i}").id is not None for i in range(1000)]
        assert search.ask(user=f"u{inside.index(False)}") == (None, "old", "old")
        shadow = living.define({**definition(), "name": "shadow", "shadow": True})
        shadow.start()
        asked = shadow.ask()
        assert asked.id is not None
        assert asked[1:] == ("old", "old")


@pytest.mark.parametrize(
    ("stop", "by"), [({"rule": "budget", "budget": 50}, "budget"), ({"rule": "evidence"}, "evidence")]
)
def test_it_stops_by_itself_and_goes_on_answering(stop: dict[str, object], by: str) -> None:
    with experiments() as living:
        search = started(living, policy="uniform", stop=stop)
        play(search, 1500)
        status = search.status()
        assert (status["state"], status["stopped_by"]) == ("stopped", by)
        if by == "evidence":
            assert status["best"] == "new"
            assert status["evidence"]["winner"] == "new"
        assert search.ask() == (None, status["best"], status["best"])
        check_replay(living)


def test_a_new_version_begins_warm_or_cold_and_nothing_leaks() -> None:
    with experiments() as living:
        search = started(living, policy="rucb")
        play(search, 200)
        old, before = living.state("search"), living.journal.read(0, 10_000)
        search.new_version(definition(policy="rucb", arms=["new", "third", "fresh"]), warm=True)
        warm = living.state("search")
        assert isinstance(warm, Arms)
        again, told = RUCB(arms=["new", "third", "fresh"], seed=0), set[int]()
        for event in before:
            if event.kind == TOLD and (of := body_of(event)[0]) not in told:
                told.add(of)
                left, right, *rest = body_of(before[of - 1])
                if left and right:  # "old", with number 0, is gone
                    names = ("old", "new", "third")
                    again.apply(Duel(names[left], names[right], *rest), body_of(event)[1])
        assert warm.policy.told == again.told > 100
        assert all((warm.policy.tables()[name] == table).all() for name, table in again.tables().items())
        assert (old.phase, warm.phase, warm.version) == ("stopped", "draft", 2)
        search.new_version(definition(policy="rucb"), warm=False)
        assert living.state("search").version == 3
        cold = living.state("search")
        assert isinstance(cold, Arms)
        assert cold.policy.told == 0
        check_replay(living)


def test_threads_learn_what_became_of_their_tells_whoever_folds_them() -> None:
    with experiments() as living:
        search = started(living, policy="rucb")
        ids = [search.ask().id for _ in range(300)]
        answers, over = list[bool](), threading.Event()

        def watch() -> None:
            while not over.is_set():
                living.catch_up()

        watcher = threading.Thread(target=watch)
        watcher.start()
        for name in ids:
            answers += [search.tell(name, outcome=0.5).repeated for _ in range(2)]
        over.set()
        watcher.join()
        assert answers == [False, True] * 300


def test_the_certainty_of_a_live_policy_is_that_of_the_duels_told() -> None:
    """Told one by one, replayed in chunks, and restored from a record: as if the policy had been told by hand."""
    with experiments() as living:
        search = started(living, policy="rucb")
        play(search, 500)
        state = living.fold.current("search")
        assert isinstance(state, Arms)
        log = told_duels(living.journal)
        alone = RUCB(arms=state.definition.arms, seed=1)
        alone.learn((log.arms[a], log.arms[b], y) for a, b, y in zip(log.left, log.right, log.outcome, strict=True))
        expected = alone.certain(0.95)
        assert expected is not None
        again = make_state(state.number, state.definition, state.version, living.journal.get)
        again.restore(state.record())
        anew = fold_anew(living.journal).current("search")
        for each in (state, again, anew):
            assert isinstance(each, Arms)
            assert each.policy.certain(0.95) == expected
            assert each.policy.ranking() == alone.ranking()
            assert each.policy.duels_needed(0.99, "ranking") == alone.duels_needed(0.99, "ranking")


def test_a_user_who_clicks_every_day_does_not_make_it_certain() -> None:
    """One person's lists are one voice for each two arms, however many there are."""
    with experiments() as living:
        search = started(living, policy="uniform")
        for visitor in ["always the same"] * 60:
            page = search.interleave(RANKINGS, user=visitor, length=4)
            if page.id is not None:
                search.click(page.id, page.ranking[0])
        state = living.fold.current("search")
        assert isinstance(state, Arms)
        assert state.policy.told > 40
        assert state.policy.met.duels <= 3
        assert state.policy.certain(0.6) is None
