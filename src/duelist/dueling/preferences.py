"""What a preference matrix says: who wins, and which assumptions hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats

TOLERANCE = 1e-9  # of P + P^T = 1, as text files carry few digits


def check_matrix(values: Any, source: str = "the matrix") -> Floats:
    """A preference matrix as floats, or an error that names the first bad cell.

    >>> check_matrix([[0.5, 0.7], [0.4, 0.5]])
    Traceback (most recent call last):
    ...
    duelist.core.errors.BadInput: the matrix: P[0, 1] + P[1, 0] must be 1, but 0.7 + 0.4 is 1.1
    """
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have no order")
        matrix = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise BadInput(f"{source}: every cell must be a number: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise BadInput(f"{source} must be square with at least 2 arms, but its shape is {matrix.shape}")
    if (cell := _first(~((matrix >= 0) & (matrix <= 1)))) is not None:
        raise BadInput(f"{source}: P[{cell[0]}, {cell[1]}] must be from 0 to 1, not {matrix[cell]:.12g}")
    if (cell := _first(np.abs(matrix + matrix.T - 1) > TOLERANCE)) is not None:
        (i, j), p, q = cell, matrix[cell], matrix.T[cell]
        if i == j:
            raise BadInput(f"{source}: P[{i}, {i}] must be 0.5, not {p:.12g}")
        raise BadInput(f"{source}: P[{i}, {j}] + P[{j}, {i}] must be 1, but {p:.12g} + {q:.12g} is {p + q:.12g}")
    return matrix


def read_matrix(path: str | Path) -> Floats:
    """A preference matrix from .txt (spaces), .csv (commas), .npy or .npz (one square array)."""
    return read_named_matrix(path)[0]


def read_named_matrix(path: str | Path) -> tuple[Floats, list[str]]:
    """The same with the names of the arms: the first line of a text file may have them, and rows may begin with them.

    Without such a line there are no names.
    """
    path = Path(path)
    if not path.is_file():
        raise BadInput(f"no matrix file {str(path)!r}")
    try:
        in_text = path.suffix.lower() not in (".npy", ".npz")
        cells, names = _read_text(path) if in_text else (_read_array(path), [])
    except BadInput:
        raise
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise BadInput(f"cannot read {path}: {error}") from None
    matrix = check_matrix(cells, str(path))
    return matrix, check_names(names, len(matrix), str(path))


def check_names(names: Sequence[Any], n_arms: int, source: str = "the matrix") -> list[str]:
    """The names of the arms as text: none, or a different one for each."""
    found = [str(name) for name in names]
    if found and (len(found) != n_arms or len(set(found)) != n_arms):
        raise BadInput(f"{source}: {n_arms} arms need as many different names, not {', '.join(found)}")
    return found


def _read_array(path: Path) -> Any:
    with path.open("rb") as file:  # numpy leaves it open when it is no archive
        loaded: Any = np.load(file)
        if isinstance(loaded, np.ndarray):
            return loaded
        square = [array for array in loaded.values() if array.ndim == 2]
        if len(square) != 1:
            raise BadInput(f"{path} must hold one two-dimensional array, but holds {loaded.files}")
        return square[0]


def _read_text(path: Path) -> tuple[list[list[float]], list[str]]:
    rows: list[list[float]] = []
    names: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        text = line.split("#")[0].strip().rstrip(",;")
        if text and not rows and not names and not any(map(_is_number, _split_names(text))):
            names = _split_names(text)
            continue
        row = _read_row(text, bool(names), f"{path}, line {number}")
        if row and rows and len(row) != len(rows[0]):
            raise BadInput(f"{path}, line {number}: {len(row)} cells, but {len(rows[0])} in the first row")
        rows += [row] if row else []
    corner = bool(rows) and len(names) == len(rows[0]) + 1  # above the names that rows begin with
    return rows, names[corner:]


def _read_row(text: str, named: bool, where: str) -> list[float]:
    """The numbers of a line, which may begin with the name of its arm where arms have names."""
    cells = _split(text)
    if named and cells and not _is_number(cells[0]):
        cells = _split_names(text)[1:]
    bad = next((cell for cell in cells if not _is_number(cell)), None)
    if bad is not None:
        raise BadInput(f"{where}: {bad!r} is not a number")
    return [float(cell) for cell in cells]


def _split(text: str) -> list[str]:
    return re.split(r"\s*[,;]\s*|\s+", text) if text else []


def _split_names(text: str) -> list[str]:
    """Names may contain spaces where commas separate them."""
    cells = re.split(r"\s*[,;]\s*", text) if re.search("[,;]", text) else text.split()
    return [cell.strip("\"'") for cell in cells]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _first(bad: Any) -> tuple[int, int] | None:
    cells = np.argwhere(bad)
    return (int(cells[0, 0]), int(cells[0, 1])) if len(cells) else None


def _beats(matrix: Floats) -> Flags:
    """Who beats whom; a pair within rounding errors of 1/2 is tied."""
    return np.asarray(matrix > 0.5 + TOLERANCE)


def copeland_scores(matrix: Floats) -> Floats:
    """How many arms each arm beats, as a share of the others; ties count nothing."""
    return np.asarray(_beats(matrix).sum(1) / (len(matrix) - 1))


def borda_scores(matrix: Floats) -> Floats:
    """Each arm's chance against a random other arm (the diagonal excluded)."""
    return np.asarray((matrix.sum(1) - matrix.diagonal()) / (len(matrix) - 1))


def condorcet_winner(matrix: Floats) -> int | None:
    """The arm that beats every other arm, if there is one."""
    winners = np.flatnonzero(_beats(matrix).sum(1) == len(matrix) - 1)
    return int(winners[0]) if len(winners) else None


def reference_arm(matrix: Floats) -> int:
    """The arm that strong regret is taken against.

    The Condorcet winner; without one, the Copeland winner, of several the one with
    the highest Borda score.
    """
    order = np.lexsort((borda_scores(matrix), copeland_scores(matrix)))
    return int(order[-1])


def empirical_best(wins: Floats) -> int:
    """The reference arm of the observed shares; an unseen pair counts as a tie."""
    duels = wins + wins.T
    return reference_arm(np.where(duels > 0, wins / np.maximum(duels, 1e-300), 0.5))


@dataclass(frozen=True)
class Preferences:
    """The winners of a matrix and the assumptions it satisfies.

    >>> import numpy as np
    >>> facts = Preferences.of(np.array([[.5, .6, .7], [.4, .5, .6], [.3, .4, .5]]))
    >>> facts.condorcet, facts.smallest_gap, facts.stochastic_triangle_inequality
    (0, 0.1, True)
    """

    n_arms: int
    condorcet: int | None
    copeland: list[int]
    borda: list[int]
    total_order: bool  # some order of the arms has every earlier arm beat every later one
    strong_transitivity: bool  # SST along an order that no pair contradicts; False without one
    stochastic_triangle_inequality: bool  # STI, likewise
    ties: int  # pairs at exactly 1/2
    smallest_gap: float  # of the reference arm to another arm, in |P - 1/2|
    arms: Sequence[str] = ()  # their names, where they have some

    @classmethod
    def of(cls, matrix: Floats, arms: Sequence[str] = ()) -> Preferences:
        order = _order(matrix)
        gaps = np.abs(np.delete(matrix[reference_arm(matrix)], reference_arm(matrix)) - 0.5)
        upper = np.triu_indices(len(matrix), 1)
        ties = int((np.abs(matrix[upper] - 0.5) <= TOLERANCE).sum())
        return cls(
            n_arms=len(matrix),
            condorcet=condorcet_winner(matrix),
            copeland=maximisers(copeland_scores(matrix)),
            borda=maximisers(borda_scores(matrix)),
            total_order=order is not None and ties == 0,
            strong_transitivity=order is not None and _holds_sst(matrix[np.ix_(order, order)] - 0.5),
            stochastic_triangle_inequality=order is not None and _holds_sti(matrix[np.ix_(order, order)] - 0.5),
            ties=ties,
            smallest_gap=round(float(gaps.min()), 12),
            arms=list(arms),
        )

    def __str__(self) -> str:
        winner = "none" if self.condorcet is None else f"{self._listed([self.condorcet])} (beats every other arm)"
        yes = {True: "yes", False: "no"}
        lines = (
            ("arms", f"{self.n_arms}, " + (_shortened(self.arms) if self.arms else "counted from 0")),
            ("Condorcet winner", winner),
            ("Copeland winners", f"{self._listed(self.copeland)} (beat the most arms)"),
            ("Borda winners", f"{self._listed(self.borda)} (best against a random arm)"),
            ("smallest gap", f"{self.smallest_gap:g} (of the winner to another arm)"),
            ("ties", f"{self.ties} pair{'s' * (self.ties != 1)} at exactly 1/2"),
            ("total order", yes[self.total_order]),
            ("SST", f"{yes[self.strong_transitivity]} (strong stochastic transitivity)"),
            ("STI", f"{yes[self.stochastic_triangle_inequality]} (stochastic triangle inequality)"),
        )
        return "\n".join(f"  {label:<18}{text}" for label, text in lines)

    def _listed(self, arms: list[int]) -> str:
        """Arms by their names, or by their numbers."""
        if self.arms:
            return _shortened([self.arms[arm] for arm in arms])
        return f"arm{'s' * (len(arms) > 1)} {_shortened([str(arm) for arm in arms])}"


def _shortened(words: Sequence[str]) -> str:
    return ", ".join(words[:8]) + (", ..." if len(words) > 8 else "")


def maximisers(scores: Floats) -> list[int]:
    """The arms of the highest score."""
    return [int(i) for i in np.flatnonzero(scores >= scores.max() - TOLERANCE)]


def _order(matrix: Floats) -> Any:
    """The arms from best to worst when no pair contradicts that order, else None.

    Of several such orders, the one that puts more wins and then the higher Borda score first.
    """
    beats, order = _beats(matrix), []
    left = list(np.lexsort((-borda_scores(matrix), -beats.sum(1))))
    while left:
        unbeaten = next((arm for arm in left if not beats[left, arm].any()), None)
        if unbeaten is None:
            return None
        order.append(unbeaten)
        left.remove(unbeaten)
    return order


def _holds_sst(gap: Floats) -> bool:
    """gap[i, k] >= max(gap[i, j], gap[j, k]) for i < j < k."""
    return all((ik >= np.maximum(ij, jk) - TOLERANCE).all() for ij, jk, ik in _triples(gap))


def _holds_sti(gap: Floats) -> bool:
    """gap[i, k] <= gap[i, j] + gap[j, k] for i < j < k."""
    return all((ik <= ij + jk + TOLERANCE).all() for ij, jk, ik in _triples(gap))


def _triples(gap: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """gap[i, j], gap[j, k] and gap[i, k] of all i < j < k, one j at a time."""
    for j in range(1, len(gap) - 1):
        yield gap[:j, j, None], gap[None, j, j + 1 :], gap[:j, j + 1 :]
