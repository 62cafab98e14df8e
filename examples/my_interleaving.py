"""An interleaving method of one's own: one draw decides who picks first, and then rankers take turns."""

from collections.abc import Hashable, Sequence
from itertools import permutations

import numpy as np

from duelist.interleaving.method import Method, Rankings, Shown, check_rankings
from duelist.testing import check_interleaving


class Alternating(Method):
    """Rankers take turns in an order drawn once for the list; a click counts for who picked the document.

    What `credit` needs, the team of each slot, is in the shown list; so it is not written here.
    """

    extends = True  # the same luck makes a longer list that begins with the shorter one

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        return self.take_turns(checked, length, rng.permutation(len(checked)).tolist())

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        """Every list with its probability: with it, the auditor is exact."""
        checked = check_rankings(self, rankings, length)
        orders = list(permutations(range(len(checked))))
        return [(1 / len(orders), self.take_turns(checked, length, order)) for order in orders]

    def take_turns(self, rankings: Sequence[Sequence[Hashable]], length: int, order: Sequence[int]) -> Shown:
        picked: dict[Hashable, int] = {}
        documents = {document for ranking in rankings for document in ranking}
        while len(picked) < len(documents):
            for ranker in order:
                new = [document for document in rankings[ranker] if document not in picked]
                picked.update(dict.fromkeys(new[:1], ranker))
        shown = list(picked)[:length]
        return Shown(tuple(shown), len(rankings), self.text, tuple(picked[document] for document in shown))


if __name__ == "__main__":
    print(check_interleaving(Alternating, require=("unbiased", "considerate")))
