"""Duels that are over, as columns: who met, how it ended, and who judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from duelist.clicks.records import BadRow, Rejected, number, seconds
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints

PAIRS = (("left", "right"), ("winner", "loser"))
OPTIONAL = ("outcome", "weight", "user", "time", "context")
COLUMNS = ("left", "right", "winner", "loser", *OPTIONAL)
TIES = ("tie", "draw", "tied", "equal", "same", "both", "neither", "none")
SHOWN = 200  # characters of a row that could not be read


@dataclass(frozen=True, eq=False)
class DuelLog:
    """Duels in the order they were made; arms are numbers of `arms`.

    >>> log = duel_log({"left": ["a", "b", "a"], "right": ["b", "c", "c"], "winner": ["a", "tie", "d"]})
    >>> log.arms, log.outcome.tolist(), [(row.line, row.reason) for row in log.rejected]
    (('a', 'b', 'c'), [1.0, 0.5], [(3, "column winner: 'd' is neither 'a' nor 'c', left, right or tie")])
    """

    arms: tuple[Any, ...]
    left: Ints
    right: Ints
    outcome: Floats  # 1 left wins, 0 right wins
    weight: Floats
    user: Ints  # a number for each user; -1 where nobody is named
    time: Floats | None = None  # seconds since 1970
    context: tuple[Any, ...] | None = None
    sided: bool = True  # whether left and right say where the arms stood
    settled: int = 0  # duels of an arm with itself, which compare nothing and are left out
    rejected: tuple[Rejected, ...] = ()

    def __len__(self) -> int:
        return len(self.left)

    @property
    def judge(self) -> Ints:
        """A number for each judge: a user, or each duel of which nobody is named for itself."""
        nobody = self.user < 0
        judge = self.user.copy()
        judge[nobody] = self.user.max(initial=-1) + 1 + np.arange(nobody.sum())
        return judge

    def take(self, chosen: Any) -> DuelLog:
        """Some of the duels, of the same arms; `chosen` are their places, or True for each that is taken."""
        columns = {name: getattr(self, name)[chosen] for name in ("left", "right", "outcome", "weight", "user")}
        time = None if self.time is None else self.time[chosen]
        context = None
        if self.context is not None:
            context = tuple(self.context[place] for place in np.arange(len(self))[chosen].tolist())
        return replace(self, **columns, time=time, context=context)

    def within(self, context: Any) -> DuelLog:
        """The duels of one context."""
        found = [] if self.context is None else [str(each) == str(context) for each in self.context]
        if not any(found):
            known = "none" if self.context is None else ", ".join(sorted({str(each) for each in self.context})[:12])
            raise BadInput(f"no duel has the context {context!r}; known: {known}")
        return self.take(np.array(found))


def duel_log(
    columns: Mapping[str, Sequence[Any]],
    rename: Mapping[str, str] | None = None,
    lines: Sequence[int] | None = None,
    rejected: Sequence[Rejected] = (),
    source: str = "these duels",
) -> DuelLog:
    """The log of columns `left, right` with `winner` or `outcome`, or of `winner, loser`; others as in `COLUMNS`.

    `rename` says which of your columns is which of ours, as `{"left": "model_a"}`; `lines` are the numbers that
    rows are named by, where they are not read one by one from 1.
    """
    given = _named(columns, rename or {}, source)
    size = len(next(iter(given.values())))
    reader = _Cells(size, lines if lines is not None else range(1, size + 1), source, list(rejected))
    sided = "left" in given
    first, second = PAIRS[0] if sided else PAIRS[1]
    left, right = reader.arms(first, given[first]), reader.arms(second, given[second])
    headers = tuple((rename or {}).get(name, name) for name in PAIRS[0])
    if "outcome" in given:
        outcome = reader.outcomes(given["outcome"], headers)
    elif sided:
        outcome = reader.winners(given["winner"], left, right, headers)
    else:
        outcome = np.ones(size)
    weight = reader.numbers("weight", given["weight"], _weight) if "weight" in given else np.ones(size)
    time = reader.numbers("time", given["time"], seconds) if "time" in given else None
    user = reader.users(given["user"]) if "user" in given else np.full(size, -1)
    context = tuple(given["context"]) if "context" in given else None
    kept = reader.good & (left != right)
    settled = int((reader.good & (left == right)).sum())
    order = np.flatnonzero(kept) if time is None else np.flatnonzero(kept)[np.argsort(time[kept], kind="stable")]
    reader.rejected.sort(key=lambda row: row.line)
    whole = DuelLog(
        tuple(reader.names), left, right, outcome, weight, user, time, context, sided, settled, tuple(reader.rejected)
    )
    return _only_met(whole.take(order))


def _only_met(log: DuelLog) -> DuelLog:
    """Without the arms that no row is left of."""
    met = np.zeros(len(log.arms), np.bool_)
    met[log.left] = met[log.right] = True
    place = np.cumsum(met) - 1
    arms = tuple(arm for arm, there in zip(log.arms, met, strict=True) if there)
    return replace(log, arms=arms, left=place[log.left], right=place[log.right])


def _named(columns: Mapping[str, Sequence[Any]], rename: Mapping[str, str], source: str) -> dict[str, Sequence[Any]]:
    """Our columns by our names, or an error that says what is there instead."""
    if unknown := [name for name in rename if name not in COLUMNS]:
        raise BadInput(f"there is no column {unknown[0]!r} to be named; ours are {', '.join(COLUMNS)}")
    if absent := [name for name in rename.values() if name not in columns]:
        raise BadInput(f"{source} has no column {absent[0]!r}; it has {', '.join(map(repr, columns)) or 'none'}")
    given = {name: columns[rename.get(name, name)] for name in COLUMNS if rename.get(name, name) in columns}
    both = {"left", "right"} <= given.keys() and given.keys() & {"winner", "outcome"}
    if not (both or {"winner", "loser"} <= given.keys()):
        found = ", ".join(map(repr, columns)) or "none"
        raise BadInput(
            f"{source} must have the columns left, right and winner or outcome, or winner and loser; it has {found}"
        )
    if not both:
        given.pop("left", None)
        given.pop("right", None)
    return given


class _Cells:
    """Reads cells column by column; what cannot be read is rejected with its line and column."""

    def __init__(self, size: int, lines: Sequence[int], source: str, rejected: list[Rejected]) -> None:
        self.lines, self.source, self.rejected = lines, source, rejected
        self.good = np.ones(size, np.bool_)
        self.names: dict[Any, int] = {}

    def reject(self, place: int, reason: str, cell: Any) -> None:
        if self.good[place]:
            self.rejected.append(Rejected(int(self.lines[place]), reason, str(cell)[:SHOWN], self.source))
        self.good[place] = False

    def arms(self, column: str, cells: Sequence[Any]) -> Ints:
        """The number of each arm; arms are numbered as they come."""
        codes = np.zeros(len(cells), np.int64)
        known: dict[Any, int] = {}
        for place, cell in enumerate(cells):
            code = known.get(cell)
            if code is None:
                code = -1 if _is_missing(cell) else self.names.setdefault(_clean(cell), len(self.names))
                known[cell] = code
            codes[place] = code
            if code < 0:
                self.reject(place, f"column {column}: no arm", cell)
        return np.maximum(codes, 0)

    def users(self, cells: Sequence[Any]) -> Ints:
        """A number for each user, -1 for nobody."""
        known: dict[Any, int] = {}
        return np.array([-1 if _is_missing(cell) else known.setdefault(cell, len(known)) for cell in cells], np.int64)

    def numbers(self, column: str, cells: Sequence[Any], read: Any) -> Floats:
        """Each cell as a number, read by `read`; the same cell is read once."""
        known: dict[Any, Any] = {}
        found = np.zeros(len(cells))
        for place, cell in enumerate(cells):
            value = known.get(cell)
            if value is None:
                try:
                    value = read(cell)
                except BadRow as error:
                    value = str(error)
                known[cell] = value
            if isinstance(value, str):
                self.reject(place, f"column {column}: {value}", cell)
            else:
                found[place] = value
        return found

    def outcomes(self, cells: Sequence[Any], headers: Sequence[str]) -> Floats:
        words = _words(headers)

        def read(cell: Any) -> float:
            if isinstance(cell, str) and _clean(cell).lower() in words:
                return words[_clean(cell).lower()]
            try:
                value = number("outcome", cell)
            except BadRow:
                value = -1.0
            if not 0 <= value <= 1:
                raise BadRow(f"{cell!r} is no outcome: a number from 0 (right wins) to 1 (left wins), left, right, tie")
            return value

        return self.numbers("outcome", cells, read)

    def winners(self, cells: Sequence[Any], left: Ints, right: Ints, headers: Sequence[str]) -> Floats:
        """1 where the winner is the left arm: by the arm's name, or a word for the side."""
        words, arms = _words(headers), list(self.names)
        codes = {cell: self.names.get(_clean(cell), -1) for cell in dict.fromkeys(cells)}
        won = np.array([codes[cell] for cell in cells], np.int64)
        outcome = np.where(won == left, 1.0, 0.0)
        for place in np.flatnonzero((won != left) & (won != right)).tolist():
            word = words.get(str(_clean(cells[place])).lower()) if isinstance(cells[place], str) else None
            if word is None:
                first, second = arms[left[place]], arms[right[place]]
                reason = f"{cells[place]!r} is neither {first!r} nor {second!r}, left, right or tie"
                self.reject(place, f"column winner: {reason}", cells[place])
            else:
                outcome[place] = word
        return outcome


def _words(headers: Sequence[str]) -> dict[str, float]:
    sides = {"left": 1.0, "right": 0.0, headers[0].lower(): 1.0, headers[1].lower(): 0.0}
    return {**dict.fromkeys(TIES, 0.5), "tie (bothbad)": 0.5, **sides}


def _weight(cell: Any) -> float:
    value = number("weight", cell)
    if value < 0:
        raise BadRow(f"weight must be at least 0, not {cell!r}")
    return value


def _clean(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip()) or cell != cell  # NaN differs from itself
