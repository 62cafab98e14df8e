"""Who would win in a draw from the posterior, without drawing it.

Thompson policies draw a chance for every pair from Beta(wins + 1, losses + 1) and often
look only at which side of 1/2 it falls. That sign is a coin, whose bias moves by a closed
term when the pair duels: with f the density of Beta(a, b) at 1/2,

    P(Beta(a + 1, b) > 1/2) = P(Beta(a, b) > 1/2) + f / (4 a),

and the next density is f (a + b) / (2 a). Both hold for any a and b, so wins and losses
cost a few operations after ties and graded outcomes too; those themselves, which move a
and b by fractions, are summed up afresh, as exactly.
"""

from __future__ import annotations

import math

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Floats, per_pair

VANISHING = 1e-290  # a density below it is computed afresh: products that underflowed stay zero


class Signs(Declared):
    """For each pair, the chance that a draw from its posterior is above 1/2."""

    chance: Floats = per_pair(fill=0.5)  # chance[i, j]: that Beta(wins[i, j] + 1, wins[j, i] + 1) > 1/2
    density: Floats = per_pair(fill=1)  # of that Beta at 1/2, the same for [j, i]


@kernel
def tell_signs(signs: Signs, wins: Floats, left: int, right: int, outcome: float) -> None:
    """Follow a duel between two different arms, which `wins` already counts."""
    won, lost = wins[left, right] + 1.0, wins[right, left] + 1.0
    density = signs.density[left, right]
    if density < VANISHING or (outcome != 0.0 and outcome != 1.0):
        set_sign(signs, left, right, won, lost)
        return
    before = (won if outcome == 1.0 else lost) - 1.0  # the winner's count until now
    step = (2.0 * outcome - 1.0) * density / (4.0 * before)
    chance = min(max(signs.chance[left, right] + step, 0.0), 1.0)  # rounding errors may leave [0, 1]
    density *= (won + lost - 1.0) / (2.0 * before)
    signs.chance[left, right], signs.chance[right, left] = chance, 1.0 - chance
    signs.density[left, right] = signs.density[right, left] = density


@kernel
def set_sign(signs: Signs, left: int, right: int, won: float, lost: float) -> None:
    """Compute the chance that Beta(won, lost) > 1/2 afresh, in O(sqrt(won + lost)) operations."""
    density = math.exp(log_density(won, lost))
    # The smaller tail is density / (4 most) F(won + lost, 1; most + 1; 1/2), a sum of positive terms.
    most = max(won, lost)
    term, total, k = 1.0, 0.0, 0
    while term > 1e-17 * total:
        total += term
        term *= 0.5 * (won + lost + k) / (most + 1.0 + k)
        k += 1
    tail = min(density * total / (4.0 * most), 0.5)
    signs.chance[left, right] = 1.0 - tail if won > lost else tail
    signs.chance[right, left] = tail if won > lost else 1.0 - tail
    signs.density[left, right] = signs.density[right, left] = density


@kernel
def log_density(a: float, b: float) -> float:
    """ln of the density of Beta(a, b) at 1/2, for a and b of at least 1."""
    n, lean = a + b, (a - b) / (a + b)
    divergence = a * math.log1p(lean) + b * math.log1p(-lean)
    return 0.5 * math.log(8.0 * a * b / (math.pi * n)) - divergence + stirling(n) - stirling(a) - stirling(b)


@kernel
def stirling(z: float) -> float:
    """What Stirling's formula lacks: ln Gamma(z) - (z - 1/2) ln z + z - ln(2 pi) / 2."""
    low = 0.0
    while z < 12.0:  # below, the series is not exact to 15 digits
        low += (z + 0.5) * math.log1p(1.0 / z) - 1.0
        z += 1.0
    y = 1.0 / (z * z)
    return low + (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / z
