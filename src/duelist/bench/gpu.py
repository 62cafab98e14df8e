"""Policies on a GPU: how fast they are, and whether they do there what they do on the CPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from duelist.bench.policies import ENVIRONMENTS
from duelist.core.cuda import Device
from duelist.core.progress import progress_bar
from duelist.dueling.policy import POLICIES
from duelist.dueling.simulate import simulate
from duelist.present.tables import Table

# Thousand million duels a second that each policy should reach on one H200, by the number of arms.
FLOORS: dict[tuple[str, int], float] = {
    ("rucb", 6): 9,
    ("rmed1", 6): 14,
    ("d-ts", 6): 4,
    ("rex3", 6): 20,
    ("if2", 6): 20,
    ("savage", 6): 30,
    ("rucb", 16): 7,
    ("rucb", 64): 1,
    ("rmed1", 64): 2.5,
    ("d-ts", 64): 0.05,
}

INSTANCES = ("arxiv", "bvs-20", "cyclic", "abrupt")
HORIZON = 10_000  # of the agreement: long enough that policies settle
ERRORS = 3.5  # standard errors of a difference that are no disagreement


def bench_speed(horizon: int, runs: int, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """A row for each policy and number of arms of FLOORS, or of `names` alone."""
    cells = [cell for cell in FLOORS if not names or cell[0] in names]
    rows = []
    with progress_bar("bench gpu", len(cells)) as advance:
        for name, arms in cells:
            result = simulate(name, ENVIRONMENTS[arms], horizon, runs, 1, engine="cuda", points=1, progress=False)
            row = {
                "policy": name,
                "arms": arms,
                "horizon": horizon,
                "runs": runs,
                "steps_per_second": result.steps_per_second,
                "floor": FLOORS[name, arms] * 1e9,
                "regret": result.summary()["regret"]["strong"],
                "device": Device().name,
            }
            rows.append(row)
            advance(1)
    return rows


def speed_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a cell."""
    lines = []
    for row in rows:
        mean, high = row["regret"]["mean"], row["regret"]["high"]
        regret = f"{mean:.1f}" + (f" ± {high - mean:.1f}" if high is not None else "")
        speed, floor = row["steps_per_second"] / 1e9, row["floor"] / 1e9
        lines.append([row["policy"], f"{row['arms']}", f"{speed:.3g}", f"{floor:g}", regret])
    first = rows[0]
    title = f"{first['device']}: {first['runs']:,} runs of {first['horizon']:,} duels"
    notes = [
        "speed: thousand million duels a second, compiling excluded; floor: what it should reach on one H200",
        "regret: strong, mean of the runs, ± 95 %. 6 arms: arXiv; 16 and 64: Bradley-Terry, the best arm 0.05 ahead",
    ]
    return Table(["policy", "arms", "speed", "floor", "regret"], lines, notes, title)


def bench_agreement(
    gpu_runs: int, cpu_runs: int, names: Sequence[str] | None = None, instances: Sequence[str] = INSTANCES
) -> list[dict[str, Any]]:
    """A row for each policy and instance: mean strong regret on both engines, and how far apart they are."""
    chosen, rows = [POLICIES.get(name).name for name in names or POLICIES], []
    with progress_bar("agreement", len(chosen) * len(instances)) as advance:
        for name in chosen:
            for instance in instances:
                gpu = simulate(name, instance, HORIZON, gpu_runs, 1, engine="cuda", points=1, progress=False)
                cpu = simulate(name, instance, HORIZON, cpu_runs, 2, points=1, progress=False)
                rows.append(compare(name, instance, gpu.curve()[:, -1], cpu.curve()[:, -1]))
                advance(1)
    return rows


def compare(policy: str, instance: str, gpu: Any, cpu: Any) -> dict[str, Any]:
    """Two samples of regret: their means, and the difference in standard errors.

    >>> import numpy as np
    >>> row = compare("rucb", "arxiv", np.array([1.0, 3.0]), np.array([2.0, 4.0]))
    >>> row["gpu"], row["cpu"], round(row["errors"], 6), row["agrees"]
    (2.0, 3.0, -0.707107, True)
    """
    error = math.sqrt(gpu.var(ddof=1) / gpu.size + cpu.var(ddof=1) / cpu.size)
    apart = gpu.mean() - cpu.mean()
    rounding = 1e-9 * max(1.0, abs(cpu.mean()))  # a policy without luck has no error, but its sum is rounded
    errors = 0.0 if abs(apart) <= rounding else apart / error if error > 0.0 else math.inf
    return {
        "policy": policy,
        "instance": instance,
        "gpu": float(gpu.mean()),
        "cpu": float(cpu.mean()),
        "gpu_runs": int(gpu.size),
        "cpu_runs": int(cpu.size),
        "errors": float(errors),
        "agrees": bool(abs(errors) <= ERRORS),
    }


def agreement_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a policy; in each cell the regret on the GPU and the difference in standard errors."""
    instances = list(dict.fromkeys(row["instance"] for row in rows))
    lines = []
    for name in dict.fromkeys(row["policy"] for row in rows):
        mine = {row["instance"]: row for row in rows if row["policy"] == name}
        lines.append([name, *(_cell(mine.get(instance)) for instance in instances)])
    agree, first = sum(row["agrees"] for row in rows), rows[0]
    notes = [
        f"strong regret on the GPU, {first['gpu_runs']:,} runs of {HORIZON:,} duels",
        f"in brackets: how many standard errors it is above {first['cpu_runs']:,} runs on the CPU",
        f"{agree} of {len(rows)} within {ERRORS} standard errors; others are marked !",
    ]
    return Table(["policy", *instances], lines, notes)


def _cell(row: dict[str, Any] | None) -> str:
    return "" if row is None else f"{row['gpu']:.1f} ({row['errors']:+.1f}{'' if row['agrees'] else '!'})"
