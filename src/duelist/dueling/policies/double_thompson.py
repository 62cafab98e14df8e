"""Double Thompson Sampling: D-TS and D-TS+.

Wu, Liu. Double Thompson Sampling for Dueling Bandits. NeurIPS 2016.

Both draws are made lazily and stay exact. The first looks only at which side of 1/2 the
chances fall on, so only these signs are drawn, and those of an arm only while it can still
win. The second draws signs too, and values only among several positive ones.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, Ints, holds, parameter, scratch, single
from duelist.dueling.clock import Clock, advance, start_clock, tell_clock
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import borda_scores, copeland_scores
from duelist.dueling.signs import Signs, tell_signs

SMALL = np.int16  # for numbers of arms, where all are gone through for each of them: that stays in a GPU's cache
FEW = 16  # duels of a pair up to which a uniform draw is accepted soon


class DoubleThompson(Policy):
    """Duel the Copeland winner of one posterior draw against its best challenger of another.

    Needs: nothing; Copeland winners always exist.
    Horizon: not needed.
    Regret: O(K^2 ln T) in Copeland regret; O(K ln T + K^2 ln ln T) with a Condorcet winner.
    Departs: nowhere; signs of draws instead of draws, which chooses the same pairs with the same chances.
    Ties: half a win each.

    >>> policy = DoubleThompson(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "all"

    name = "d-ts"
    view = "copeland"

    alpha: float = parameter(0.51, "width of the confidence intervals; the regret bound needs more than 1/2", above=0)
    clock: Clock = holds(Clock)  # wins, and who is confidently beaten
    signs: Signs = holds(Signs)  # chances that a draw is above 1/2
    leader: Ints = single(int)  # the last champion: whose row is drawn first changes the speed only
    losses: Ints = scratch(lambda k: (k,), SMALL)  # of each arm among the signs drawn; ~losses once its row is
    beats: Flags = scratch(lambda k: (k, k), bool)  # the signs drawn, where they are kept
    positive: Ints = scratch(lambda k: (k,), SMALL)  # challengers whose second draw is above 1/2

    def start(self, rng: np.random.Generator) -> None:
        start_clock(self.clock)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        advance(self.clock, math.log(t))
        champion, _ = draw_champion(self, False, rng)
        return Duel(champion, draw_challenger(self, champion, rng), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.leader[0] = duel.left
        if duel.left != duel.right:
            tell_clock(self.clock, duel.left, duel.right, outcome, self.alpha)
            tell_signs(self.signs, self.clock.wins, duel.left, duel.right, outcome)

    def best_arm(self) -> int:
        wins = self.clock.wins
        share = np.where(wins + wins.T > 0, wins / np.maximum(wins + wins.T, 1e-300), 0.5)
        # Of the candidates: elsewhere a few lucky duels make a high score.
        order = np.lexsort((borda_scores(share), copeland_scores(share), -self.clock.beaten_by))
        return int(order[-1])


class DoubleThompsonPlus(DoubleThompson):
    """D-TS that settles ties among possible champions by the regret they are about to cost.

    Needs: nothing; Copeland winners always exist.
    Horizon: not needed.
    Regret: that of D-TS; the paper reports less in experiments.
    Departs: nowhere; the regret is estimated against the best drawn score of all arms, where the authors' code
    takes the best candidate's. Equal estimates, on which paper and code are silent, are settled at random.
    Ties: half a win each.

    >>> policy = DoubleThompsonPlus(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "d-ts+"

    cost: Floats = scratch(lambda k: (k,))  # estimated regret of each possible champion

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        advance(self.clock, math.log(t))
        champion, ties = draw_champion(self, True, rng)
        if ties > 1:
            champion = cheapest(self, champion, rng)
        return Duel(champion, draw_challenger(self, champion, rng), t)


@kernel
def draw_champion(self: DoubleThompson, keep: bool, rng: np.random.Generator) -> tuple[int, int]:
    """The candidate that wins most of a drawn tournament, at random among ties; and how many tied.

    `keep` says whether somebody will look at the signs drawn.
    """
    least, alone = self.n_arms, 0
    for arm in range(self.n_arms):
        self.losses[arm] = 0
        if self.clock.beaten_by[arm] < least:
            least, alone = self.clock.beaten_by[arm], arm
        elif self.clock.beaten_by[arm] == least:
            alone = -1
    if alone >= 0:
        return alone, 1
    champion, fewest, ties = 0, self.n_arms, 0
    for place in range(-1, self.n_arms):
        arm = place if place >= 0 else self.leader[0]
        if self.clock.beaten_by[arm] > least or self.losses[arm] > fewest or self.losses[arm] < 0:
            continue  # no candidate, out of reach, or the leader again
        lost = draw_row(self, arm, keep, rng)
        if lost < fewest:
            champion, fewest, ties = arm, lost, 1
        elif lost == fewest:
            ties += 1
            if rng.random() * ties < 1.0:
                champion = arm
    return champion, ties


@kernel
def draw_row(self: DoubleThompson, arm: int, keep: bool, rng: np.random.Generator) -> int:
    """Draw for `arm` against everybody whose row is not drawn; all its losses."""
    lost = self.losses[arm]
    self.losses[arm] = -1  # passed by
    for other in range(self.n_arms):
        theirs = self.losses[other]
        if theirs >= 0:
            won = rng.random() < self.signs.chance[arm, other]
            if keep:
                self.beats[arm, other], self.beats[other, arm] = won, not won
            self.losses[other] = theirs + won
            lost += not won
    self.losses[arm] = ~lost
    return int(lost)


@kernel
def draw_challenger(self: DoubleThompson, champion: int, rng: np.random.Generator) -> int:
    """The arm of the highest second draw against `champion`, of those that do not confidently beat it."""
    n_positive = 0
    for arm in range(self.n_arms):
        if (
            rng.random() >= self.signs.chance[champion, arm]
            and self.clock.release[arm * self.n_arms + champion] <= self.clock.now[0]
            and arm != champion
        ):
            self.positive[n_positive] = arm
            n_positive += 1
    if n_positive == 0:
        return champion  # its draw against itself is 1/2
    challenger, highest = self.positive[0], 0.0
    if n_positive > 1:
        for place in range(n_positive):
            value = draw_above_half(self, self.positive[place], champion, rng)
            if value > highest:
                challenger, highest = self.positive[place], value
    return int(challenger)


@kernel
def draw_above_half(self: DoubleThompson, arm: int, other: int, rng: np.random.Generator) -> float:
    """A draw of the chance that `arm` beats `other`, given that it is above 1/2."""
    won, lost = self.clock.wins[arm, other], self.clock.wins[other, arm]
    if won + lost < FEW:
        return draw_from_few(won, lost, rng)
    if self.signs.chance[arm, other] > 0.3:
        value = rng.beta(won + 1.0, lost + 1.0)
        while value <= 0.5:
            value = rng.beta(won + 1.0, lost + 1.0)
        return float(value)
    # In the tail: the density is log-concave, so below the exponential that touches it at 1/2.
    while True:
        excess = rng.standard_exponential() / (lost - won)  # of twice the value over 1
        if excess < 1.0:
            gap = (lost - won) * excess + won * math.log1p(excess) + lost * math.log1p(-excess)
            if gap > -rng.standard_exponential():
                return float(0.5 + 0.5 * excess)


@kernel
def draw_from_few(won: float, lost: float, rng: np.random.Generator) -> float:
    """A draw from Beta(won + 1, lost + 1), given that it is above 1/2: a uniform one, accepted by its density."""
    lean = (won - lost) / (won + lost) if won > lost else 0.0  # where the density is highest, as an excess
    highest = won * math.log1p(lean) + (lost * math.log1p(-lean) if lost > 0.0 else 0.0)
    while True:
        excess = rng.random()  # of twice the value over 1
        if won * math.log1p(excess) + lost * math.log1p(-excess) - highest > -rng.standard_exponential():
            return 0.5 + 0.5 * excess


@kernel
def cheapest(self: DoubleThompsonPlus, champion: int, rng: np.random.Generator) -> int:
    """Of the candidates tied with `champion`, the one whose duels with every other arm would cost least."""
    tied_with, fewest, ties = champion, self.n_arms, 0
    for arm in range(self.n_arms):
        if self.losses[arm] >= 0:
            draw_row(self, arm, True, rng)
    for arm in range(self.n_arms):
        self.cost[arm] = 0.0
        self.losses[arm] = ~self.losses[arm]
        fewest = min(fewest, self.losses[arm])
    for arm in range(self.n_arms):
        if not tied(self, arm, tied_with):
            continue
        for other in range(self.n_arms):
            # Twice the regret of their duel: the best drawn score less the mean of the two.
            regret = self.losses[arm] + self.losses[other] - 2 * fewest
            if other == arm or regret == 0 or (other < arm and tied(self, other, tied_with)):
                continue
            better, worse = (arm, other) if self.beats[arm, other] else (other, arm)
            cost = regret / divergence(draw_above_half(self, better, worse, rng))
            self.cost[arm] += cost
            if tied(self, other, tied_with):
                self.cost[other] += cost
        if ties == 0 or self.cost[arm] < self.cost[champion]:
            champion, ties = arm, 1
        elif self.cost[arm] == self.cost[champion]:
            ties += 1
            if rng.random() * ties < 1.0:
                champion = arm
    return champion


@kernel
def tied(self: DoubleThompson, arm: int, champion: int) -> bool:
    """Whether `arm` is as good a candidate as `champion`, and did as well in the drawn tournament."""
    return bool(
        self.losses[arm] == self.losses[champion] and self.clock.beaten_by[arm] == self.clock.beaten_by[champion]
    )


@kernel
def divergence(chance: float) -> float:
    """d(chance, 1/2): of a coin from a fair coin; kept above zero."""
    lean = min(2.0 * chance - 1.0, 1.0 - 1e-15)
    return max(0.5 * ((1.0 + lean) * math.log1p(lean) + (1.0 - lean) * math.log1p(-lean)), 1e-300)
