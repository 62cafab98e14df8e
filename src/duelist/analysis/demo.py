"""A made-up log of team draft impressions, for examples and tests."""

from __future__ import annotations

import numpy as np

from duelist.clicks.log import Record

START = 1_790_000_000.0  # in 2026
HOUR = 3600.0


def demo_log(
    users: int,
    appeal: dict[str, float],
    seed: int = 0,
    visits: int = 2,
    slots: int = 5,
    fair: bool = True,
) -> list[Record]:
    """Users who come a few times over two weeks and click a slot with the probability of its ranker.

    Not `fair`: the first ranker always picks first, as when the coins are broken.

    >>> record = demo_log(users=10, appeal={"old": 0.2, "new": 0.3})[0]
    >>> record.user, record.rankers, record.teams
    ('u0', ('old', 'new'), (0, 1, 0, 1, 1))
    """
    luck, rankers = np.random.default_rng(seed), tuple(appeal)
    records = []
    for user in range(users):
        arrival = START + 14 * 24 * HOUR * user / users
        for visit in range(luck.integers(1, visits + 1)):
            rounds = [luck.permutation(len(rankers)) if fair else np.arange(len(rankers)) for _ in range(slots)]
            teams = tuple(int(team) for team in np.concatenate(rounds)[:slots])
            clicks = tuple(s for s in range(slots) if luck.random() < appeal[rankers[teams[s]]])
            name = f"u{user}-{visit}"
            shown = tuple(f"d{slot}" for slot in range(slots))
            records.append(Record(name, f"u{user}", f"q{visit}", arrival + visit * HOUR, shown, clicks, rankers, teams))
    return records
