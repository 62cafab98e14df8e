"""Policies on a GPU: how fast they are, and whether they do there what they do on the CPU."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from duelist.core.cuda import Device
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
# By the number of arms. How fast a policy is depends on how soon it settles: the lead of the best arm is 0.1 or 0.05.
WORLDS: dict[int, tuple[str, ...]] = {
    6: ("arxiv",),
    **{arms: (f"bradley-terry:arms={arms}", f"bradley-terry:arms={arms},epsilon=0.05") for arms in (16, 64)},
}
SHORT = {("d-ts", WORLDS[64][1]): 2000}  # duels of a run: none has settled then
ON_ONE_CORE = 4  # runs, for the speed beside

INSTANCES = ("arxiv", "bvs-20", "cyclic", "abrupt")
HORIZON = 10_000  # of the agreement: long enough that policies settle
ERRORS = 3.5  # standard errors of a difference that are no disagreement
SPARE = 2  # cores that are left to the GPU's driver

Row = dict[str, Any]


def bench_speed(horizon: int, runs: int, names: Sequence[str] | None = None, until: float = math.inf) -> Iterator[Row]:
    """A row for each policy of FLOORS, or of `names` alone, in each world; none is begun after the time `until`."""
    for name, arms, world in [(*cell, world) for cell in FLOORS for world in WORLDS[cell[1]]]:
        if (names and name not in names) or time.time() > until:
            continue
        duels = min(horizon, SHORT.get((name, world), horizon))
        gpu = simulate(name, world, duels, runs, 1, engine="cuda", points=1, progress=False)
        core = simulate(name, world, duels, min(runs, ON_ONE_CORE), 1, cores=1, points=1, progress=False)
        row = {
            "policy": name,
            "arms": arms,
            "instance": world,
            "horizon": duels,
            "runs": runs,
            "steps_per_second": gpu.steps_per_second,
            "core_steps_per_second": core.steps_per_second,
            "floor": FLOORS[name, arms] * 1e9,
            "regret": gpu.summary()["regret"]["strong"],
            "device": Device().name,
        }
        say(f"{name}, {world}: {gpu.steps_per_second / 1e9:.3g} thousand million duels a second")
        yield row


def speed_table(rows: Sequence[Row]) -> Table:
    """A line a cell."""
    lines = []
    for row in rows:
        mean, high = row["regret"]["mean"], row["regret"]["high"]
        regret = f"{mean:.1f}" + (f" ± {high - mean:.1f}" if high is not None else "")
        speeds = [row[key] / 1e9 for key in ("steps_per_second", "core_steps_per_second", "floor")]
        times = f"{speeds[0] / speeds[1]:.0f}"
        gpu, core, floor = (f"{speed:.3g}" for speed in speeds)
        lines.append([row["policy"], row["instance"], f"{row['horizon']:,}", gpu, core, times, floor, regret])
    notes = [
        "GPU, core: thousand million duels a second, compiling excluded; times: the first by the second",
        "floor: what it should reach on one H200",
        "regret: strong, mean of the runs, ± 95 %",
    ]
    title = f"{rows[0]['device']}: {rows[0]['runs']:,} runs"
    return Table(["policy", "instance", "duels", "GPU", "core", "times", "floor", "regret"], lines, notes, title)


def bench_agreement(
    gpu_runs: int,
    cpu_runs: int,
    names: Sequence[str] | None = None,
    instances: Sequence[str] = INSTANCES,
    until: float = math.inf,
) -> list[Row]:
    """A row for each policy and instance: mean strong regret on both engines, and how far apart they are.

    None is begun after the time `until`.
    """
    Device()  # where there is none, that is said once instead of in every cell
    chosen, rows = [POLICIES.get(name).name for name in names or POLICIES], []
    cells = [(name, instance, gpu_runs, cpu_runs, until) for name in chosen for instance in instances]
    for row in in_processes(agree, cells):
        if row is not None:
            rows.append(row)
            say(f"{len(rows)} of {len(cells)}: {row['policy']} on {row['instance']} {cell_text(row)}")
    return sorted(rows, key=lambda row: (chosen.index(row["policy"]), instances.index(row["instance"])))


def in_processes(function: Callable[..., Any], cells: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """`function` of each cell, as they are done. Compiling takes longest, so that they are spread over all cores."""
    processes = max(1, min(len(cells), (os.cpu_count() or 1) - SPARE))
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for future in as_completed([pool.submit(function, *cell) for cell in cells]):
            yield future.result()


def agree(name: str, instance: str, gpu_runs: int, cpu_runs: int, until: float) -> Row | None:
    """One cell; what goes wrong in it is told and does not stop the others."""
    if time.time() > until:
        return None
    try:
        gpu = simulate(name, instance, HORIZON, gpu_runs, 1, engine="cuda", points=1, progress=False)
        cpu = simulate(name, instance, HORIZON, cpu_runs, 2, cores=1, points=1, progress=False)
    except Exception as error:
        return {"policy": name, "instance": instance, "error": f"{type(error).__name__}: {error}", "agrees": False}
    return compare(name, instance, gpu.curve()[:, -1], cpu.curve()[:, -1])


def compare(policy: str, instance: str, gpu: Any, cpu: Any) -> Row:
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


def agreement_table(rows: Sequence[Row]) -> Table:
    """A line a policy; in each cell the regret on the GPU and the difference in standard errors."""
    instances = list(dict.fromkeys(row["instance"] for row in rows))
    lines = []
    for name in dict.fromkeys(row["policy"] for row in rows):
        mine = {row["instance"]: row for row in rows if row["policy"] == name}
        lines.append([name, *(cell_text(mine.get(instance)) for instance in instances)])
    agree = sum(row["agrees"] for row in rows)
    counts = {key: max(row.get(key, 0) for row in rows) for key in ("gpu_runs", "cpu_runs")}
    notes = [
        f"strong regret on the GPU, {counts['gpu_runs']:,} runs of {HORIZON:,} duels",
        f"in brackets: how many standard errors it is above {counts['cpu_runs']:,} runs on the CPU",
        f"{agree} of {len(rows)} within {ERRORS} standard errors; others are marked !",
    ]
    return Table(["policy", *instances], lines, notes)


def cell_text(row: Row | None, digits: int = 1) -> str:
    """The mean on the GPU and the difference in standard errors; empty where nothing was measured."""
    if row is None:
        return ""
    if "error" in row:
        return "failed!"
    return f"{row['gpu']:.{digits}f} ({row['errors']:+.1f}{'' if row['agrees'] else '!'})"


def say(text: str) -> None:
    """A line of progress: a bench of minutes is looked at in logs too."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
