"""A learner of one's own: FairPairs, whose preferences do not depend on where documents stood.

Radlinski, Joachims. Minimally Invasive Randomization for Collecting Unbiased Preferences. AAAI 2006.
"""

from typing import Any

import numpy as np

from duelist.core.memory import Flags, Ints, parameter, single
from duelist.online import Learner, learn
from duelist.online.impression import Impression
from duelist.online.page import Page, mix_page, rank_page, score_page
from duelist.testing import check_learner
from duelist.testing.learner import easy_fold


class Paired(Impression):
    """A list whose neighbours were swapped by coins, in pairs that begin at the first slot or at the second."""

    begin: Ints = single(int)


class FairPairs(Learner):
    """Swap neighbours by fair coins; who is clicked below a neighbour that is not was preferred to it."""

    impression = Paired
    rate: float = parameter(0.05, "how far the weights move for a pair", above=0)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        score_page(page, self.weights, 0)
        mix_page(page, rng)  # the order of documents with equal scores
        rank_page(page, self.length, 0)
        impression.count[0] = min(self.length, page.size)
        impression.begin[0] = int(rng.random() * 2)
        for slot in range(self.length):
            impression.shown[slot] = page.rankings[0, slot] if slot < impression.count[0] else -1
        for slot in range(impression.begin[0], impression.count[0] - 1, 2):
            if rng.random() < 0.5:
                upper = impression.shown[slot]
                impression.shown[slot] = impression.shown[slot + 1]
                impression.shown[slot + 1] = upper

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        for slot in range(impression.begin[0], impression.count[0] - 1, 2):
            if clicked[slot + 1] and not clicked[slot]:
                for column in range(self.n_features):
                    lead = impression.features[slot + 1, column] - impression.features[slot, column]
                    self.weights[0, column] += self.rate * lead


if __name__ == "__main__":
    check_learner(FairPairs)
    result = learn(FairPairs, easy_fold(), "navigational", impressions=5000, runs=5, seed=1)
    print(f"NDCG@10 of test queries: {result.final_ndcg.mean:.2f}")
