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
from duelist.live.events import DRAWN, DUEL, DUELS, OUTCOME, OUTCOMES, Pair
from duelist.storage.journal import Event

ASKED, AGAIN, MISSED = -1, -2, -3  # what became of an event that teaches nothing
KEPT = 50  # duels and lists that were learnt from last, to look at
LONG = 64  # duels that are worth a loop of their own
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


class Folded(NamedTuple):
    """What became of a batch."""

    repeated: list[int]  # places of tells of a duel that was told before
    missed: list[int]  # of tells that came too late
    told: list[tuple[int, int, float]]  # the last that were learnt from: the ask, the tell, the outcome


class Duels:
    """What became of the duels of one experiment, and the policy that learns from them."""

    def __init__(self, policy: Policy, timeout: int) -> None:
        self.policy, self.timeout = policy, timeout  # microseconds
        self.numbers = np.zeros(7, np.int64)
        self.shown = np.zeros(policy.n_arms, np.int64)  # how often each arm was drawn, on either side
        self.table = _room(64)
        self._one = _batch([Event(0, 0, 0, DRAWN, DUEL.pack(0, 0, 0, 0.0, 0.0), b"", "")])
        self._enter: Any = None  # machine code: finding it by types takes longer than running it
        policy._settle()  # so that what is learnt never depends on whether somebody asked

    @property
    def open(self) -> int:
        """How many wait for their outcome."""
        drawn, told, _, expired = self.numbers[:4].tolist()
        return int(drawn - told - expired)

    @property
    def drawn(self) -> int:
        """How many there were."""
        return int(self.numbers[DRAWN_COUNT])

    @property
    def lag(self) -> float:
        """How many duels were drawn between drawing one and learning from it, of late."""
        return float(self.numbers[LAG]) / 1024

    def fold(self, events: Sequence[Event], wins: Floats) -> Folded:
        """Apply drawn and told events and count them in `wins`."""
        batch = self._alone(events[0]) if len(events) == 1 else _batch(events)
        self._make_room(len(events))
        rows = np.zeros(len(events), np.int64)
        arguments = (self.table, self.numbers, batch, wins, self.shown, self.timeout, rows)
        if self._enter is None:
            self._enter = entering().entry(*arguments)
        self._enter(*arguments)
        return self._folded_alone(rows, batch) if len(rows) == 1 else self._folded(rows, batch)

    def _folded_alone(self, rows: Ints, batch: Batch) -> Folded:
        """The same as of many: live, most come alone, and looking for places takes longer than they do."""
        row = int(rows[0])
        if row < 0:
            return Folded([0] if row == AGAIN else [], [0] if row == MISSED else [], [])
        self._teach(rows, batch.outcome)
        return Folded([], [], [(int(batch.of[0]), int(batch.seq[0]), float(batch.outcome[0]))])

    def _folded(self, rows: Ints, batch: Batch) -> Folded:
        taught, told = np.flatnonzero(rows >= 0), list[tuple[int, int, float]]()
        if len(taught):
            self._teach(rows[taught], batch.outcome[taught])
            last = taught[-KEPT:]
            columns = (batch.of[last].tolist(), batch.seq[last].tolist(), batch.outcome[last].tolist())
            told = list(zip(*columns, strict=True))
        return Folded(np.flatnonzero(rows == AGAIN).tolist(), np.flatnonzero(rows == MISSED).tolist(), told)

    def _teach(self, rows: Ints, outcomes: Floats) -> None:
        """Let the policy learn; long lists by a loop that is compiled for them, which comes to the same bits."""
        policy = self.policy
        if len(rows) >= LONG:
            loop = compiled_lessons(type(policy))
            policy.told = int(loop(policy.memory, self.table, rows, outcomes, policy.told, policy.rng, policy._spare))
            return
        update = policy.live().update
        for row, outcome in zip(rows.tolist(), outcomes.tolist(), strict=True):
            update(policy.memory, _duel(self.table, row), outcome, policy.told + 1, policy.rng)
            policy.told += 1
            policy._settle()

    def _alone(self, event: Event) -> Batch:
        """A batch of one, which is written over by the next: live, most are."""
        batch, drawn = self._one, event.kind == DRAWN
        batch.drawn[0], batch.seq[0], batch.at[0] = drawn, event.seq, event.at
        if drawn:
            values = DUEL.unpack_from(event.body)
            batch.left[0], batch.right[0], batch.t[0], batch.left_p[0], batch.right_p[0] = values
        else:
            batch.of[0], batch.outcome[0] = OUTCOME.unpack(event.body)
        return batch

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
        numbers = self.numbers.copy()
        numbers[FIRST], numbers[SIZE] = 0, size - first  # where in memory they are is nobody's business
        return {"numbers": numbers, "shown": self.shown.copy(), **rows}

    def restore(self, record: dict[str, Any]) -> None:
        """Go on from a record."""
        size = len(record["seq"])
        self.table = _room(max(64, size))
        for name in COLUMNS:
            getattr(self.table, name)[:size] = record[name]
        self.numbers[:] = record["numbers"]
        if "shown" in record:  # not in those of older code, which may be adopted
            self.shown[:] = record["shown"]

    def _make_room(self, more: int) -> None:
        if self.numbers[SIZE] + more <= len(self.table.seq):
            return
        first, size = self.numbers[[FIRST, SIZE]].tolist()
        kept = self.table
        self.table = _room(max(64, 2 * (size - first + more)))
        for name in COLUMNS:
            getattr(self.table, name)[: size - first] = getattr(kept, name)[first:size]
        self.numbers[FIRST], self.numbers[SIZE] = 0, size - first


def _room(size: int) -> Table:
    return Table._make(np.zeros(size, np.float64 if name.endswith("_p") else np.int64) for name in COLUMNS)


def _batch(events: Sequence[Event]) -> Batch:
    drawn = np.array([event.kind == DRAWN for event in events], np.bool_)
    asked = np.frombuffer(b"".join([event.body[: DUEL.size] for event in events if event.kind == DRAWN]), DUELS)
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


def enter(table: Any, numbers: Ints, batch: Any, wins: Floats, shown: Ints, timeout: int, rows: Ints) -> None:
    """Enter a batch into the table. `rows` says which row each tell is of, or what else became of the event."""
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
            shown[batch.left[i]] += 1
            shown[batch.right[i]] += 1
            rows[i] = ASKED
            continue
        row = find(table.seq, numbers, batch.of[i])
        if row < 0:
            rows[i] = MISSED
        elif table.told_by[row] != 0:
            numbers[REPEATED] += 1
            rows[i] = AGAIN
        else:
            rows[i] = row
            table.told_by[row] = batch.seq[i]
            told_after(numbers, table.order[row])
            if table.left[row] != table.right[row]:
                wins[table.left[row], table.right[row]] += batch.outcome[i]
                wins[table.right[row], table.left[row]] += 1.0 - batch.outcome[i]


@once
def entering() -> specialise:
    """`enter`, compiled."""
    return specialise(enter, {}, "duels")


def lessons(
    policy: Any,
    table: Any,
    rows: Ints,
    outcomes: Floats,
    told: int,
    rng: np.random.Generator,
    spare: np.random.Generator,
) -> int:
    """Learn from the duels in these rows; how many were learnt from in all."""
    for i in range(len(rows)):
        row = rows[i]
        pair = whole_duel(table.left[row], table.right[row], table.t[row], table.left_p[row], table.right_p[row])
        update(policy, pair, outcomes[i], told + 1, rng)
        told += 1
        choose(policy, told + 1, spare)  # settle what is derived lazily; what it chooses is thrown away
    return told


@once
def compiled_lessons(policy: type[Policy]) -> specialise:
    """The loop for one policy."""
    kernels = {"choose": policy.method("choose", kernel), "update": policy.method("update", kernel)}
    return specialise(lessons, kernels, policy.name)


def _duel(table: Table, row: int) -> Duel:
    """A row as kernels know it."""
    left, right, t = int(table.left[row]), int(table.right[row]), int(table.t[row])
    return Duel(left, right, t, float(table.left_p[row]), float(table.right_p[row]), 0)


def duel_at(table: Table, row: int, arms: Sequence[str]) -> Duel:
    """A row as a duel of named arms."""
    duel = _duel(table, row)
    return duel._replace(left=arms[duel.left], right=arms[duel.right], id="")
