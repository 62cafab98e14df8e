"""Spar and check: each step is what the text says, and it finds what self-sparring never finds."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare, norm

from duelist import SparAndCheck, simulate
from duelist.core.memory import Flags, Floats
from duelist.dueling.environments import bradley_terry
from duelist.dueling.environments.instances import tournament

# The last arm beats each other one, and the first has the best average: no utilities stand behind this.
HIDDEN = np.array(
    [
        [0.5, 0.98, 0.98, 0.98, 0.42],
        [0.02, 0.5, 0.5, 0.5, 0.45],
        [0.02, 0.5, 0.5, 0.5, 0.45],
        [0.02, 0.5, 0.5, 0.5, 0.45],
        [0.58, 0.55, 0.55, 0.55, 0.5],
    ]
)

# More arms than few: the first one is drawn boldly.
MANY = bradley_terry(np.linspace(1, 3, 13)).preference
# So many that foretold chances are worth more than 40 duels, all alike.
ALIKE = bradley_terry(np.linspace(1, 1.3, 40)).preference
# Nobody beats all others: who has lost the fewest pairs is drawn.
CIRCLES = tournament(7, seed=3).preference
TWO = bradley_terry([1.0, 0.7]).preference


def taught(seed: int, duels: int, matrix: Floats) -> tuple[SparAndCheck, Plain]:
    policy, luck, plain = SparAndCheck(len(matrix), seed=seed), np.random.default_rng(seed), Plain(len(matrix))
    for _ in range(duels):
        left, right = (int(arm) for arm in luck.integers(0, len(matrix), 2))
        outcome = float(luck.random() < matrix[left, right])
        policy.apply(policy.ask()._replace(left=left, right=right, id=""), outcome)
        plain.tell(left, right, outcome)
    return policy, plain


class Plain:
    """The same from tables alone, written for this test: all bounds, rates and chances anew before each duel."""

    def __init__(self, n_arms: int) -> None:
        self.wins, self.surprise = np.zeros((n_arms, n_arms)), np.zeros((n_arms, n_arms))
        self.told, self.repeated, self.chance = 0, 0.0, 0.0
        self.against, self.losses, self.out = np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms, bool)
        self.risk, self.least = np.zeros((n_arms, n_arms)), 0.0

    def rates(self) -> tuple[Floats, Floats]:
        """Duels won and lost against those that are not out, each and one."""
        return self.wins[:, ~self.out].sum(1) + 1, self.wins[~self.out].sum(0) + 1

    def foretold(self, arm: int) -> Floats:
        won, lost = self.rates()
        return np.asarray(np.clip(won[arm] / lost[arm] / (won[arm] / lost[arm] + won / lost), 0.05, 0.95))

    def worth(self, chance: Floats) -> Floats:
        """Duels that a foretold chance is worth: at most so many that it is 3.25 deviations from 1/2."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.minimum(self.trust(), (3.25 / (2 * chance - 1)) ** 2))

    def tell(self, left: int, right: int, outcome: float) -> None:
        if left != right:
            chance = self.foretold(left)[right]
            if met := self.wins[left, right] + self.wins[right, left]:
                self.repeated += (outcome - chance) * self.surprise[left, right] / met
                self.chance += chance * (1 - chance)
            self.surprise[left, right] += outcome - chance
            self.surprise[right, left] -= outcome - chance
            self.wins[left, right] += outcome
            self.wins[right, left] += 1 - outcome
        self.told += 1
        looked_at = {self.told % len(self.wins)} | ({left, right} if left != right else set())
        for arm in looked_at:
            self.against[arm] = self.speaks_against(arm)
        least = self.against.min()
        if least >= 1:
            for arm in range(len(self.wins)) if self.least < 1 else sorted(looked_at):
                self.expect(arm)
            least = max(least, self.losses.min())
        self.least = least
        self.out = self.against >= (least + 1.02 if least >= 1 else min(least + 1.02, 1.5))

    def speaks_against(self, arm: int) -> float:
        """The sum over the pairs that it seems to lose, of which a confident one is 1."""
        won, lost = self.wins[arm], self.wins[:, arm]
        behind = lost > won
        shown = ((lost - won)[behind] ** 2 / (won + lost)[behind] / 2 - 0.5) / 1.02
        log_t = math.log(self.told + 1)
        return float(
            np.where(shown >= log_t, 1, np.clip(shown, 0, None) / (log_t + 0.2 * max(0, len(self.wins) - 30))).sum()
        )

    def expect(self, arm: int) -> None:
        chance = self.foretold(arm)
        worth = self.worth(chance)
        won, lost = self.wins[arm] + worth * chance, self.wins[:, arm] + worth * (1 - chance)
        risk = norm.cdf((lost - won) / np.sqrt(won + lost + 1))
        risk[arm] = 0
        self.risk[arm], self.risk[:, arm] = risk, 1 - risk
        self.losses[arm] = risk.sum()

    def trust(self) -> float:
        if len(self.wins) == 2:
            return 0.0
        misfit = (self.repeated + 10 / 21) / (self.chance + 10)
        most = 40.0 * max(1.0, len(self.wins) / 10) ** 3
        return most if misfit <= 0 else min(max(1 / misfit - 1, 1.0), most)

    def draw(self, sharp: float, luck: np.random.Generator) -> int:
        won, lost = self.rates()
        drawn = luck.beta(sharp * won, sharp * lost)
        if self.least >= 1:  # by lost pairs first, and then by the rate
            pairs = luck.random(self.risk.shape) < self.risk
            np.fill_diagonal(pairs, False)
            drawn = drawn - pairs.sum(1)
        return int(np.where(self.out, -np.inf, drawn).argmax())

    def choose(self, luck: np.random.Generator) -> tuple[int, int]:
        arms, log_t = len(self.wins), math.log(self.told + 1)
        counts = self.wins + self.wins.T
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = np.where(counts > 0, self.wins / counts + np.sqrt(0.51 * log_t / counts), np.inf)
        np.fill_diagonal(upper, np.inf)
        bold = 1 + 3 * arms * max(0, arms - 10) / (self.told + 1)
        left = self.draw(bold, luck)
        right = self.draw(1, luck) if self.least < 1 else left
        if left == right:
            mine, theirs, chance = self.wins[left], self.wins[:, left], self.foretold(left)
            worth = np.where(chance > 0.5, self.worth(chance), self.trust())
            shown, least = np.sign(mine - theirs) * (mine - theirs) ** 2, 1.3 * max(0.0, log_t - 2 * math.log(arms))
            worth[(mine + theirs < 50) & (shown < least * (mine + theirs))] = 0  # too early to foretell anything
            drawn = luck.beta(mine + worth * chance + 1, theirs + worth * (1 - chance) + 1)
            drawn[left] = 0.5
            few, met = np.where(self.against < self.least + 2, 8, 2) * log_t, mine + theirs
            enough = np.where(mine >= theirs, met >= few, (met >= 4 * few) & (theirs - mine <= np.sqrt(met)))
            drawn[(upper[left] < 0.5) | (self.out & enough & (self.least < 1))] = 1
            right = int(drawn.argmin()) if drawn.min() < 0.5 else left
            if left != right and not self.out[right] and self.least < 1:
                left = self.opponent(left, right, self.out | (upper[right] < 0.5))
        return left, right

    def opponent(self, champion: int, challenger: int, useless: Flags) -> int:
        with np.errstate(divide="ignore", invalid="ignore"):
            counts = self.wins + self.wins.T
            shown = (self.wins - self.wins.T) / (2 * counts)
            width = 0.5 / np.sqrt(counts)
            behind = np.where(counts > 0, np.minimum(np.abs(shown) + width, 0.5), 0.5)[champion]
            least = np.where(counts > 0, shown - width, -1)[:, challenger]
            cost = np.where((least > 0) & ~useless, (behind[challenger] + behind) / least**2, np.inf)
        cost[champion] = 1 / behind[challenger]
        return int(cost.argmin())


@pytest.mark.parametrize(
    ("matrix", "duels"),
    [
        (HIDDEN, 12),
        (HIDDEN, 60),
        (HIDDEN, 150),
        (HIDDEN, 600),
        (1 - HIDDEN, 300),
        (MANY, 40),
        (MANY, 150),
        (ALIKE, 600),
        (TWO, 9),
        (TWO, 40),
        (CIRCLES, 250),
        (CIRCLES, 600),
        (CIRCLES, 2000),
        (CIRCLES, 6000),
    ],
)
def test_every_pair_is_chosen_as_often_as_by_a_plain_transcription(matrix: Floats, duels: int) -> None:
    policy, transcribed = taught(1, duels, matrix)
    assert policy.out.astype(bool).tolist() == transcribed.out.tolist()
    assert policy.repeated[0] == pytest.approx(transcribed.repeated)
    luck, draws = np.random.default_rng(2), 8000
    ours = Counter(policy.draw(luck)[:2] for _ in range(draws))
    plain = Counter(transcribed.choose(luck) for _ in range(draws))
    common = [pair for pair in {*ours, *plain} if ours[pair] + plain[pair] >= 20]
    seen = [[counts[pair] for pair in common] for counts in (ours, plain)]
    seen = [[*counts, draws - sum(counts)] for counts in seen]  # pairs that are rare, together
    if not seen[0][-1] + seen[1][-1]:
        seen = [counts[:-1] for counts in seen]
    mean = np.mean(seen, axis=0)
    p = chisquare(np.concatenate(seen), np.concatenate([mean, mean]), ddof=len(mean), sum_check=False).pvalue
    assert len(mean) == 1 or p > 1e-6


def test_it_finds_a_winner_that_self_sparring_never_finds() -> None:
    """A rival beats all others clearly, and loses to the winner by a hair: it stays what self-sparring believes in."""
    checked, alone = (
        simulate(name, "bvs-20", horizon=100_000, runs=20, seed=1, progress=False)
        for name in ("spar-and-check", "self-sparring")
    )
    assert alone.best_arm_rate == 0.0
    assert checked.best_arm_rate >= 0.7
    assert checked.curve()[:, -1].mean() < 0.8 * alone.curve()[:, -1].mean()


def test_a_winner_is_not_missed_because_a_rival_beats_all_others() -> None:
    """Measured: 106 ± 11. It was 344 ± 40, and 7 % of the runs had not found it, when rates counted from the start."""
    matrix = np.full((8, 8), 0.5)
    matrix[1, 2:], matrix[2:, 1] = 0.9, 0.1
    matrix[0, 1:], matrix[1:, 0] = 0.55, 0.45
    result = simulate("spar-and-check", matrix, horizon=40_000, runs=200, seed=1, progress=False)
    assert result.best_arm_rate >= 0.97
    assert result.curve()[:, -1].mean() < 200


def test_without_a_condorcet_winner_copeland_regret_flattens() -> None:
    result = simulate("spar-and-check", "no-condorcet", horizon=40_000, runs=20, seed=1, points=5, progress=False)
    regret = result.curve("copeland").mean(0)
    assert result.best_arm_rate >= 0.9
    assert regret[-1] < 600
    worst = simulate("self-sparring", "no-condorcet", horizon=40_000, runs=20, seed=1, points=5, progress=False)
    assert regret[-1] < 0.2 * worst.curve("copeland").mean(0)[-1]


def test_where_nothing_foretells_a_pair_the_arm_that_lost_the_fewest_is_found() -> None:
    """Measured: 970 ± 40; d-ts 2,450 ± 90. It was 1,900 when two arms drawn so duelled each other, and 6,500 before."""
    place = "tournament:arms=10,seed=1"
    result = simulate("spar-and-check", place, horizon=100_000, runs=40, seed=1, points=6, progress=False)
    assert result.best_arm_rate >= 0.95
    assert result.curve("copeland")[:, -1].mean() < 1500


def test_the_best_are_not_out_because_they_beat_each_other() -> None:
    """Three arms in a circle have lost one pair each, long before others have. It was 8,100 ± 1,300.

    Were a sure loss enough to put an arm out where another has lost none, a run in a hundred would go astray for ever.
    """
    place = "circle:arms=20,seed=1"
    result = simulate("spar-and-check", place, horizon=40_000, runs=400, seed=1, points=6, progress=False)
    assert result.best_arm_rate >= 0.998
    assert result.curve("copeland")[:, -1].max() < 2500


def test_who_surely_lost_two_pairs_is_not_believed_in_because_another_may_have_lost_none() -> None:
    """Measured: 135, and 901 at most. Were two pairs not too many, some runs would lose 0.08 a duel, 3,200 in all."""
    result = simulate("spar-and-check", "no-condorcet", horizon=40_000, runs=1000, seed=1, points=5, progress=False)
    assert result.best_arm_rate >= 0.998
    assert result.curve("copeland")[:, -1].max() < 1000


def test_it_loses_less_than_those_it_takes_from_on_arxiv() -> None:
    """Measured: 88 ± 6, d-ts 120 ± 1. Few runs would not do: one in a hundred loses ten times as much."""
    ours, theirs = (
        simulate(name, "arxiv", horizon=30_000, runs=320, seed=1, progress=False).curve()[:, -1]
        for name in ("spar-and-check", "d-ts")
    )
    error = math.hypot(ours.std(), theirs.std()) / math.sqrt(320)
    assert ours.mean() + 3 * error < theirs.mean()


def test_of_two_arms_the_worse_is_not_believed_in_for_long() -> None:
    """Measured with 2,400 runs: 30; where rates counted beside the duels of the pair, 59, for 8 in 1,000 were lost."""
    result = simulate("spar-and-check", [[0.5, 0.55], [0.45, 0.5]], horizon=100_000, runs=800, seed=1, progress=False)
    assert result.curve()[:, -1].mean() < 40


def test_with_many_arms_and_few_duels_one_side_explores() -> None:
    """Measured: 143 ± 15. Self-sparring, whose two sides both explore, 186 ± 4, and so was this before."""
    bold = simulate("spar-and-check", "bradley-terry:arms=100,seed=3", horizon=1000, runs=16, seed=1, progress=False)
    sparring = simulate("self-sparring", "bradley-terry:arms=100,seed=3", horizon=1000, runs=16, seed=1, progress=False)
    assert bold.curve()[:, -1].mean() < 0.9 * sparring.curve()[:, -1].mean()
