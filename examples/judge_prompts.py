"""Twelve prompts and a judge that costs money: how many calls find the best prompt, and be 95 % certain of it?

The judge here is simulated: it is noisy, ties now and then, and likes what it reads first. Put your own function in its
place. Round robin asks about all pairs in turn; a policy asks about those that matter.
"""

import statistics
import sys

import numpy as np

from duelist import Spec, run

PROMPTS = [f"prompt-{number}" for number in range(12)]
QUALITY = dict(zip(PROMPTS, [1.5, *np.linspace(0.6, -1.0, 11)], strict=True))  # log-odds
NAMES = ("uniform", "rucb", "rmed1", "self-sparring", "auto", "rule-out")  # the first is round robin
UNTIL = {"rule-out": "own"}  # it is certain by itself, if one prompt beats each other one; of others, proofs are asked
FIRST = 0.4  # what is read first gains


def make_judge(seed: int):
    luck = np.random.default_rng(seed)

    def judge(first: str, second: str) -> str:
        if luck.random() < 0.1:
            return "tie"
        chance = 1 / (1 + np.exp(QUALITY[second] - QUALITY[first] - FIRST))
        return first if luck.random() < chance else second

    return judge


def make(name: str, seed: int):
    return Spec.read("policy", name).make(arms=PROMPTS, seed=seed)


def calls_of(name: str, seeds: int) -> list[int]:
    """Calls until it is certain, eight at a time; a wrong answer is said."""
    found = []
    for seed in range(seeds):
        until = UNTIL.get(name, 0.95)
        judged = run(make(name, seed), make_judge(seed), budget=100_000, until=until, concurrency=8, seed=seed)
        found.append(judged.calls)
        if judged.best != PROMPTS[0]:
            print(f"seed {seed}: certain of {judged.best}, which is wrong")
    return found


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    judged = run(make("auto", 0), make_judge(0), budget=5000)
    print(f"{judged.best} after {judged.calls} calls, stopped: {judged.stopped_by}\n")
    print(judged.leaderboard)
    print(f"\ncalls until 95 % certain, {seeds} seeds\n\npolicy         median  least   most")
    for name in NAMES:
        calls = calls_of(name, seeds)
        print(f"{name:<14} {statistics.median(calls):>6.0f} {min(calls):>6} {max(calls):>6}")
