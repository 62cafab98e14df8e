"""Policies for many arms: duels stay inside small batches, which merge as arms drop out.

MergeRUCB: Zoghi, Whiteson, de Rijke. MergeRUCB: A Method for Large-Scale Online Ranker
Evaluation. WSDM 2015. MergeDTS: Li, Markov, de Rijke, Zoghi. MergeDTS: A Method for
Effective Large-Scale Online Ranker Evaluation. ACM TOIS 2020.

A step looks at one batch, so its cost does not depend on the number of arms. Arms are taken
in a random order, and inside by their *seat* in it: the arms of a batch are then neighbours in
the tables, and the processor's cache holds what a batch needs however many arms there are.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.errors import BadInput
from duelist.core.memory import Declared, Floats, Ints, holds, parameter, per_arm, per_pair, scratch, single
from duelist.core.sampling import below, shuffle
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best
from duelist.dueling.signs import Signs, tell_signs


class Batches(Declared):
    """The surviving seats in batches. `home` says it all; the rest is derived to be read fast."""

    home: Ints = per_arm(int)  # the batch of each seat, -1 once its arm dropped out
    n_batches: Ints = single(int)
    n_left: Ints = single(int)  # arms that did not drop out
    members: Ints = per_arm(int)  # the surviving seats, batch after batch
    first: Ints = per_arm(int)  # where each batch begins among the members
    size: Ints = per_arm(int)
    order: Ints = scratch(lambda k: (k,), int)  # batches by size
    target: Ints = scratch(lambda k: (k,), int)  # where each batch goes


class Merge(Policy, abstract=True):
    """What both policies share: everything but the choice inside a batch."""

    alpha: float = parameter(0.8**6, "exploration; the theory takes 1.01", above=0)
    batch_size: int = parameter(16, "arms a batch at first; the theory takes 4", low=2)
    delay: float = parameter(400_000.0, "C in the exploration ln(C + t)", low=1)
    epsilon: float = parameter(
        0.0, "chance to lose the winner, which sets C as in the theory (0.01); 0 takes C from delay", low=0, high=1
    )
    log_delay: Floats = single(float)  # ln C
    since: Ints = single(int)  # time of the last merge; t is counted from there
    stage: Ints = single(int, 1)  # one more than the merges so far
    arm: Ints = per_arm(int)  # on each seat
    seat: Ints = per_arm(int)  # of each arm
    wins: Floats = per_pair()  # wins[i, j]: duels the arm on seat i won against the one on seat j
    batches: Batches = holds(Batches)

    def start(self, rng: np.random.Generator) -> None:
        self.log_delay[0] = math.log(self.delay)
        if self.epsilon > 0.0:
            odds = (4.0 * self.alpha - 1.0) * self.n_arms**2.0 / ((2.0 * self.alpha - 1.0) * self.epsilon)
            self.log_delay[0] = math.log(odds) / (2.0 * self.alpha - 1.0)
        for seat in range(self.n_arms):
            self.arm[seat] = seat
        shuffle(self.arm, self.n_arms, rng)
        for seat in range(self.n_arms):
            self.seat[self.arm[seat]] = seat
        start_batches(self.batches, self.batch_size)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        left, right = self.seat[duel.left], self.seat[duel.right]
        if in_play(self.batches, left, right):
            tell_merge(self, left, right, outcome, t, rng)

    def best_arm(self) -> int:
        left = np.flatnonzero(self.batches.home >= 0)
        best = empirical_best(self.wins[np.ix_(left, left)]) if len(left) > 1 else 0
        return int(self.arm[left[best]])

    def check_parameters(self) -> None:
        if self.epsilon > 0 and self.alpha <= 0.5:
            raise BadInput(f"{type(self).__name__} with epsilon={self.epsilon} needs alpha above 0.5, not {self.alpha}")


class MergeRUCB(Merge):
    """In each batch in turn, duel a random arm against its most hopeful challenger.

    The defaults are the constants the authors of MergeDTS tuned (alpha 0.8^6, C 400,000, batches of 8); those of
    the theory are alpha=1.01, batch_size=4, epsilon=0.01.

    Needs: a Condorcet winner, and at most a third of the arms alike in every comparison (the latter from memory).
    Horizon: not needed.
    Regret: O(K ln T) with probability 1 - epsilon, for the constants of the theory.
    Departs: checked against the authors' code, not the paper. An arm drops out at the duel that shows it beaten,
    not when its batch comes up again; a batch of one arm joins the next, as in MergeDTS (in the code it duels itself).
    Ties: half a win each.

    >>> policy = MergeRUCB(n_arms=40, seed=0)
    >>> for _ in range(4000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), policy.ask().right
    (0, 0)
    """

    name = "merge-rucb"

    batch_size: int = parameter(8, "arms a batch at first; the theory takes 4", low=2)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        batches = self.batches
        batch = t % batches.n_batches[0]
        first, size = batches.first[batch], batches.size[batch]
        own = below(size, rng)
        champion = batches.members[first + own]
        challenger, highest, ties = champion, 0.0, 0
        scale = math.sqrt(self.alpha * log_time(self, t))
        for place in range(size):
            seat = batches.members[first + place]
            n = self.wins[seat, champion] + self.wins[champion, seat] + 2.0
            hope = (self.wins[seat, champion] + 1.0) / n + scale / math.sqrt(n)  # one win each comes for free
            if place == own or hope < highest:
                continue
            ties = ties + 1 if hope == highest else 1
            if rng.random() * ties < 1.0:
                challenger, highest = seat, hope
        return Duel(self.arm[champion], self.arm[challenger], t)


class MergeDTS(Merge):
    """In each batch in turn, duel the winner of a posterior draw against its likeliest loser of another.

    The likeliest loser is soon shown to be beaten, and drops out. The defaults are the constants the authors tuned
    (alpha 0.8^6, C 400,000, batches of 16); those of the theory are alpha=1.01, batch_size=4, epsilon=0.01.

    Needs: a Condorcet winner, and at most a third of the arms alike in every comparison (the latter from memory).
    Horizon: not needed.
    Regret: O(K ln T) with probability 1 - epsilon, for the constants of the theory.
    Departs: checked against the authors' code, not the paper. An arm drops out at the duel that shows it beaten,
    not when its batch comes up again; the code draws both directions of a pair, here one is drawn and gives the other.
    Ties: half a win each.

    >>> policy = MergeDTS(n_arms=40, seed=0)
    >>> for _ in range(4000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), policy.ask().right
    (0, 0)
    """

    name = "merge-dts"

    signs: Signs = holds(Signs)  # chances that a draw is above 1/2
    beats: Ints = scratch(lambda k: (k,), int)  # wins of each member in a drawn tournament

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        batch = t % self.batches.n_batches[0]
        champion = draw_champion(self, batch, rng)
        loser = draw_loser(self, batch, champion, rng)
        return Duel(self.arm[champion], self.arm[loser], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        left, right = self.seat[duel.left], self.seat[duel.right]
        if in_play(self.batches, left, right):
            tell_merge(self, left, right, outcome, t, rng)
            tell_signs(self.signs, self.wins, left, right, outcome)


@kernel
def draw_champion(self: MergeDTS, batch: int, rng: np.random.Generator) -> int:
    """The member that wins most of a drawn tournament, at random among ties."""
    first, size = self.batches.first[batch], self.batches.size[batch]
    champion, most, ties = 0, -1, 0
    for place in range(size):
        self.beats[place] = 0
    for place in range(size):
        seat = self.batches.members[first + place]
        for other in range(place + 1, size):
            won = rng.random() < self.signs.chance[seat, self.batches.members[first + other]]
            self.beats[place] += won
            self.beats[other] += not won
        if self.beats[place] >= most:  # all its pairs are drawn by now
            ties = ties + 1 if self.beats[place] == most else 1
            if rng.random() * ties < 1.0:
                champion, most = seat, self.beats[place]
    return int(champion)


@kernel
def draw_loser(self: MergeDTS, batch: int, champion: int, rng: np.random.Generator) -> int:
    """The other member with the lowest drawn chance against `champion`, which alone has no other."""
    loser, lowest = champion, 2.0
    for place in range(self.batches.first[batch], self.batches.first[batch] + self.batches.size[batch]):
        seat = self.batches.members[place]
        if seat != champion:
            chance = rng.beta(self.wins[seat, champion] + 1.0, self.wins[champion, seat] + 1.0)
            if chance < lowest:
                loser, lowest = seat, chance
    return int(loser)


@kernel
def in_play(batches: Batches, left: int, right: int) -> bool:
    """Whether two different arms are left. Whom a late duel joins still share a batch: batches only merge."""
    return bool(left != right and batches.home[left] >= 0 and batches.home[right] >= 0)


@kernel
def log_time(self: Merge, t: int) -> float:
    """ln(C + t), t counted from the last merge."""
    return float(self.log_delay[0] + math.log1p((t - self.since[0]) * math.exp(-self.log_delay[0])))


@kernel
def tell_merge(self: Merge, left: int, right: int, outcome: float, t: int, rng: np.random.Generator) -> None:
    """Record a duel of two seats; one drops out if its upper bound fell below 1/2."""
    self.wins[left, right] += outcome
    self.wins[right, left] += 1.0 - outcome
    if not drop_beaten(self, left, right, log_time(self, t)):
        return
    batches, due = self.batches, True
    while due:
        lay_out(batches)
        due = batches.n_left[0] <= self.n_arms // 2 ** self.stage[0] + 1 and batches.n_batches[0] > 1
        if due:
            merge(batches, self.batch_size, rng)
            self.stage[0] += 1
            self.since[0] = t
            drop_all_beaten(self, t)
    join_single(batches)


@kernel
def drop_beaten(self: Merge, left: int, right: int, log_t: float) -> bool:
    """Let one of two seats drop out if the other confidently beats it; whether it did."""
    lead = self.wins[left, right] - self.wins[right, left]
    n = self.wins[left, right] + self.wins[right, left] + 2.0
    if lead * lead <= 4.0 * self.alpha * log_t * n:
        return False
    self.batches.home[right if lead > 0.0 else left] = -1
    self.batches.n_left[0] -= 1
    return True


@kernel
def drop_all_beaten(self: Merge, t: int) -> None:
    """Look at all pairs again: a clock that was set back makes bounds narrower."""
    batches, log_t = self.batches, log_time(self, t)
    for place in range(batches.n_left[0]):
        seat = batches.members[place]
        for before in range(batches.first[batches.home[seat]], place):
            if in_play(batches, seat, batches.members[before]):
                drop_beaten(self, seat, batches.members[before], log_t)


@routine
def start_batches(batches: Batches, batch_size: int) -> None:
    """Seats next to each other share a batch."""
    for seat in range(batches.n_arms):
        batches.home[seat] = seat // batch_size
    batches.n_batches[0] = (batches.n_arms + batch_size - 1) // batch_size
    batches.n_left[0] = batches.n_arms
    lay_out(batches)
    join_single(batches)


@kernel
def lay_out(batches: Batches) -> None:
    """Derive members, first and size from home."""
    for batch in range(batches.n_batches[0]):
        batches.size[batch] = 0
    for seat in range(batches.n_arms):
        if batches.home[seat] >= 0:
            batches.size[batches.home[seat]] += 1
    begin = 0
    for batch in range(batches.n_batches[0]):
        batches.first[batch] = begin
        begin += batches.size[batch]
        batches.size[batch] = 0
    for seat in range(batches.n_arms):
        batch = batches.home[seat]
        if batch >= 0:
            batches.members[batches.first[batch] + batches.size[batch]] = seat
            batches.size[batch] += 1


@routine
def merge(batches: Batches, batch_size: int, rng: np.random.Generator) -> None:
    """Pair the smallest batches with the largest; once more if a batch is still half empty."""
    for again in range(2):
        smallest = batches.n_arms
        for batch in range(batches.n_batches[0]):
            smallest = min(smallest, batches.size[batch])
        if again == 0 or 2 * smallest <= batch_size:
            pair_up(batches, batch_size, rng)


@kernel
def pair_up(batches: Batches, batch_size: int, rng: np.random.Generator) -> None:
    """Merge the smallest with the largest batch, and so on, as long as no pair exceeds 1.5 times the size."""
    sort_by_size(batches, rng)
    low, high, n_pairs = 0, batches.n_batches[0] - 1, 0
    while low <= high:
        largest, least = batches.order[high], batches.order[low]
        batches.target[largest] = n_pairs
        if low < high and 2 * (batches.size[largest] + batches.size[least]) <= 3 * batch_size:
            batches.target[least] = n_pairs
            low += 1
        high -= 1
        n_pairs += 1
    move(batches, n_pairs)


@kernel
def sort_by_size(batches: Batches, rng: np.random.Generator) -> None:
    """Order the batches by size, equal ones at random."""
    for batch in range(batches.n_batches[0]):
        batches.order[batch] = batch
    shuffle(batches.order, batches.n_batches[0], rng)
    for last in range(1, batches.n_batches[0]):
        batch, place = batches.order[last], last
        while place > 0 and batches.size[batches.order[place - 1]] > batches.size[batch]:
            batches.order[place] = batches.order[place - 1]
            place -= 1
        batches.order[place] = batch


@kernel
def join_single(batches: Batches) -> None:
    """Let a batch of one arm join the next batch, for it has nobody to duel."""
    n_larger = 0
    for batch in range(batches.n_batches[0]):
        batches.target[batch] = n_larger
        n_larger += batches.size[batch] != 1
    for batch in range(batches.n_batches[0]):
        if batches.target[batch] == n_larger:
            batches.target[batch] = 0  # after the last batch comes the first
    move(batches, max(n_larger, 1))


@kernel
def move(batches: Batches, n_batches: int) -> None:
    """Move each batch into its target."""
    for seat in range(batches.n_arms):
        if batches.home[seat] >= 0:
            batches.home[seat] = batches.target[batches.home[seat]]
    batches.n_batches[0] = n_batches
    lay_out(batches)
