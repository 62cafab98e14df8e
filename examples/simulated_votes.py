"""How many votes does it take? Simulated people vote on what a policy asks, until it is certain which thing is best.

People prefer the better of two more often than not, and find one in ten pairs equal. Nobody is asked the same twice.
"""

import statistics
import sys

import numpy as np

from duelist.live import LocalExperiments
from duelist.storage import MemoryJournal

WORLDS = {  # strengths in log-odds, prompts, and how many votes a person gives at most
    "6 designs, all pairs each": ([1.2, 0.4, 0.2, 0.0, -0.2, -0.4], 1, 15),
    "6 designs, 4 votes each": ([1.2, 0.4, 0.2, 0.0, -0.2, -0.4], 1, 4),
    "12 designs, 20 votes each": ([1.5, *np.linspace(0.6, -1.0, 11)], 1, 20),
    "5 models, 50 prompts, 1 person": ([1.2, 0.4, 0.2, 0.0, -0.4], 50, 10_000),
}
POLICIES = ("rmed1", "d-ts", "rucb", "uniform")


def votes_until_certain(policy: str, strengths: list[float], prompts: int, most: int, seed: int) -> int:
    """Votes until it is certain; a wrong answer is said."""
    luck = np.random.default_rng(seed)
    arms = [f"thing {number}" for number in luck.permutation(len(strengths))]
    strength = dict(zip(arms, strengths, strict=True))
    contents = [{"prompt": f"prompt {p}", "answers": dict.fromkeys(arms, "an answer")} for p in range(prompts)]
    experiments = LocalExperiments(MemoryJournal(), luck)
    definition = {"name": "vote", "kind": "arms", "arms": sorted(arms), "policy": policy, "contents": contents}
    experiment = experiments.define({**definition, "stop": {"rule": "evidence"}})
    experiment.start()
    votes = person = given = 0
    while experiments.state("vote").phase == "running":
        asked = experiment.question(user=f"person {person}")
        if asked.id is None or given == most:
            person, given = person + 1, 0
            continue
        chance = 1 / (1 + np.exp(strength[asked.right] - strength[asked.left]))
        experiment.tell(asked.id, outcome=0.5 if luck.random() < 0.1 else float(luck.random() < chance))
        votes, given = votes + 1, given + 1
    if experiments.state("vote").winner() != arms[0]:
        print(f"{policy}, seed {seed}: a wrong answer")
    experiments.close()
    return votes


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    policies = sys.argv[2:] or POLICIES
    print(
        f"votes until 95 % certain, median (least to most) of {seeds}\n\n{'':<32}"
        + "".join(f"{p:<22}" for p in policies)
    )
    for world, (strengths, prompts, most) in WORLDS.items():
        cells = []
        for policy in policies:
            found = [votes_until_certain(policy, strengths, prompts, most, seed) for seed in range(seeds)]
            cells.append(f"{statistics.median(found):.0f} ({min(found)} to {max(found)})")
        print(f"{world:<32}" + "".join(f"{cell:<22}" for cell in cells), flush=True)
