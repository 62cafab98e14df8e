from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from duelist.bench.budget import bench_budget, budget_table
from duelist.bench.certain import INSTANCES, bench_certain, certain_table
from duelist.core.errors import BadInput

FAKE = """#!{python}
import json, sys
job = json.load(sys.stdin)
assert job["delta"] == 0.05 and len(job["matrix"]) == 5 and 0.09 < job["gap"] < 0.1
print(json.dumps([{{"algorithm": "knockout", "duels": [10, 30, -1], "answers": [[0], [1], []]}}]))
"""


def test_a_line_a_policy_with_the_other_library_beside(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text(FAKE.format(python=sys.executable))
    fake.chmod(0o755)
    rows = bench_certain(runs=5, duelpy=str(fake), questions=["best"], instances=["easy"])
    assert {row.question for row in rows} == {"best"}
    assert all(row.right == 1 and row.never == 0 for row in rows[:-1])
    theirs = rows[-1]
    assert (theirs.library, theirs.duels) == ("duelpy", 20)
    assert theirs.right == pytest.approx(1 / 3)
    assert theirs.never == pytest.approx(1 / 3)
    assert theirs.duels < min(row.duels for row in rows[:-1])
    text = certain_table(rows)
    assert "20, 33.3%" in text
    assert all(row.policy in text for row in rows)


def test_sets_are_compared_as_sets_and_orders_as_orders() -> None:
    rows = bench_certain(runs=3, questions=["top three", "order"], instances=["easy"])
    assert all(row.right == 1 for row in rows)


def test_instances_are_in_order_the_best_first() -> None:
    for preference in INSTANCES.values():
        assert (preference[np.triu_indices(len(preference), 1)] > 0.5).all()


def test_what_cannot_be_asked_or_run_is_said() -> None:
    with pytest.raises(BadInput, match="a question must be one of best, top three, order, not 'worst'"):
        bench_certain(questions=["worst"])
    with pytest.raises(BadInput, match="cannot run the interpreter 'nowhere/python': No such file"):
        bench_certain(runs=1, duelpy="nowhere/python", questions=["order"], instances=["easy"])
    with pytest.raises(BadInput, match="'/bin/false' cannot run duelpy: it said nothing"):
        bench_certain(runs=1, duelpy="/bin/false", questions=["order"], instances=["easy"])


def test_a_budget_is_kept_and_more_of_it_finds_the_best_more_often() -> None:
    rows = bench_budget(runs=50, budgets=[20, 400], instances=["easy"])
    right = {(row.policy, row.budget): row.right for row in rows}
    for policy in ("rule-out", "single-elimination", "auto"):
        assert right[policy, 400] > max(0.7, right[policy, 20])
    assert "easy, 400" in str(budget_table(rows))
    with pytest.raises(BadInput, match="an instance must be one of easy, hard, near ties, prompts, not 'none'"):
        bench_budget(instances=["none"])
