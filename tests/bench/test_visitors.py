from __future__ import annotations

import numpy as np

from duelist.bench.visitors import visit
from duelist.dueling.simulate import simulate


def test_late_repeated_and_lost_clicks_cost_little() -> None:
    found = [visit("d-ts", "arxiv", 3000, seed) for seed in range(3)]
    assert {each.best for each in found} == {"r0"}
    counts = found[0].counts
    assert min(counts["repeated"], counts["late"], counts["skipped"]) > 50
    assert counts["shown"] == 3000 == counts["open"] + counts["learnt"] + counts["skipped"]
    regrets = np.array([each.regret for each in found])
    still = simulate("d-ts", "arxiv", horizon=3000, runs=200, seed=1)
    one = still.curve()[:, -1].std(ddof=1)  # of one run
    # 30 % at most, and as much more as three runs may be off; lists that are closed late cost twice as much.
    assert regrets.mean() < 1.3 * float(still.regret().mean) + 2 * one / np.sqrt(len(found))
