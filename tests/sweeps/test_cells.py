"""Cells: made in parts they are the same, taken apart and put together too, and a key says what they are."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.spec import Spec
from duelist.dueling.environments import Matrix
from duelist.online.continuous import Drift
from duelist.sweeps import Cell, DescentRuns, Folder, LearnerRuns, PolicyRuns, run_cells

POLICY = PolicyRuns(Spec("policy", "rucb", {"alpha": 1.0}), "arxiv", 300, runs=4, points=5)
LEARNER = LearnerRuns(Spec("learner", "pdgd"), "synthetic:queries=30", impressions=100, runs=3, points=4)
DESCENT = DescentRuns("dbgd", "p1", 3, 200, 3, parameters={"factor": 0.5}, start=1.0, points=4)
CELLS: list[Cell] = [
    POLICY,
    replace(POLICY, policy=Spec("policy", "uniform"), environment="abrupt:arms=3,stretch=100"),
    replace(POLICY, environment=Matrix([[0.5, 0.8], [0.2, 0.5]], "two")),
    LEARNER,
    replace(LEARNER, drift="abrupt:times=50,seed=1"),
    DESCENT,
]


def without_speed(result: Any) -> dict[str, Any]:
    return {
        name: {n: a.tolist() for n, a in value.items()} if name == "sums" else np.asarray(value).tolist()
        for name, value in vars(result).items()
        if not name.endswith("per_second")
    }


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_a_cell_made_in_parts_and_kept_is_the_one_made_at_once(cell: Cell, tmp_path: Path) -> None:
    whole = cell.run(0, cell.runs)
    assert without_speed(cell.join([cell.run(0, 1), cell.run(1, cell.runs - 1)])) == without_speed(whole)
    kept = Folder(tmp_path, [cell])
    run_cells([cell], kept)
    again = Folder(tmp_path, [cell]).result(0)
    assert type(again) is type(whole)
    assert without_speed(again) == without_speed(whole)
    cell.check()


def test_a_key_does_not_depend_on_how_it_was_written_nor_on_the_number_of_runs() -> None:
    same = [
        replace(POLICY, runs=100),
        replace(POLICY, policy=Spec.read("policy", "rucb:alpha=1")),
        replace(POLICY, environment="arxiv"),
        replace(POLICY, policy=Spec.read("policy", {"name": "rucb", "alpha": 1})),
    ]
    assert {cell.key for cell in same} == {POLICY.key}
    default = replace(POLICY, policy=Spec("policy", "rucb"))
    assert replace(default, policy=default.policy.complete()).key == default.key != POLICY.key
    worst = replace(POLICY, environment="worst-case:arms=9")
    assert replace(POLICY, environment="worst-case:epsilon=0.1,arms=9").key == worst.key


@pytest.mark.parametrize(
    "cell",
    [
        replace(POLICY, horizon=301),
        replace(POLICY, seed=1),
        replace(POLICY, points=6),
        replace(POLICY, engine="cuda"),
        replace(POLICY, environment="cyclic"),
        replace(POLICY, environment=Matrix([[0.5, 0.8], [0.2, 0.5]])),
        replace(POLICY, environment=Matrix([[0.5, 0.9], [0.1, 0.5]])),
        replace(LEARNER, fold=2),
        replace(LEARNER, clicks="perfect"),
        replace(LEARNER, seed=1),
        replace(LEARNER, stop="examined"),
        replace(LEARNER, drift="fixed"),
        replace(DESCENT, value="p2"),
        replace(DESCENT, start=None),
        replace(DESCENT, dimension=4),
        replace(DESCENT, drift=Drift(2.0)),
        replace(DESCENT, drift=Drift(2.0, turns=1.0)),
    ],
    ids=str,
)
def test_a_key_changes_with_whatever_numbers_depend_on(cell: Cell) -> None:
    others = [POLICY, LEARNER, DESCENT, replace(POLICY, environment=Matrix([[0.5, 0.7], [0.3, 0.5]]))]
    assert cell.key not in {other.key for other in others}


def test_a_key_changes_with_the_code_of_ones_own_policy_not_with_its_comments(tmp_path: Path) -> None:
    policy = """
        from duelist.dueling import Duel, Policy

        class Mine(Policy):
            def choose(self, t, rng):
                return Duel(0, LEFT, t)

            def update(self, duel, outcome, t, rng):
                pass

            def best_arm(self):
                return 0
    """
    script = """
        from duelist.core.spec import Spec
        from duelist.sweeps import PolicyRuns
        print(PolicyRuns(Spec("policy", "my_module:Mine"), "cyclic", 10).key)
    """
    keys = []
    for first in ("LEFT = 1", "LEFT = 1  # the other", "LEFT = 2"):
        (tmp_path / "my_module.py").write_text(f"{first}\n{textwrap.dedent(policy)}")
        command = [sys.executable, "-B", "-c", textwrap.dedent(script)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        keys.append(done.stdout)
    assert keys[0] == keys[1] != keys[2]
