"""Two click models of one's own: people who skim, fitted to nothing, and simulated users for learners."""

from collections.abc import Sequence

import numpy as np

from duelist.clicks import CLICKS, Cascade, ClickModel, PositionBased
from duelist.clicks.model import Chances, OnePage, look_up
from duelist.clicks.pages import Slots
from duelist.core.memory import Floats
from duelist.online import learn
from duelist.testing.learner import easy_fold


class Skimming(ClickModel):
    """Each slot is looked at with the chance `patience` of the one above; an attractive document is clicked then."""

    def __init__(self, attractiveness: Chances, patience: float = 0.8, prior: float = 0.5) -> None:
        self.attractiveness, self.patience, self.prior = attractiveness, patience, prior

    def predict(self, slots: Slots, given_clicks: bool) -> Floats:
        """The click probability of every slot of many pages at once: `slots` has their keys and ranks."""
        return np.asarray(look_up(self.attractiveness, slots, self.prior) * self.patience**slots.rank)

    def clicks(self, documents: Sequence[str], rng: np.random.Generator, query: str = "") -> list[int]:
        chance = self.probabilities(documents, query=query)
        return np.flatnonzero(rng.random(chance.size) < chance).tolist()


def hurried(patience: float = 0.5) -> Cascade:
    """Users by grade, as `learn` and `--clicks` take them: most leave after a document, clicked or not."""
    return Cascade(click=[0.1, 0.5, 0.9], stop=[1 - patience] * 3, rule="examined")


CLICKS.add("hurried", hurried)  # as a name; in another module, my_clicks:hurried

if __name__ == "__main__":
    truth, rng = Skimming({("jazz", "a"): 0.9, ("jazz", "b"): 0.3, ("jazz", "c"): 0.6}), np.random.default_rng(1)
    lists = [rng.permutation(["a", "b", "c"]).tolist() for _ in range(2000)]
    pages = [OnePage("jazz", shown, truth.clicks(shown, rng, "jazz")) for shown in lists]
    for name, model in (("skimming, the truth", truth), ("position-based, fitted", PositionBased.fit(pages))):
        print(f"perplexity of {name}: {model.perplexity(pages).overall:.3f}")
    result = learn("pdgd", easy_fold(), "hurried:patience=0.9", impressions=2000, runs=2, seed=1)
    print(f"NDCG@10 learnt from the hurried: {result.final_ndcg.mean:.2f}")
