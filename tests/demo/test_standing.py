from __future__ import annotations

import asyncio
import math
from typing import Any

import numpy as np
import pytest

from duelist.demo.pace import SPEEDS, Pace
from duelist.demo.standing import Watch, standing_of, wins_of
from duelist.evidence.winners import sure_winner
from duelist.search.engine import RANKERS


def status(best: str, wins: Any) -> dict[str, Any]:
    pairs = [
        {"first": RANKERS[a], "second": RANKERS[b], "lists": {"wins": int(wins[a][b]), "losses": int(wins[b][a])}}
        for a in range(5)
        for b in range(a + 1, 5)
    ]
    return {
        "best": best,
        "arms": [{"name": name} for name in RANKERS],
        "pairs": pairs,
        "counts": {"learnt": 100},
        "version": 1,
    }


def test_certain_is_what_the_library_calls_sure() -> None:
    luck = np.random.default_rng(2)
    seen = set()
    for strength in luck.random(200):
        wins = luck.binomial(luck.integers(1, 60), 0.3, (5, 5))
        wins[2] = luck.binomial(40, strength, 5)
        np.fill_diagonal(wins, 0)
        sure = sure_winner(wins, 0.95)
        leader = sure[0] if sure else 2
        seen.add(sure is None)
        standing = standing_of(status(RANKERS[leader], wins), wins_of(status(RANKERS[leader], wins)))
        assert standing.certain == (sure is not None)
        assert ("certainly" in standing.words) == standing.certain
    assert seen == {True, False}


def test_what_was_certain_stays_so_until_visitors_change() -> None:
    watch, wins = Watch(), np.zeros((5, 5))
    assert watch.words == "nothing is learnt yet"
    wins[2] = 40
    wins[2, 2] = 0
    watch.look(status("bm25", wins), 300)
    assert (watch.found is not None, watch.found_after) == (True, 300)
    unsure = wins + 300 * (1 - np.eye(5))
    assert not watch.look(status("bm25", unsure), 400).certain
    assert (watch.found is not None, watch.found_after, watch.words) == (True, 300, "bm25 is certainly the best")
    watch.look(status("bm25", unsure), 500, changes=1)
    assert watch.found is None
    assert watch.latest is not None
    assert watch.latest.beaten == ()  # of those who come now nothing is known
    later = unsure.copy()
    later[0] += 40
    later[0, 0] = 0
    assert watch.look(status("title-first", later), 600, changes=1).certain
    assert watch.found_after == 600


def test_a_new_version_begins_anew() -> None:
    watch, wins = Watch(), np.zeros((5, 5))
    wins[2] = 40
    watch.look(status("bm25", wins), 300)
    later = {**status("bm25", np.zeros((5, 5))), "version": 2}
    later["arms"], later["pairs"] = later["arms"][:3], []
    assert watch.look(later, 400).rivals == 2
    assert watch.found is None


def test_direct_duels_alone_say_nothing_here() -> None:
    bare = status("bm25", np.zeros((5, 5)))
    bare["pairs"] = [{"first": "bm25", "second": "vectors", "duels": {"wins": 9.0, "losses": 0.0}}]
    assert wins_of(bare).sum() == 0


def test_speeds_end_at_the_slowest_and_the_fastest() -> None:
    pace = Pace(20.0)
    for _ in range(10):
        pace.step(1)
    assert pace.rate == SPEEDS[-1]
    for _ in range(10):
        pace.step(-1)
    assert pace.rate == SPEEDS[0]


def test_nobody_comes_during_a_pause() -> None:
    async def whole() -> None:
        pace = Pace(math.inf)
        pace.paused = True
        turn = asyncio.create_task(pace.turn())
        done, _ = await asyncio.wait([turn], timeout=0.2)
        assert not done
        pace.paused = False
        await asyncio.wait_for(turn, 30)

    asyncio.run(whole())


@pytest.mark.parametrize("rate", [200.0])
def test_visitors_do_not_come_faster_than_they_should(rate: float) -> None:
    async def whole() -> float:
        pace, loop = Pace(rate), asyncio.get_running_loop()
        await pace.turn()
        began = loop.time()
        for _ in range(40):
            await pace.turn()
        return loop.time() - began

    assert asyncio.run(whole()) >= 0.1  # 40 visitors in 0.2 seconds, less the 0.05 that may be made up for
