"""Certain of the winner, and then the preferences turn round: what was promised, and what was not.

Pairs are drawn evenly among five arms in a clear order. After a third of the duels the order is turned round. Three
answers are watched: that of all duels (`certain`), that of the last two thousand (a window), and whether the duels
since it was certain say that the arm is beaten (`surely_beaten`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelist.core.memory import Flags, Floats, Ints
from duelist.evidence.winners import sure_winners, surely_beaten
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.certain import ARMS, CONFIDENCE, ordered, twins
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

BEFORE, AFTER, EVERY, WINDOW = 4000, 8000, 100, 2000
LONG, SHORT = 60_000, 500  # duels of a world that stands still, and the window that is watched there
RUNS, FEW = 200, 40
STEP = 0.15
NOBODY = -1


class Watched(NamedTuple):
    """What is said at each look (columns) of each run (rows): the number of an arm, or NOBODY."""

    all: Ints
    window: Ints
    average: Ints  # the arm that beat each other one on average of the duels they had, NOBODY if none did
    warned: Flags  # whether the duels since it was certain speak against the arm


def watch(worlds: Floats, runs: int, seed: int = 0, window: int = WINDOW) -> Watched:
    """Evenly drawn pairs; `worlds` has a table of preferences for each duel.

    >>> steady = np.broadcast_to(ordered(0.15), (4000, 5, 5))
    >>> found = watch(steady, 10)
    >>> int((found.all[:, -1] == 0).sum()), int(found.warned.sum())
    (10, 0)
    """
    found = [_watch(worlds, np.random.default_rng((seed, run)), window) for run in range(runs)]
    return Watched(*map(np.array, zip(*found, strict=True)))


def _watch(worlds: Floats, rng: np.random.Generator, window: int) -> tuple[list[int], list[int], list[int], list[bool]]:
    size = len(worlds)
    left = rng.integers(0, ARMS, size)
    right = (left + rng.integers(1, ARMS, size)) % ARMS
    chance = worlds[np.arange(size), left, right]
    won = (rng.random(size) < chance).astype(np.float64)
    wins, expected = (_tables(left, right, each) for each in (won, chance))
    before = np.concatenate([np.zeros((window // EVERY, ARMS, ARMS)), wins])[: len(wins)]
    claimed = _numbers(wins)
    average = [_best(each) for each in expected]
    certain = next((look for look, arm in enumerate(claimed) if arm != NOBODY), len(claimed))
    warned = [False] * (certain + 1)
    for table in wins[certain + 1 :]:
        warned.append(warned[-1] or surely_beaten(table - wins[certain], claimed[certain], CONFIDENCE))
    return claimed, _numbers(wins - before), average, warned[: len(claimed)]


def _tables(left: Ints, right: Ints, outcome: Floats) -> Floats:
    """K x K sums of outcomes at each look."""
    look = np.arange(len(left)) // EVERY
    shape = (len(left) // EVERY, ARMS, ARMS)
    table = np.bincount((look * ARMS + left) * ARMS + right, outcome, int(np.prod(shape)))
    table = table + np.bincount((look * ARMS + right) * ARMS + left, 1 - outcome, int(np.prod(shape)))
    return np.asarray(table.reshape(shape).cumsum(0))


def _numbers(tables: Floats) -> list[int]:
    return [NOBODY if each is None else each[0] for each in sure_winners(tables, CONFIDENCE)]


def _best(table: Floats) -> int:
    beats = (table > table.T).sum(1)
    return int(beats.argmax()) if beats.max() == ARMS - 1 else NOBODY


def run(setting: Setting) -> Report:
    """The change, and two worlds that stand still."""
    runs = FEW if setting.quick else RUNS
    worlds = np.concatenate([np.broadcast_to(world, (size, ARMS, ARMS)) for world, size in _course()])
    found = watch(worlds, runs)
    setting.advance(1)
    still = watch(np.broadcast_to(ordered(STEP), (BEFORE + AFTER, ARMS, ARMS)), runs, seed=1)
    setting.advance(1)
    tied = watch(np.broadcast_to(twins(0), (LONG, ARMS, ARMS)), runs, seed=2, window=SHORT)
    setting.advance(1)
    ever = (found.all != NOBODY) & (found.all != found.average)
    rows = [
        Row("certain and wrong about the average so far, ever", PROMISED, mean_of(ever.any(1))),
        Row("certain before the change, rightly", SURE, mean_of(found.all[:, BEFORE // EVERY - 1] == 0)),
        Row("no change: warned all the same", PROMISED, mean_of(still.warned[:, -1])),
        Row("no change: certain, and later not", OBSERVATION, mean_of(_lost(still.all))),
        Row("two best arms tie: certain and wrong, ever", PROMISED, mean_of((tied.all != NOBODY).any(1))),
        Row(
            f"two best arms tie: the last {SHORT} certain and wrong, ever",
            BROKEN,
            mean_of((tied.window != NOBODY).any(1)),
        ),
    ]
    for later in (1000, 2000, 4000, AFTER):
        look = (BEFORE + later) // EVERY - 1
        shares = {"of the arm of before": found.all[:, look] == 0, "of that of now": found.all[:, look] == ARMS - 1}
        shares |= {"of that of now, by the window": found.window[:, look] == ARMS - 1}
        rows += [Row(f"{later:,} later, certain {who}", OBSERVATION, mean_of(each)) for who, each in shares.items()]
        rows.append(Row(f"{later:,} later, warned", OBSERVATION, mean_of(found.warned[:, look])))
    return Report(rows, _chart(found))


def _lost(claimed: Ints) -> Flags:
    """Whether each run was certain at some look and not at the next one."""
    return np.asarray(((claimed[:, :-1] != NOBODY) & (claimed[:, 1:] == NOBODY)).any(1))


def _course() -> list[tuple[Floats, int]]:
    return [(ordered(STEP), BEFORE), (ordered(-STEP), AFTER)]


def _chart(found: Watched) -> Lines:
    x = (np.arange(found.all.shape[1]) + 1) * EVERY
    shares = {
        "certain of the arm of before": found.all == 0,
        "certain of the arm of now": found.all == ARMS - 1,
        f"the same by the last {WINDOW:,}": found.window == ARMS - 1,
        "warned": found.warned,
    }
    series = [Series(label, x, each.mean(0)) for label, each in shares.items()]
    title = f"Five arms in an order that turns round after {BEFORE:,} duels"
    return Lines([Panel("share of runs", series)], "duels", title, x_logarithmic=False, changes=[BEFORE])


PAGE = "docs/judges.md"
PROMISED = Reference("claim", f"{PAGE}: wrong at most as often as allowed", below=1 - CONFIDENCE, refutable=True)
SURE = Reference("claim", f"{PAGE}: certain before the change", above=0.8)
BROKEN = Reference("claim", f"{PAGE}: a window that is watched breaks the promise", above=1 - CONFIDENCE)
DRIFT = Reproduction(*listed("certain-drift"), "No paper: what `certain` means under drift.", code=run, steps=3)
