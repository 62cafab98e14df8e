"""Spar and check: self-sparring proposes, pairs decide. No paper; the idea and what it costs: docs/which-policy.md."""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.memory import Floats, Ints, holds, parameter, per_arm, per_pair, single
from duelist.core.sampling import beta_above
from duelist.dueling.clock import Clock, advance, start_clock, tell_clock
from duelist.dueling.policy import Duel, Policy

FIRST = 20.0  # duels that a foretold chance is worth as long as nobody knows how well chances are foretold
DOUBT = 10.0  # what this first guess is worth, in duels of two equal arms times 1/4
SURE = 3.25  # standard deviations by which a foretold chance may be away from 1/2
MOST = 0.95  # the largest chance that is foretold
CHECKS = 2.0  # times ln t: duels after which an arm that is out need not be asked about again
LONGER = 4.0  # times as many if it wins more than half of them, or is out by less than a second lost pair
MANY = 30  # arms above which what equal arms lose to each other by chance adds up to a lost pair
CHANCE = 0.2  # for each arm above these: more that must be shown, so that it adds up to little more than half of one
PLENTY = 1.5  # what puts an arm out in any case, as long as another may have lost no pair
MORE = 0.02  # than a lost pair must speak against an arm that is out: of three that beat each other each has lost one
HEARD = 0.65  # times ln(t / K^2): what a pair must show, in squared deviations halved, before rates count in it
YOUNG = 50.0  # duels of a pair after which they count in any case
BOLD = 3.0  # times arms times those beyond FEW, a duel: how much sharper than its posterior the first arm is drawn
SETTLED = 1.0 - 1e-9  # from this chance on it is not drawn who has lost a pair
FEW = 10  # arms with which nothing is won by that; with more of them foretold chances may be worth more


class SparAndCheck(Policy):
    """Draw both arms from one posterior an arm; where the draws agree, look for somebody who may beat that arm.

    Self-sparring learns about arms, which is fast and right where utilities stand behind the preferences, and wrong for
    ever where they do not. So its answer is checked: of each other arm a chance to lose is drawn from the posterior of
    that pair, which begins with what the rates of both arms foretell. Whoever is drawn below 1/2, the lowest first, is
    the challenger; if nobody is, the arm duels itself. How much a foretold chance is worth is learnt: pairs that come
    out otherwise than foretold, again and again, make it worth little; and it is worth nothing for a young pair that
    has shown little. A challenger that is hard to tell from the champion duels somebody who seems to beat it clearly.
    Arms against which more speaks, by one lost pair, than against any other are out: duels with them count for nobody's
    rate, and they are asked about a few times only. As long as duels are few for many arms the first arm is drawn
    boldly, close to the best rate: one side that explores is enough. Where every arm has lost to somebody, it is drawn
    who has lost the fewest pairs, and rates decide among those alone.

    Needs: nothing; Copeland winners always exist.
    Horizon: not needed.
    Regret: no bound is proved; measured, the lowest or close to it on most instances.
    Departs: no paper. How `weight` and the constants of this file were chosen: docs/which-policy.md.
    Ties: half a win each.

    >>> policy = SparAndCheck(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "all"

    name = "spar-and-check"
    view = "copeland"

    alpha: float = parameter(0.51, "width of the confidence intervals by which arms are out", above=0)
    weight: float = parameter(
        40.0, "duels that a foretold chance is worth at most; with K > 10 arms (K / 10)^3 times as many", low=0
    )
    clock: Clock = holds(Clock)  # wins, and who is confidently beaten
    won: Floats = per_arm()  # duels an arm won against those that are not out
    lost: Floats = per_arm()
    out: Ints = per_arm(int)  # 1 for those that are
    against: Floats = per_arm()  # what speaks against an arm: pairs that it lost surely, others by how surely
    losses: Floats = per_arm()  # how many pairs it should have lost; kept up where all arms have lost some
    risk: Floats = per_pair()  # risk[i, j]: how likely arm i loses to arm j more often than it wins
    least: Floats = single(float)  # how many pairs even the best arm has lost; below 1 where it may have lost none
    surprise: Floats = per_pair()  # outcomes less what was foretold, summed up for each pair
    repeated: Floats = single(float)  # surprises times earlier ones of the same pair: their mean is the squared error
    chance: Floats = single(float)  # variances of the duels summed up in `repeated`

    def start(self, rng: np.random.Generator) -> None:
        start_clock(self.clock)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = draw_arm(self, 1.0 + BOLD * self.n_arms * max(0, self.n_arms - FEW) / t, rng)
        right = draw_arm(self, 1.0, rng) if self.least[0] < 1.0 else left  # whom it has lost to is the question there
        if left == right:
            right = draw_challenger(self, left, math.log(t), rng)
            if left != right and not self.out[right] and self.least[0] < 1.0:
                left = find_opponent(self, left, right)
        return Duel(left, right, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left != duel.right:
            judge_foretelling(self, duel.left, duel.right, outcome)
            if not self.out[duel.right]:
                self.won[duel.left] += outcome
                self.lost[duel.left] += 1.0 - outcome
            if not self.out[duel.left]:
                self.won[duel.right] += 1.0 - outcome
                self.lost[duel.right] += outcome
            tell_clock(self.clock, duel.left, duel.right, outcome, self.alpha)
        log_t = math.log(t + 1.0)
        advance(self.clock, log_t)
        if duel.left != duel.right:
            weigh(self, duel.left, log_t)
            weigh(self, duel.right, log_t)
        weigh(self, t % self.n_arms, log_t)  # nobody is forgotten
        count_losses(self, duel, t)
        put_out(self)

    def best_arm(self) -> int:
        rate = (self.won + 1.0) / (self.won + self.lost + 2.0)
        if self.least[0] >= 1.0:
            rate -= np.round(self.losses)
        return int(np.where(self.out, -np.inf, rate).argmax())


@kernel
def weigh(self: SparAndCheck, arm: int, log_t: float) -> None:
    """What speaks against an arm: the sum over the pairs that it seems to lose, a confident one at most 1."""
    against = 0.0
    for other in range(self.n_arms):
        won, lost = self.clock.wins[arm, other], self.clock.wins[other, arm]
        if lost > won:
            shown = ((lost - won) * (lost - won) / (won + lost) - 1.0) / (4.0 * self.alpha)
            against += 1.0 if shown >= log_t else max(0.0, shown / (log_t + CHANCE * max(0, self.n_arms - MANY)))
    self.against[arm] = against


@kernel
def count_losses(self: SparAndCheck, duel: Duel, t: int) -> None:
    """How many pairs even the best arm has lost; where it has lost some, how many each arm should have lost."""
    least = 1.0 * self.n_arms
    for arm in range(self.n_arms):
        least = min(least, self.against[arm])
    if least >= 1.0:
        trust, fewest, all_of_them = trusted(self), 1.0 * self.n_arms, self.least[0] < 1.0
        for arm in range(self.n_arms):
            if all_of_them or arm == duel.left or arm == duel.right or arm == t % self.n_arms:
                expect_losses(self, arm, trust)
            fewest = min(fewest, self.losses[arm])
        least = max(least, fewest)
    self.least[0] = least


@routine
def expect_losses(self: SparAndCheck, arm: int, trust: float) -> None:
    """How likely an arm has lost each pair, from its duels and what was foretold."""
    losses = 0.0
    for other in range(self.n_arms):
        if other != arm:
            won, lost, chance = self.clock.wins[arm, other], self.clock.wins[other, arm], foretold(self, arm, other)
            worth = worth_of(chance, trust)
            behind = (lost - won - worth * (2.0 * chance - 1.0)) / math.sqrt(won + lost + worth + 1.0)
            risk = 0.5 * math.erfc(-behind / math.sqrt(2.0))
            self.risk[arm, other], self.risk[other, arm] = risk, 1.0 - risk
            losses += risk
    self.losses[arm] = losses


@kernel
def put_out(self: SparAndCheck) -> None:
    """Those are out against whom more speaks, by a pair, than must be; their duels leave the rates, or come back."""
    enough = self.least[0] + 1.0 + MORE
    if self.least[0] < 1.0:
        enough = min(enough, PLENTY)
    for arm in range(self.n_arms):
        out = 1 if self.against[arm] >= enough else 0
        if out != self.out[arm]:
            self.out[arm] = out
            sign = -1.0 if out else 1.0
            for other in range(self.n_arms):
                self.won[other] = max(0.0, self.won[other] + sign * self.clock.wins[other, arm])
                self.lost[other] = max(0.0, self.lost[other] + sign * self.clock.wins[arm, other])


@kernel
def draw_arm(self: SparAndCheck, sharp: float, rng: np.random.Generator) -> int:
    """The arm with the highest draw of those that are not out; `sharp` is what a duel counts.

    Where even the best arm has lost a pair, those are asked first that are drawn to have lost the fewest.
    """
    best, highest, fewest = 0, -1.0, self.n_arms
    for arm in range(self.n_arms):
        if not self.out[arm]:
            losses = draw_losses(self, arm, fewest, rng) if self.least[0] >= 1.0 else 0
            if losses <= fewest:
                above = highest if losses == fewest else -1.0
                value = beta_above(sharp * (self.won[arm] + 1.0), sharp * (self.lost[arm] + 1.0), above, rng)
                if value > above:
                    best, highest, fewest = arm, value, losses
    return best


@kernel
def draw_losses(self: SparAndCheck, arm: int, enough: int, rng: np.random.Generator) -> int:
    """How many pairs the arm has lost, drawn; more than `enough` are not counted."""
    losses = 0
    for other in range(self.n_arms):
        if losses <= enough and other != arm:
            risk = self.risk[arm, other]
            losses += 1 if risk > SETTLED else 0 if risk < 1.0 - SETTLED else rng.random() < risk
    return losses


@kernel
def draw_challenger(self: SparAndCheck, champion: int, log_t: float, rng: np.random.Generator) -> int:
    """The arm that the champion is drawn to do worst against, if that is below 1/2; itself if nobody is.

    A pair that the champion confidently loses teaches nothing more. That it wins a young pair may be luck, and what is
    foretold the same luck, for rates have few other duels: both together would be believed in for very long.
    """
    challenger, highest, trust = champion, 0.5, trusted(self)  # of how often the other wins
    heard = 2.0 * HEARD * max(0.0, log_t - 2.0 * math.log(self.n_arms))
    for arm in range(self.n_arms):
        if arm != champion and self.clock.place[arm * self.n_arms + champion] < 0:
            won, lost = self.clock.wins[champion, arm], self.clock.wins[arm, champion]
            few = CHECKS * log_t if self.against[arm] >= self.least[0] + 2.0 else LONGER * CHECKS * log_t
            if not self.out[arm] or self.least[0] >= 1.0 or matters(won, lost, few):
                chance = foretold(self, champion, arm)
                worth = worth_of(chance, trust) if chance > 0.5 else trust
                if won + lost < YOUNG and (won - lost) * abs(won - lost) < heard * (won + lost):
                    worth = 0.0
                value = beta_above(lost + worth * (1.0 - chance) + 1.0, won + worth * chance + 1.0, highest, rng)
                if value > highest:
                    challenger, highest = arm, value
    return challenger


@kernel
def matters(won: float, lost: float, few: float) -> bool:
    """Whether to ask about an arm that is out: a few times, longer if it leads, and on if it leads by a deviation."""
    met, behind = won + lost, lost - won
    return met < few or (behind > 0.0 and (met < LONGER * few or behind * behind > met))


@kernel
def find_opponent(self: SparAndCheck, champion: int, challenger: int) -> int:
    """Whom to duel the challenger with: the champion, or somebody who would put it out at a smaller cost.

    To tell a lead takes duels as the inverse of its square, and each costs what both arms are behind the champion.
    Leads of the champion are taken one deviation too large, those of others one too small: they must have shown it.
    """
    behind = ahead(self, champion, challenger)
    opponent, lowest = champion, 1.0 / behind
    for arm in range(self.n_arms):
        known = self.clock.place[arm * self.n_arms + challenger] >= 0  # that it beats the challenger: no more to learn
        if arm != champion and arm != challenger and not self.out[arm] and not known:
            shown = lead(self, arm, challenger, -1.0)
            if shown > 0.0:
                cost = (behind + ahead(self, champion, arm)) / (shown * shown)
                if cost < lowest:
                    opponent, lowest = arm, cost
    return opponent


@kernel
def ahead(self: SparAndCheck, champion: int, arm: int) -> float:
    """How far the champion is ahead of an arm, or behind it, at most."""
    return float(min(0.5, max(lead(self, champion, arm, 1.0), lead(self, arm, champion, 1.0))))


@kernel
def lead(self: SparAndCheck, arm: int, other: int, deviations: float) -> float:
    """By which the arm beats the other, and so many standard deviations more; they may never have met."""
    met = self.clock.wins[arm, other] + self.clock.wins[other, arm]
    if met == 0.0:
        return 0.5 * deviations
    shown = (self.clock.wins[arm, other] - self.clock.wins[other, arm]) / (2.0 * met)
    return float(shown + 0.5 * deviations / math.sqrt(met))


@kernel
def foretold(self: SparAndCheck, champion: int, arm: int) -> float:
    """How often the champion should win if strengths explained the rates of both."""
    mine = (self.won[champion] + 1.0) * (self.lost[arm] + 1.0)  # its odds, and those of the other, without dividing
    other = (self.won[arm] + 1.0) * (self.lost[champion] + 1.0)
    chance: float = min(MOST, max(1.0 - MOST, mine / (mine + other)))
    return chance


@kernel
def worth_of(chance: float, trust: float) -> float:
    """Duels that a foretold chance is worth: it must not be further from 1/2 than SURE of their deviations."""
    above = 2.0 * chance - 1.0
    return trust if trust * above * above < SURE * SURE else (SURE / above) * (SURE / above)


@kernel
def judge_foretelling(self: SparAndCheck, left: int, right: int, outcome: float) -> None:
    """Two surprises of one pair are as large as each other on average only if the pair is not what was foretold."""
    chance = foretold(self, left, right)
    surprise = outcome - chance
    met = self.clock.wins[left, right] + self.clock.wins[right, left]
    if met > 0.0:
        self.repeated[0] += surprise * self.surprise[left, right] / met
        self.chance[0] += chance * (1.0 - chance)
    self.surprise[left, right] += surprise
    self.surprise[right, left] -= surprise


@kernel
def trusted(self: SparAndCheck) -> float:
    """Duels that a foretold chance is worth: as many as make a Beta distribution err as foretold chances did.

    With two arms it is worth nothing: their rates are their duels with each other, which count anyway. With many arms
    it may be worth more: as many more pairs have shown how well chances are foretold.
    """
    if self.n_arms == 2:
        return 0.0
    more = max(1.0, self.n_arms / FEW)
    most = self.weight * more * more * more
    misfit = (self.repeated[0] + DOUBT / (FIRST + 1.0)) / (self.chance[0] + DOUBT)
    if misfit * (most + 1.0) <= 1.0:
        return float(most)
    return float(max(min(1.0, most), 1.0 / misfit - 1.0))
