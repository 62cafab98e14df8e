"""An environment of one's own: a judge who grades, and whose grades are noisy."""

from typing import Annotated, Any

import numpy as np

from duelist import ENVIRONMENTS, Environment, simulate
from duelist.core.memory import Floats
from duelist.core.named import named
from duelist.core.parameters import limits
from duelist.dueling.environment import STRONG, WEAK, pack


class NoisyJudge(Environment):
    """Outcomes are grades from 0 to 1: 1/2, and half the lead in quality of the left arm, and noise."""

    sums = ("strong", "weak")  # the regrets that `account` adds up

    def __init__(self, quality: Any, noise: float = 0.2) -> None:
        self.quality, self.noise = np.asarray(quality, float), float(noise)
        self.n_arms, self.best = len(self.quality), int(self.quality.argmax())

    def memory(self, horizon: int) -> Any:
        """What `self` is inside `duel` and `account`, which compile."""
        gap = 0.5 * (self.quality.max() - self.quality)
        return pack(quality=self.quality, noise=self.noise, gap=gap, best=self.best)

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        grade = 0.5 + 0.5 * (self.quality[left] - self.quality[right]) + self.noise * (rng.random() - 0.5)
        return min(1.0, max(0.0, grade))

    def account(self, t: int, left: int, right: int, totals: Floats) -> bool:
        totals[STRONG] += 0.5 * (self.gap[left] + self.gap[right])
        totals[WEAK] += min(self.gap[left], self.gap[right])
        return left == self.best and right == self.best

    def best_arms(self, view: str, horizon: int) -> list[int]:
        return [self.best]

    def describe(self) -> str:
        return f"a noisy judge of {self.n_arms} arms"


@named(ENVIRONMENTS, "noisy-judge")
def noisy_judge(arms: Annotated[int, limits("how many", low=2)] = 5, noise: float = 0.2) -> NoisyJudge:
    """So that it has a name, parameters that are checked, and a spec."""
    return NoisyJudge(np.linspace(0.9, 0.1, arms), noise)


if __name__ == "__main__":
    for policy in ("rucb", "uniform"):
        print(simulate(policy, "noisy-judge:arms=6", horizon=5000, runs=10, seed=1))
