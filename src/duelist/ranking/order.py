"""Who can be placed, who surely beats whom, and what follows from that."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.memory import Flags, Floats
from duelist.ranking.strengths import Cells

ABOVE = "never lost to those that are placed: no upper limit"
BELOW = "never won against those that are placed: no lower limit"
APART = "not compared with those that are placed, not even through others"


def placed_arms(cells: Cells) -> Flags:
    """The arms whose strengths have a finite answer together: each has won something, by a chain, from each.

    Where not all arms have, those of the largest such group (Ford. Solution of a ranking problem from binary
    comparisons. American Mathematical Monthly 1957).
    """
    scored = _scored(cells)
    count, group = _circles(scored)
    duels = cells.duels.sum(0) + cells.duels.sum(1)
    sizes = [((group == each).sum(), duels[group == each].sum()) for each in range(count)]
    return np.asarray(group == max(range(count), key=lambda each: sizes[each]))


def reasons(cells: Cells, placed: Flags) -> list[str]:
    """Why each arm cannot be placed; empty for those that are."""
    scored = _scored(cells)
    above = _reaching(scored, placed)
    below = _reaching(scored.T, placed)
    found = []
    for arm, here in enumerate(placed):
        found.append("" if here else ABOVE if above[arm] else BELOW if below[arm] else APART)
    return found


def _circles(links: Flags) -> Any:
    """How many groups there are in which links lead from each arm to each, and the group of every arm."""
    graph = scipy.sparse.csr_matrix(links.astype(np.int8))
    return scipy.sparse.csgraph.connected_components(graph, connection="strong")


def _scored(cells: Cells) -> Flags:
    lost = cells.weight - cells.won
    return np.asarray((cells.won > 0) | (lost.T > 0))


def _reaching(links: Flags, targets: Flags) -> Flags:
    """The arms from which links lead to a target."""
    found = targets.copy()
    while True:
        more = found | (links & found[None, :]).any(1)
        if (more == found).all():
            return found
        found = more


def implied_limits(high: Floats) -> Floats:
    """The least upper limits of all differences x_i - x_j, from limits `high[i, j]` of some (inf: none).

    A chain of limits is one: the least are the shortest paths. Where a chain leads from an arm below itself no
    numbers keep all limits, and the diagonal is negative there.

    >>> high = np.array([[0, 1, np.inf], [0, 0, 1], [np.inf, 0, 0]])
    >>> implied_limits(high)[0, 2]
    np.float64(2.0)
    """
    least = high.astype(np.float64)
    np.fill_diagonal(least, np.minimum(np.diagonal(least), 0.0))
    for through in range(len(least)):
        np.minimum(least, least[:, through, None] + least[None, through], out=least)
    return least


class Circles(NamedTuple):
    """Arms that beat each other in a circle, although no order allows it."""

    triples: int  # circles of three
    examples: tuple[tuple[int, ...], ...]  # three of them, or else the arms of a longer one


def find_circles(beats: Flags) -> Circles:
    """The circles of "surely beats".

    >>> find_circles(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], bool))
    Circles(triples=1, examples=((0, 1, 2),))
    """
    table = beats.astype(np.float64)
    two = table @ table
    count = round(float((two * table.T).sum()) / 3)
    examples: dict[tuple[int, ...], None] = {}
    for first, third in np.argwhere((two * table.T) > 0)[:60].tolist():
        second = int(np.flatnonzero(beats[first] & beats[:, third])[0])
        least = min(first, second, third)
        around: list[Any] = [first, second, third]
        turn = around.index(least)
        examples[tuple(around[turn:] + around[:turn])] = None
    if not count:
        groups, group = _circles(beats)
        longer = [tuple(np.flatnonzero(group == each).tolist()) for each in range(groups)]
        examples = dict.fromkeys(each for each in longer if len(each) > 1)
    return Circles(count, tuple(examples)[:3])
