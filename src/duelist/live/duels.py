"""Duels that are told directly: one table in the order of asking, folded by compiled code.

The same code folds one event of a live service and ten thousand of a replay, so both come to the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import compiled, kernel, once, plain, specialise
from duelist.core.memory import Floats, Ints
from duelist.dueling.policy import Duel, Policy, choose, update, whole_duel
from duelist.live.events import DRAWN, DUELS, OUTCOMES, Pair
from duelist.storage.journal import Event

AGAIN, MISSED = 1, 2  # what became of a tell that taught nothing
DRAWN_COUNT, TOLD_COUNT, REPEATED, EXPIRED, FIRST, SIZE, LAG = range(7)  # of `numbers`
COLUMNS = ("seq", "at", "told_by", "order", "left", "right", "t", "left_p", "right_p")


class Table(NamedTuple):
    """Duels by their numbers, which grow from row to row; those from FIRST to SIZE may still be told."""

    seq: Any
    at: Any
    told_by: Any  # the number of the tell, 0 while it is open
    order: Any  # how many were drawn before it
    left: Any
    right: Any
    t: Any
    left_p: Any
    right_p: Any


class Batch(NamedTuple):
    """Events of one experiment in their order, as columns."""

    drawn: Any  # or told
    seq: Any
    at: Any
    of: Any
    outcome: Any
    left: Any
    right: Any
    t: Any
    left_p: Any
    right_p: Any


class Duels:
    """What became of the duels of one experiment, and the policy that learns from them."""

    def __init__(self, policy: Policy, timeout: int) -> None:
        self.policy, self.timeout = policy, timeout  # microseconds
        self.numbers = np.zeros(7, np.int64)
        self.table = _room(64)
        self._spare = np.random.default_rng(0)
        self._entry: Any = None  # the machine code, once it is needed
        policy._settle()  # so that what is learnt never depends on whether somebody asked

    @property
    def open(self) -> int:
        """How many wait for their outcome."""
        drawn, told, _, expired = self.numbers[:4].tolist()
        return int(drawn - told - expired)

    @property
    def lag(self) -> float:
        """How many duels were drawn between drawing one and learning from it, of late."""
        return float(self.numbers[LAG]) / 1024

    def fold(self, events: Sequence[Event], wins: Floats) -> tuple[list[int], list[int]]:
        """Apply drawn and told events and count them in `wins`; the places of tells that were repeated or missed."""
        batch = _batch(events)
        self._make_room(int(batch.drawn.sum()))
        result = np.zeros(len(events), np.int64)
        policy = self.policy
        arguments = (policy.memory, self.table, self.numbers, batch, wins, self.timeout, policy.told, result)
        if self._entry is None:
            self._entry = compiled_fold(type(policy)).entry(*arguments, policy.rng, self._spare)
        policy.told = int(self._entry(*arguments, policy.rng, self._spare))
        return np.flatnonzero(result == AGAIN).tolist(), np.flatnonzero(result == MISSED).tolist()

    def advance(self, at: int) -> None:
        """Let everything expire that is due."""
        expire_all(self.table, self.numbers, at - self.timeout)

    def due(self, now: int) -> bool:
        """Whether something is to expire."""
        first, size = self.numbers[[FIRST, SIZE]].tolist()
        return bool(first < size and self.table.at[first] <= now - self.timeout)

    def find(self, seq: int) -> int:
        """The row of a duel that may still be told, or was within its time; -1 if there is none."""
        return int(plain(find)(self.table.seq, self.numbers, seq))

    def close(self, row: int, by: int) -> None:
        """A duel was told by the clicks on a list, whose event is `by`."""
        self.table.told_by[row] = by
        plain(told_after)(self.numbers, self.table.order[row])

    def record(self) -> dict[str, Any]:
        """Its numbers and the rows that may still be told."""
        first, size = self.numbers[[FIRST, SIZE]].tolist()
        rows = {name: column[first:size].copy() for name, column in self.table._asdict().items()}
        return {"numbers": self.numbers.copy(), **rows}

    def restore(self, record: dict[str, Any]) -> None:
        """Go on from a record."""
        size = len(record["seq"])
        self.table = _room(max(64, size))
        for name in COLUMNS:
            getattr(self.table, name)[:size] = record[name]
        self.numbers[:] = record["numbers"]
        self.numbers[FIRST], self.numbers[SIZE] = 0, size

    def _make_room(self, more: int) -> None:
        first, size = self.numbers[[FIRST, SIZE]].tolist()
        if size + more <= len(self.table.seq):
            return
        kept = self.table
        self.table = _room(max(64, 2 * (size - first + more)))
        for name in COLUMNS:
            getattr(self.table, name)[: size - first] = getattr(kept, name)[first:size]
        self.numbers[FIRST], self.numbers[SIZE] = 0, size - first


def _room(size: int) -> Table:
    return Table._make(np.zeros(size, np.float64 if name.endswith("_p") else np.int64) for name in COLUMNS)


def _batch(events: Sequence[Event]) -> Batch:
    drawn = np.array([event.kind == DRAWN for event in events], np.bool_)
    asked = np.frombuffer(b"".join([event.body for event in events if event.kind == DRAWN]), DUELS)
    tells = np.frombuffer(b"".join([event.body for event in events if event.kind != DRAWN]), OUTCOMES)

    def spread(rows: Any, where: Any) -> Any:
        """In the places where they come from; 64 bits wide, as compiled code has it."""
        column = np.zeros(len(drawn), np.float64 if rows.dtype.kind == "f" else np.int64)
        column[where] = rows
        return column

    told = [spread(tells[name], ~drawn) for name in ("of", "outcome")]
    duel = [spread(asked[name], drawn) for name in Pair._fields]
    numbers = [np.array([event[place] for event in events], np.int64) for place in (0, 1)]
    return Batch(drawn, *numbers, *told, *duel)


@kernel
def expire(table: Any, numbers: Ints, before: int) -> None:
    """Take out of the table what was drawn at `before` or earlier."""
    while numbers[FIRST] < numbers[SIZE] and table.at[numbers[FIRST]] <= before:
        if table.told_by[numbers[FIRST]] == 0:
            numbers[EXPIRED] += 1
        numbers[FIRST] += 1


@compiled
def expire_all(table: Any, numbers: Ints, before: int) -> None:
    """`expire`, for those who are not compiled."""
    expire(table, numbers, before)


@kernel
def find(seqs: Ints, numbers: Ints, seq: int) -> int:
    """The row of a number, by halving; -1 if it is not there."""
    low, high = numbers[FIRST], numbers[SIZE]
    while low < high:
        middle = (low + high) // 2
        if seqs[middle] < seq:
            low = middle + 1
        else:
            high = middle
    return low if low < numbers[SIZE] and seqs[low] == seq else -1


@kernel
def told_after(numbers: Ints, order: int) -> None:
    """Count a tell, and how late it is: a running mean in 1024ths, whole so that it is the same everywhere."""
    numbers[TOLD_COUNT] += 1
    late = 1024 * (numbers[DRAWN_COUNT] - order - 1)
    numbers[LAG] += (late - numbers[LAG]) // min(100, numbers[TOLD_COUNT])


def fold(
    policy: Any,
    table: Any,
    numbers: Ints,
    batch: Any,
    wins: Floats,
    timeout: int,
    told: int,
    result: Ints,
    rng: np.random.Generator,
    spare: np.random.Generator,
) -> int:
    """Apply a batch; how many duels the policy has learnt from."""
    for i in range(len(batch.seq)):
        expire(table, numbers, batch.at[i] - timeout)
        if batch.drawn[i]:
            row = numbers[SIZE]
            table.seq[row], table.at[row], table.told_by[row] = batch.seq[i], batch.at[i], 0
            table.order[row] = numbers[DRAWN_COUNT]
            table.left[row], table.right[row], table.t[row] = batch.left[i], batch.right[i], batch.t[i]
            table.left_p[row], table.right_p[row] = batch.left_p[i], batch.right_p[i]
            numbers[SIZE] += 1
            numbers[DRAWN_COUNT] += 1
            continue
        row = find(table.seq, numbers, batch.of[i])
        if row < 0:
            result[i] = MISSED
        elif table.told_by[row] != 0:
            numbers[REPEATED] += 1
            result[i] = AGAIN
        else:
            pair = whole_duel(table.left[row], table.right[row], table.t[row], table.left_p[row], table.right_p[row])
            update(policy, pair, batch.outcome[i], told + 1, rng)
            told += 1
            choose(policy, told + 1, spare)  # settle what is derived lazily; what it chooses is thrown away
            table.told_by[row] = batch.seq[i]
            told_after(numbers, table.order[row])
            if table.left[row] != table.right[row]:
                wins[table.left[row], table.right[row]] += batch.outcome[i]
                wins[table.right[row], table.left[row]] += 1.0 - batch.outcome[i]
    return told


@once
def compiled_fold(policy: type[Policy]) -> specialise:
    """The fold for one policy."""
    kernels = {"choose": policy.method("choose", kernel), "update": policy.method("update", kernel)}
    return specialise(fold, kernels, policy.name)


def duel_at(table: Table, row: int, arms: Sequence[str]) -> Duel:
    """A row as a duel of named arms."""
    left, right = arms[int(table.left[row])], arms[int(table.right[row])]
    return Duel(left, right, int(table.t[row]), float(table.left_p[row]), float(table.right_p[row]))
