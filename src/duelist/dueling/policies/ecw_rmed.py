"""ECW-RMED: efficient Copeland winners relative minimum empirical divergence.

Komiyama, Honda, Nakagawa. Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal
Algorithm, and Computationally Efficient Algorithm. ICML 2016.

The information of a pair is n d(mean, 1/2): how much its duels speak against the other
outcome. An arm that beats the most others is certain to be a winner when every change of
outcomes that would dethrone it has ln t of information against it. Until then the pairs
are dueled that make it certain at the least regret. Which pairs these are is a linear
program with a constraint for each change; ECW-RMED asks a little more, and then each arm
has a small program of its own with a known solution.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.memory import Flags, Floats, Ints, parameter, per_arm, per_pair, scratch, single, table
from duelist.core.sampling import shuffle
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best

NEVER = 1e300  # the cost of what cannot be had


class ECWRMED(Policy):
    """Play the likely winner against itself, and what must be dueled before it is certain, in turn.

    Needs: no pair at exactly 1/2.
    Horizon: not needed.
    Regret: O(ln T) in Copeland regret, with a constant near the best possible one. The mean has a long tail:
    a wrong winner seemed certain for long in 1 of 200 runs on arXiv.
    Departs: turns are in random order; ln t and ln ln t are at least 1. The paper's text was not at hand: the
    loop and the constants are those of a public C++ program, what makes a winner certain and the plan were
    derived again. That program also wants at most ln t of information on every pair before it calls a winner
    certain, which never happens; without that clause regret is the same within its error. CW-RMED, which
    solves the full linear program, is left out.
    Ties: half a win each.

    >>> policy = ECWRMED(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "ecw-rmed"
    view = "copeland"

    alpha: float = parameter(3.0, "every pair is dueled alpha sqrt(ln t) times", low=0)
    beta: float = parameter(0.01, "and until its mean is beta / ln ln t away from 1/2", low=0)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    information: Floats = per_pair()  # n d(mean, 1/2)
    weight: Floats = per_pair()  # 1 / d(mean, 1/2), or 0 for a level pair
    superiors: Ints = per_arm(int)  # L: how many arms beat an arm, by the means
    level: Ints = single(int, -1)  # how many duels every pair must have had
    scarce: Ints = table(lambda k: (k * (k - 1) // 2,), int)  # pairs, as i K + j for i < j, to be dueled first
    n_scarce: Ints = single(int)
    listed: Flags = per_pair(bool)  # whether a pair is in `scarce`
    current: Ints = table(lambda k: (k * (k + 1) // 2,), int)  # L_C: pairs that are dueled in turn
    n_current: Ints = single(int)
    place: Ints = single(int)  # of the pair in `current` whose turn it is
    waiting: Flags = per_pair(bool)  # L_R: whether a pair's turn is still to come
    coming: Ints = table(lambda k: (k * (k + 1) // 2,), int)  # L_N: pairs of the next turns
    n_coming: Ints = single(int)
    queued: Flags = per_pair(bool)  # whether a pair is in `coming`
    leader: Ints = single(int, -1)  # the likely winner
    certainty: Floats = single(float, -1)  # what dethroning it costs; 0 if too little, -1 if not known
    doubt: Ints = single(int)  # who could overtake the leader when it was last tried
    order: Ints = per_pair(int)  # order[i]: the superiors of arm i by price, and then all other arms
    share: Ints = scratch(lambda k: (k, k), int)  # [i, j]: how many superiors keep j below leader i at least regret
    total: Floats = scratch(lambda k: (k,))  # regret until an arm is certain
    own: Floats = scratch(lambda k: (k + 1,))  # sums of a leader's information
    foes: Floats = scratch(lambda k: (k + 1,))  # the same of an arm that may overtake it, or prices

    def start(self, rng: np.random.Generator) -> None:
        for i in range(self.n_arms):
            for j in range(self.n_arms):
                self.order[i, j] = j
                if i < j:
                    queue(self, i, j)
        take_turns(self, rng)
        find_scarce(self, 0, 1, 1, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        pair = self.scarce[self.n_scarce[0] - 1] if self.n_scarce[0] > 0 else self.current[self.place[0]]
        return Duel(pair // self.n_arms, pair % self.n_arms, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        in_turn = self.n_scarce[0] == 0 and self.current[self.place[0]] == i * self.n_arms + j
        if i != j:
            record(self, i, j, outcome)
        if in_turn:
            self.waiting[i, j] = False
            plan(self, max(1.0, math.log(t)), rng)
            self.place[0] += 1
            if self.place[0] == self.n_current[0]:
                take_turns(self, rng)
        find_scarce(self, min(i, j), max(i, j), t + 1, rng)

    def best_arm(self) -> int:
        return int(self.leader[0]) if self.leader[0] >= 0 else empirical_best(self.wins)


@kernel
def beats(self: ECWRMED, i: int, j: int) -> bool:
    """Whether arm i has won more of its duels with arm j than it has lost."""
    return bool(self.wins[i, j] > self.wins[j, i])


@kernel
def record(self: ECWRMED, i: int, j: int, outcome: float) -> None:
    """Add a duel to all that is known of the pair."""
    for added in range(2):
        sign = 2 * added - 1
        self.superiors[i] += sign * beats(self, j, i)
        self.superiors[j] += sign * beats(self, i, j)
        if added == 0:
            self.wins[i, j] += outcome
            self.wins[j, i] += 1.0 - outcome
    n = self.wins[i, j] + self.wins[j, i]
    mean = self.wins[i, j] / n
    divergence = math.log(2.0)
    if 0.0 < mean < 1.0:
        divergence += mean * math.log(mean) + (1.0 - mean) * math.log(1.0 - mean)
    divergence = max(divergence, 1e-15)  # rounding errors near 1/2
    if self.wins[i, j] == self.wins[j, i]:
        self.information[i, j] = self.weight[i, j] = 0.0
    else:
        self.information[i, j] = n * divergence
        self.weight[i, j] = 1.0 / divergence
    self.information[j, i] = self.information[i, j]
    self.weight[j, i] = self.weight[i, j]
    self.certainty[0] = -1.0


@kernel
def is_scarce(self: ECWRMED, i: int, j: int, t: int) -> bool:
    """Whether a pair has too few duels, or a mean too near to 1/2, to go on from."""
    n = self.wins[i, j] + self.wins[j, i]
    band = self.beta / math.log(max(math.e, math.log(t)))
    return bool(n < self.level[0] or abs(self.wins[i, j] - 0.5 * n) < band * max(n, 1.0))


@kernel
def find_scarce(self: ECWRMED, i: int, j: int, t: int, rng: np.random.Generator) -> None:
    """After a duel of (i, j), leave a pair that is scarce at the end of the list, or nothing in it."""
    level = math.ceil(self.alpha * math.sqrt(math.log(t)))
    grown = level > self.level[0]  # only then a pair that was not dueled can become scarce
    self.level[0] = level
    for a in range(0 if grown else i, self.n_arms if grown else i + 1):
        for b in range(a + 1 if grown else j, self.n_arms if grown else j + 1):
            if a < b and not self.listed[a, b] and is_scarce(self, a, b, t):
                self.listed[a, b] = True
                self.scarce[self.n_scarce[0]] = a * self.n_arms + b
                self.n_scarce[0] += 1
    if grown:
        shuffle(self.scarce, self.n_scarce[0], rng)
    while self.n_scarce[0] > 0:
        pair = self.scarce[self.n_scarce[0] - 1]
        if is_scarce(self, pair // self.n_arms, pair % self.n_arms, t):
            return
        self.listed[pair // self.n_arms, pair % self.n_arms] = False
        self.n_scarce[0] -= 1


@kernel
def queue(self: ECWRMED, i: int, j: int) -> None:
    """Let a pair have a turn, unless it has one already."""
    first, second = min(i, j), max(i, j)
    if not self.waiting[first, second] and not self.queued[first, second]:
        self.queued[first, second] = True
        self.coming[self.n_coming[0]] = first * self.n_arms + second
        self.n_coming[0] += 1


@kernel
def take_turns(self: ECWRMED, rng: np.random.Generator) -> None:
    """Begin the turns of the queued pairs, in random order."""
    self.n_current[0], self.n_coming[0], self.place[0] = self.n_coming[0], 0, 0
    for place in range(self.n_current[0]):
        pair = self.coming[place]
        self.current[place] = pair
        self.queued[pair // self.n_arms, pair % self.n_arms] = False
        self.waiting[pair // self.n_arms, pair % self.n_arms] = True
    shuffle(self.current, self.n_current[0], rng)


@routine
def plan(self: ECWRMED, log_t: float, rng: np.random.Generator) -> None:
    """L_NC: queue the likely winner against itself, and what must be dueled before it is certain."""
    fewest = self.n_arms
    for arm in range(self.n_arms):
        fewest = min(fewest, self.superiors[arm])
    if self.certainty[0] < 0.0:
        self.certainty[0] = 0.0
        for arm in range(self.n_arms):
            if self.superiors[arm] == fewest:
                cost = dethroning_cost(self, arm, log_t)
                if cost > self.certainty[0]:
                    self.certainty[0] = cost
                    self.leader[0] = arm
    if self.certainty[0] < log_t:
        self.certainty[0] = 0.0  # and less than ln t until a duel is told
        choose_leader(self, fewest, rng)
        queue_needed(self, fewest, log_t)
    queue(self, self.leader[0], self.leader[0])


@kernel
def dethroning_cost(self: ECWRMED, leader: int, enough: float) -> float:
    """The least information against any change after which another arm beats more; 0 if that is not enough."""
    second = self.n_arms
    for arm in range(self.n_arms):
        if arm != leader:
            second = min(second, self.superiors[arm])
    least = NEVER
    for step in range(self.n_arms):
        arm = (self.doubt[0] + step) % self.n_arms  # who was in the way is mostly so again
        if arm != leader:
            least = min(least, overtaking_cost(self, leader, arm, second))
            if least < enough:
                self.doubt[0] = arm
                return 0.0
    return least


@kernel
def overtaking_cost(self: ECWRMED, leader: int, arm: int, second: int) -> float:
    """The least information against `arm` having `limit` superiors or fewer, and the leader more, for any limit.

    Beyond `second`, the fewest superiors of the arms but the leader, no limit is cheaper.
    """
    wins = add_up(self, self.own, leader, arm, True)
    losses = add_up(self, self.foes, arm, leader, False)
    least = NEVER
    for limit in range(self.superiors[leader] - 1, second + 1):
        for shared in range(2):  # whether the pair of the two is turned, which serves both ends
            lose = limit + 1 - self.superiors[leader] - shared
            gain = max(0, self.superiors[arm] - limit - shared)
            if 0 <= lose <= wins and gain <= losses and (shared == 0 or beats(self, leader, arm)):
                least = min(least, self.own[lose] + self.foes[gain] + shared * self.information[leader, arm])
    return least


@kernel
def add_up(self: ECWRMED, sums: Floats, arm: int, but: int, won: bool) -> int:
    """Let sums[m] be the information of an arm's m least certain wins, or losses, that with `but` left out."""
    size = 0
    for other in range(self.n_arms):
        if other != but and beats(self, arm if won else other, other if won else arm):
            size += 1
            place, information = size, self.information[arm, other]
            while place > 1 and sums[place - 1] > information:
                sums[place] = sums[place - 1]
                place -= 1
            sums[place] = information
    sums[0] = 0.0
    for place in range(1, size + 1):
        sums[place] += sums[place - 1]
    return size


@kernel
def price(self: ECWRMED, i: int, j: int, fewest: int) -> float:
    """Regret for a unit of information on a pair: 2 (K - 1) r / d."""
    return float((self.superiors[i] + self.superiors[j] - 2 * fewest) * self.weight[i, j])


@kernel
def choose_leader(self: ECWRMED, fewest: int, rng: np.random.Generator) -> None:
    """Of the arms with the fewest superiors, the one that is made certain at the least regret."""
    for arm in range(self.n_arms):
        self.total[arm] = 0.0
    for arm in range(self.n_arms):
        if fewest > 0:
            sort_superiors(self, arm, fewest)
        for leader in range(self.n_arms):
            if self.superiors[leader] == fewest and leader != arm:
                self.total[leader] += keep_below(self, leader, arm, fewest)
    least, ties = NEVER, 0
    for arm in range(self.n_arms):
        if self.superiors[arm] == fewest and self.total[arm] <= least:
            ties = ties + 1 if self.total[arm] == least else 1
            if rng.random() * ties < 1.0:
                least, self.leader[0] = self.total[arm], arm


@kernel
def sort_superiors(self: ECWRMED, arm: int, fewest: int) -> None:
    """Put the superiors of an arm first, by price; little is to do when little has changed since."""
    for other in range(self.n_arms):
        self.foes[other] = price(self, other, arm, fewest) if beats(self, other, arm) else NEVER
    for end in range(1, self.n_arms):
        other, place = self.order[arm, end], end
        while place > 0 and self.foes[self.order[arm, place - 1]] > self.foes[other]:
            self.order[arm, place] = self.order[arm, place - 1]
            place -= 1
        self.order[arm, place] = other


@kernel
def keep_below(self: ECWRMED, leader: int, arm: int, fewest: int) -> float:
    """The least regret for which `arm` cannot overtake the leader, and by how many of its superiors.

    If the leader beats it, that pair must be certain. Besides, the arm would overtake the leader
    without a change of the leader's own pairs if all its other superiors but `spare` (k) were
    turned. When the h cheapest of them have an information of 1 / (h - k) each, that costs 1.
    """
    beaten = beats(self, leader, arm)
    self.share[leader, arm] = 0
    certain = price(self, leader, arm, fewest) if beaten else 0.0
    spare, least, total, h = fewest - 1 - beaten, 0.0, 0.0, 0
    if spare < 0:
        return certain
    for place in range(self.superiors[arm]):
        other = self.order[arm, place]
        if other != leader:
            h += 1
            total += price(self, other, arm, fewest)
            if h == spare + 1 or (h > spare and total < least * (h - spare)):
                least, self.share[leader, arm] = total / (h - spare), h
    return certain + least


@kernel
def queue_needed(self: ECWRMED, fewest: int, log_t: float) -> None:
    """Queue the pairs with less information than the plan for the leader asks for."""
    leader = self.leader[0]
    for arm in range(self.n_arms):
        left, place = self.share[leader, arm] if arm != leader else 0, 0
        spread = left - (fewest - 1 - beats(self, leader, arm))  # h - k
        if beats(self, leader, arm) and self.information[leader, arm] < log_t:
            queue(self, leader, arm)
        while left > 0:
            other = self.order[arm, place]
            place += 1
            if other != leader:
                left -= 1
                if spread * self.information[other, arm] < log_t:
                    queue(self, other, arm)
