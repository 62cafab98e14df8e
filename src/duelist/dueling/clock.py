"""Who is confidently beaten, kept up to date as duels are told and time passes.

UCB policies ask for every pair whether the upper bound of an arm against another,
mean + sqrt(alpha ln t / n), has fallen below 1/2. That holds exactly while ln t is
below the pair's *release time*, n (1/2 - mean)^2 / alpha. A duel moves the release
time of one pair, and time only releases pairs, so a heap of release times replaces
K^2 square roots a step.
"""

from __future__ import annotations

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Floats, Ints, per_arm, per_pair, single, table

SMALL = np.int32  # for numbers of arms and pairs: tables that are read here and there should be small


class Clock(Declared):
    """Wins of each arm over each other, and the arms that are confidently beaten."""

    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    beaten_by: Ints = per_arm(SMALL)  # how many arms confidently beat each arm
    unbeaten: Ints = single(int)  # how many arms none confidently beats; set by start_clock
    now: Floats = single(float)  # ln t of the last release
    release: Floats = table(lambda k: (k * k,))  # ln t until which arm p // K confidently beats p % K
    place: Ints = table(lambda k: (k * k,), SMALL, -1)  # where pair p is in the heap, or -1
    heap: Ints = table(lambda k: (k * k,), SMALL)  # pairs, the earliest due first
    due: Floats = table(lambda k: (k * k,))  # when to look at each heap entry: never after its release
    size: Ints = single(int)  # entries in the heap


@kernel
def start_clock(clock: Clock) -> None:
    """Nobody is beaten yet."""
    clock.unbeaten[0] = clock.n_arms


@kernel
def tell_clock(clock: Clock, left: int, right: int, outcome: float, alpha: float) -> None:
    """Record a duel between two different arms."""
    clock.wins[left, right] += outcome
    clock.wins[right, left] += 1.0 - outcome
    lead = clock.wins[left, right] - clock.wins[right, left]
    release = lead * lead / (4.0 * alpha * (clock.wins[left, right] + clock.wins[right, left]))
    set_release(clock, left, right, release if lead > 0.0 else 0.0)
    set_release(clock, right, left, release if lead < 0.0 else 0.0)


@kernel
def advance(clock: Clock, log_t: float) -> None:
    """Release every pair whose time has come."""
    clock.now[0] = log_t
    while clock.size[0] > 0 and clock.due[0] <= log_t:
        pair = clock.heap[0]
        if clock.release[pair] > log_t:  # put off since it was pushed
            sink(clock, pair, clock.release[pair])
        else:
            clock.place[pair] = -1
            clock.size[0] -= 1
            if clock.size[0] > 0:
                sink(clock, clock.heap[clock.size[0]], clock.due[clock.size[0]])
            loser = pair % clock.n_arms
            clock.beaten_by[loser] -= 1
            clock.unbeaten[0] += clock.beaten_by[loser] == 0


@kernel
def set_release(clock: Clock, winner: int, loser: int, release: float) -> None:
    """Let `winner` confidently beat `loser` until ln t reaches `release`."""
    pair = winner * clock.n_arms + loser
    clock.release[pair] = release
    place = clock.place[pair]
    if place >= 0:
        if release < clock.due[place]:
            rise(clock, place, pair, release)
    elif release > clock.now[0]:
        clock.unbeaten[0] -= clock.beaten_by[loser] == 0
        clock.beaten_by[loser] += 1
        clock.size[0] += 1
        rise(clock, clock.size[0] - 1, pair, release)


@kernel
def rise(clock: Clock, place: int, pair: int, due: float) -> None:
    """Put `pair` at `place` or above it, where its due time belongs."""
    while place > 0:
        parent = (place - 1) >> 1
        if clock.due[parent] <= due:
            break
        clock.heap[place] = clock.heap[parent]
        clock.due[place] = clock.due[parent]
        clock.place[clock.heap[place]] = place
        place = parent
    clock.heap[place] = pair
    clock.due[place] = due
    clock.place[pair] = place


@kernel
def sink(clock: Clock, pair: int, due: float) -> None:
    """Put `pair` at the top or below it, where its due time belongs."""
    place = 0
    while 2 * place + 1 < clock.size[0]:
        child = 2 * place + 1
        if child + 1 < clock.size[0] and clock.due[child + 1] < clock.due[child]:
            child += 1
        if clock.due[child] >= due:
            break
        clock.heap[place] = clock.heap[child]
        clock.due[place] = clock.due[child]
        clock.place[clock.heap[place]] = place
        place = child
    clock.heap[place] = pair
    clock.due[place] = due
    clock.place[pair] = place
