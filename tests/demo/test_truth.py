"""Tastes and the truth about them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from duelist.clicks.cascade import Cascade
from duelist.core.errors import BadInput, UnknownName
from duelist.demo.tastes import Memory, Task, find_taste
from duelist.demo.truth import LENGTH, Truth, outcomes, visitor
from duelist.demo.world import World
from duelist.interleaving.team_draft import TeamDraft
from duelist.search.documents import Document
from duelist.search.engine import RANKERS


def every_way(grades: list[int], teams: list[int], user: Cascade) -> tuple[float, float, float]:
    """The same by trying every set of clicks and every place to leave."""
    won = lost = clicked = 0.0
    for flips in product((False, True), repeat=len(grades)):
        for leaving in range(len(grades) + 1):
            chance, difference = 1.0, 0
            for slot, (grade, team) in enumerate(zip(grades, teams, strict=True)):
                if slot > leaving:
                    chance *= not flips[slot]  # gone: nothing is clicked
                    continue
                chance *= user.click[grade] if flips[slot] else 1 - user.click[grade]
                if flips[slot]:
                    difference += {0: 1, 1: -1, -1: 0}[team]
                    chance *= user.stop[grade] if slot == leaving else 1 - user.stop[grade]
                elif slot == leaving:
                    chance = 0.0  # one leaves after a click only
            won += chance * (difference > 0)
            lost += chance * (difference < 0)
            clicked += chance * any(flips)
    return won, lost, clicked


def test_outcomes_are_those_of_every_way_to_click() -> None:
    luck = np.random.default_rng(1)
    user = visitor()
    grades, teams = luck.integers(0, 3, (20, 5)), luck.integers(-1, 2, (20, 5))
    for row, found in enumerate(zip(*outcomes(grades, teams, user), strict=True)):
        assert found == pytest.approx(every_way(grades[row].tolist(), teams[row].tolist(), user))


def test_where_there_is_no_document_nobody_clicks() -> None:
    won, lost, clicked = outcomes(np.array([[-1, -1]]), np.array([[-1, -1]]), visitor())
    assert (won[0], lost[0], clicked[0]) == (0, 0, 0)


def test_this_python_has_thousands_of_documents_with_names_of_their_own(world: World) -> None:
    names = [document.name for document in world.engine.documents]
    assert len(names) > 2_000
    assert len({*names}) == len(names)
    assert {"json", "json.dumps", "collections.OrderedDict"} <= {*names}


def test_simulated_visitors_prefer_what_the_truth_says(world: World) -> None:
    need, luck, user, method = world.need("overviews"), np.random.default_rng(3), visitor(), TeamDraft()
    first, second = RANKERS.index("bm25"), RANKERS.index("title-first")
    seen = []
    for _ in range(2_000):
        task = need.tasks[int(luck.integers(len(need.tasks)))]
        rankings = world.engine.rankings(task.query)
        shown = method.combine([rankings["bm25"], rankings["title-first"]], LENGTH, luck)
        clicks = user.clicks([task.label(world.engine.by_name[str(name)]) for name in shown.ranking], luck)
        if clicks:
            credit = method.credit(shown, clicks)
            seen.append(0.5 + 0.5 * np.sign(credit[0] - credit[1]))
    error = np.std(seen) / np.sqrt(len(seen))
    assert abs(np.mean(seen) - need.truth.preference[first, second]) < 4 * error


def test_another_ranker_is_best_for_another_taste(world: World) -> None:
    best = {taste: world.need(taste).truth.best for taste in ("names", "overviews")}
    assert {taste: RANKERS[place] for taste, place in best.items()} == {"names": "title-first", "overviews": "bm25"}
    for taste, place in best.items():
        others = np.delete(world.need(taste).truth.preference[place], place)
        assert others.min() > 0.53  # nobody has to guess


def test_regret_is_half_of_what_both_lose_against_the_best() -> None:
    preference = np.full((5, 5), 0.5)
    preference[2] = [0.6, 0.7, 0.5, 0.9, 0.8]
    preference[:, 2] = 1 - preference[2]
    truth = Truth(preference)
    assert truth.best == 2
    assert truth.regret(RANKERS[2], RANKERS[2]) == 0
    assert truth.regret(RANKERS[2], RANKERS[1]) == pytest.approx(0.1)
    assert truth.regret(RANKERS[3], RANKERS[4]) == pytest.approx(0.35)


def test_near_pages_are_those_beside_and_around() -> None:
    task = Task("", Document("json.decoder.JSONDecoder", "class", "", ""))

    def label(name: str) -> int:
        return task.label(Document(name, "", "", ""))

    assert label("json.decoder.JSONDecoder") == 2
    assert [label(name) for name in ("json.decoder", "json.decoder.Other", "json.decoder.JSONDecoder.decode")] == [
        1,
        1,
        1,
    ]
    assert [label(name) for name in ("json", "csv", "json.encoder")] == [0, 0, 0]
    assert Task("", Document("json", "module", "", "")).label(Document("csv", "module", "", "")) == 0


def test_tasks_are_the_same_again_and_of_the_taste(world: World) -> None:
    taste = find_taste("names")
    tasks = Memory(world.engine.documents).tasks(taste)
    assert tasks[:80] == list(world.need("names").tasks)
    assert all(taste.wants(task.wanted) for task in tasks)
    with pytest.raises(UnknownName, match="names, overviews"):
        find_taste("music")
    with pytest.raises(BadInput, match="gave 0"):
        Memory([Document("a", "module", "", "text")]).tasks(taste)
