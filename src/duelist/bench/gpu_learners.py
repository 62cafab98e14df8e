"""Learners on a GPU: how fast they are, and whether they show and learn there what they do on the CPU."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from duelist.bench.gpu import ERRORS, Row, cell_text, compare, in_processes, say
from duelist.bench.learners import load_bench_fold
from duelist.core.cuda import Device
from duelist.online import LEARNERS, learn
from duelist.present.tables import Table

FLOORS = {"pdgd": 30e6, "dbgd": 30e6}  # impressions a second on one H200
IMPRESSIONS = 1000
ON_ONE_CORE = 20  # runs, for the speed beside
CURVES = {"online": 1, "final": 4}  # what was shown, and what was learnt, with the digits that are told


def bench_learning_speed(
    runs: int, names: Sequence[str] | None, data: Path | None, until: float = math.inf
) -> Iterator[Row]:
    """A row for each learner of FLOORS, or of `names` alone; none is begun after the time `until`."""
    label, fold = load_bench_fold(data)
    for name in FLOORS:
        if (names and name not in names) or time.time() > until:
            continue
        on_gpu, on_cpu = {"runs": runs, "engine": "cuda"}, {"runs": ON_ONE_CORE, "engine": "cpu", "cores": 1}
        gpu, core = (
            learn(name, fold, "navigational", IMPRESSIONS, seed=1, points=1, progress=False, **options)  # type: ignore[arg-type]
            for options in (on_gpu, on_cpu)
        )
        say(f"{name}: {gpu.impressions_per_second / 1e6:.3g} million impressions a second")
        yield {
            "learner": name,
            "data": label,
            "runs": runs,
            "impressions_per_second": gpu.impressions_per_second,
            "core_impressions_per_second": core.impressions_per_second,
            "floor": FLOORS[name],
            "device": Device().name,
        }


def learning_speed_table(rows: Sequence[Row]) -> Table:
    """A line a learner."""
    lines = []
    for row in rows:
        gpu, core, floor = (
            row[key] / 1e6 for key in ("impressions_per_second", "core_impressions_per_second", "floor")
        )
        lines.append([row["learner"], f"{gpu:.3g}", f"{core:.3g}", f"{gpu / core:.0f}", f"{floor:.3g}"])
    first = rows[0]
    notes = [
        f"GPU, core: million impressions a second on {first['data']}, compiling and judging excluded",
        "times: the first by the second; floor: what it should reach on one H200",
    ]
    title = f"{first['device']}: {first['runs']:,} runs of {IMPRESSIONS:,} impressions"
    return Table(["learner", "GPU", "core", "times", "floor"], lines, notes, title)


def bench_learning_agreement(
    gpu_runs: int, cpu_runs: int, names: Sequence[str] | None, data: Path | None, until: float = math.inf
) -> list[Row]:
    """A row for each learner and curve: means on both engines, and how far apart they are."""
    Device()  # where there is none, that is said once instead of in every cell
    chosen = [LEARNERS.get(name).name for name in names or LEARNERS]
    found = in_processes(agree_learning, [(name, gpu_runs, cpu_runs, data, until) for name in chosen])
    rows = [row for each in found if each is not None for row in each]
    return sorted(rows, key=lambda row: chosen.index(row["policy"]))


def agree_learning(name: str, gpu_runs: int, cpu_runs: int, data: Path | None, until: float) -> list[Row] | None:
    """One learner; what goes wrong is told and does not stop the others."""
    if time.time() > until:
        return None
    fold = load_bench_fold(data)[1]
    options: dict[str, Any] = {"points": 1, "progress": False}
    try:
        gpu = learn(name, fold, "navigational", IMPRESSIONS, gpu_runs, 1, engine="cuda", **options)
        cpu = learn(name, fold, "navigational", IMPRESSIONS, cpu_runs, 2, cores=1, **options)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        say(f"{name}: {why}")
        return [{"policy": name, "instance": curve, "error": why, "agrees": False} for curve in CURVES]
    pairs = {curve: (getattr(gpu, curve)[:, -1], getattr(cpu, curve)[:, -1]) for curve in CURVES}
    say(f"{name}: {gpu.impressions_per_second / 1e6:.3g} million impressions a second")
    return [compare(name, curve, *pair) for curve, pair in pairs.items()]


def learning_agreement_table(rows: Sequence[Row]) -> Table:
    """A line a learner; of each curve the mean on the GPU and the difference in standard errors."""
    lines = []
    for name in dict.fromkeys(row["policy"] for row in rows):
        mine = {row["instance"]: row for row in rows if row["policy"] == name}
        lines.append([name, *(cell_text(mine.get(curve), digits) for curve, digits in CURVES.items())])
    counts = {key: max(row.get(key, 0) for row in rows) for key in ("gpu_runs", "cpu_runs")}
    notes = [
        f"{counts['gpu_runs']:,} runs of {IMPRESSIONS:,} impressions with navigational clicks on the GPU",
        f"in brackets: how many standard errors it is above {counts['cpu_runs']:,} runs on the CPU",
        f"{sum(row['agrees'] for row in rows)} of {len(rows)} within {ERRORS} standard errors; others are marked !",
    ]
    return Table(["learner", "online NDCG", "final NDCG@10"], lines, notes)
