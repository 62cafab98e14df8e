"""A search experiment, whole: a policy picks two rankers, one list shows both, clicks decide, a log is kept.

python examples/search_experiment.py
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from duelist import Auto, Duel, analyze
from duelist.clicks import Record, read_log, write_log
from duelist.interleaving import Shown, TeamDraft

Ranker = Callable[[str], Sequence[str]]


class SearchExperiment:
    """Rankers by name: each gives documents for a query, best first."""

    def __init__(
        self, rankers: Mapping[str, Callable[[str], Sequence[str]]], log: Path, seed: int | None = None
    ) -> None:
        self.rankers, self.log, self.method = rankers, log, TeamDraft()
        self.policy = Auto(arms=list(rankers), seed=seed).warm_up()  # so that the first visitor does not wait
        self.luck = np.random.default_rng(seed)

    def show(self, query: str, length: int = 10) -> tuple[Duel, Shown]:
        """What to show; keep both until the clicks are in."""
        duel = self.policy.ask()
        if duel.left == duel.right:  # nothing to learn: show the ranker itself
            return duel, Shown(tuple(self.rankers[duel.left](query)[:length]), rankers=1)
        lists = [self.rankers[arm](query) for arm in (duel.left, duel.right)]
        return duel, self.method.combine(lists, length, self.luck)

    def learn(self, duel: Duel, shown: Shown, clicks: Sequence[int], user: str, query: str, time: float) -> None:
        """Once for each page shown, when its clicks are in."""
        if duel.left == duel.right:
            self.policy.tell(duel, 0.5)  # it must be told, or the policy's time stands still
            record = Record(duel.id, user, query, time, shown.ranking, tuple(clicks), rankers=(duel.left,))
        else:
            left, right = self.method.credit(shown, clicks)
            if len(clicks):  # a page that nobody clicked says nothing: it is not a tie
                self.policy.tell(duel, 0.5 + 0.5 * float(np.sign(left - right)))
            arms = (duel.left, duel.right)
            record = shown.record(id=duel.id, user=user, query=query, time=time, rankers=arms, clicks=clicks)
        write_log([record], self.log, mode="append")


if __name__ == "__main__":
    rankers = {"bm25": lambda query: "ecabd", "ltr-v3": lambda query: "abcde", "vector": lambda query: "bacde"}
    appeal = {"a": 0.4, "b": 0.25, "c": 0.15, "d": 0.1, "e": 0.05}  # how likely a document is clicked
    with TemporaryDirectory() as folder:
        search = SearchExperiment(rankers, Path(folder, "log.jsonl"), seed=1)
        for visit in range(6000):
            duel, shown = search.show("jazz", length=3)
            clicks = [place for place, found in enumerate(shown.ranking) if search.luck.random() < appeal[found]]
            search.learn(duel, shown, clicks, f"u{visit // 2}", "jazz", 1_790_000_000 + 300.0 * visit)
        print(f"best: {search.policy.best()}\n\n{analyze(read_log(search.log))}")
