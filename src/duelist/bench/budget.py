"""A fixed number of duels: how often is the arm that a policy names then the best one?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from duelist.bench.certain import INSTANCES
from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.dueling.simulate import simulate
from duelist.present.tables import Table

BUDGETS = (50, 100, 200, 400)
POLICIES = ("rule-out", "single-elimination:budget={budget}", "auto", "self-sparring", "rucb", "rmed1", "uniform")


class Row(NamedTuple):
    """A policy on an instance."""

    policy: str
    instance: str
    budget: int
    right: float  # share of runs


def bench_budget(
    runs: int = 1000, budgets: Sequence[int] = BUDGETS, instances: Sequence[str] = ("easy", "prompts")
) -> list[Row]:
    """Each policy with each budget. A duel of an arm with itself counts, as in any simulation.

    >>> bench_budget(runs=20, budgets=[200], instances=["easy"])[0].right > 0.5
    True
    """
    if unknown := [name for name in instances if name not in INSTANCES]:
        raise BadInput(f"an instance must be one of {', '.join(INSTANCES)}, not {unknown[0]!r}")
    rows = []
    with progress_bar("budget", len(POLICIES) * len(instances) * len(budgets)) as advance:
        for policy in POLICIES:
            for instance in instances:
                for budget in budgets:
                    spec = policy.format(budget=budget)
                    result = simulate(spec, INSTANCES[instance], budget, runs, seed=1, points=1, progress=False)
                    rows.append(Row(policy.split(":")[0], instance, budget, result.best_arm_rate))
                    advance(1)
    return rows


def budget_table(rows: Sequence[Row]) -> Table:
    """A line a policy, a column an instance and budget."""
    columns = list(dict.fromkeys((row.instance, row.budget) for row in rows))
    found = {(row.policy, row.instance, row.budget): f"{row.right:.1%}" for row in rows}
    names = list(dict.fromkeys(row.policy for row in rows))
    lines = [[name, *(found[name, *column] for column in columns)] for name in names]
    headings = ["policy", *(f"{instance}, {budget:,}" for instance, budget in columns)]
    return Table(headings, lines, title="how often the best arm is named after so many duels")
