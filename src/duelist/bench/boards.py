"""Strengths of a million duels: ours and other libraries', the same numbers, and how fast."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.present.tables import Table
from duelist.ranking.leaderboard import leaderboard
from duelist.ranking.log import DuelLog
from duelist.ranking.strengths import cells_of, fit_strengths

TRIES = 3  # the best of them counts
ENOUGH = 50  # duels an arm, so that all can be placed


class Row(NamedTuple):
    """A library, and how far its strengths are from ours."""

    library: str
    seconds: float  # of CPU, from arrays to strengths
    apart: float  # the largest difference of a strength, in log-odds


def bench_boards(duels: int = 1_000_000, arms: int = 300, peers: str | None = None) -> list[Row]:
    """Ours, our whole board with its intervals, and every library that the interpreter `peers` has.

    >>> rows = bench_boards(duels=2000, arms=5)
    >>> [(row.library, row.apart) for row in rows]
    [('duelist, strengths', 0.0), ('duelist, the whole board', 0.0)]
    """
    if arms < 2 or duels < ENOUGH * arms:
        raise BadInput(f"a bench needs at least 2 arms and {ENOUGH} duels for each, not {duels!r} duels of {arms!r}")
    log = simulated(duels, arms)
    found = [_strengths(log) for _ in range(TRIES)]
    strengths = found[0][1]
    boards = [_board(log) for _ in range(TRIES)]
    rows = [
        Row("duelist, strengths", min(seconds for seconds, _ in found), 0.0),
        Row("duelist, the whole board", min(boards), 0.0),
    ]
    for peer in _peers(log, peers) if peers else ():
        rows.append(Row(peer["library"], peer["seconds"], float(np.abs(np.array(peer["strengths"]) - strengths).max())))
    return rows


def simulated(duels: int, arms: int) -> DuelLog:
    """Pairs drawn evenly, strengths from a normal distribution, no ties."""
    rng = np.random.default_rng(1)
    strength = rng.normal(0, 1, arms)
    left = rng.integers(0, arms, duels)
    right = (left + rng.integers(1, arms, duels)) % arms
    won = rng.random(duels) < 1 / (1 + np.exp(strength[right] - strength[left]))
    return DuelLog(tuple(range(arms)), left, right, won.astype(float), np.ones(duels), np.full(duels, -1))


def _strengths(log: DuelLog) -> tuple[float, Floats]:
    clock = time.process_time()
    found = fit_strengths(cells_of(log), bias=False)
    seconds = time.process_time() - clock
    assert found is not None
    return seconds, found.strength


def _board(log: DuelLog) -> float:
    clock = time.process_time()
    leaderboard(log)
    return time.process_time() - clock


def _peers(log: DuelLog, interpreter: str) -> list[dict[str, Any]]:
    script = Path(__file__).with_name("board_peers.py")
    with TemporaryDirectory() as folder:
        path = f"{folder}/duels.npz"
        np.savez(path, left=log.left, right=log.right, left_won=log.outcome == 1)
        try:
            done = subprocess.run([interpreter, str(script)], input=path, capture_output=True, text=True, check=False)
        except OSError as error:
            raise BadInput(f"{interpreter!r} cannot be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise BadInput(f"{interpreter!r} could not measure its libraries: {said[0]}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def boards_table(rows: list[Row]) -> Table:
    """A line each."""
    cells = [[row.library, f"{row.seconds:.2f}", f"{row.apart:.1e}" if row.apart else ""] for row in rows]
    notes = ["CPU seconds of all threads together, the best of three", "apart: the largest difference of a strength"]
    return Table(["library", "seconds", "apart"], cells, notes)
