"""Speed of the policies, with their regret beside it.

Speeds are for one core with the compiled loop in the cache. They move from machine to
machine: compare rows of one run.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.core.spec import Spec
from duelist.dueling.environments import Matrix, load_environment
from duelist.dueling.policy import POLICIES
from duelist.dueling.simulate import simulate
from duelist.present.tables import Table
from duelist.reproductions.figures import reference_for

HORIZON = 100_000
ENVIRONMENTS = {6: "arxiv", 16: "bradley-terry:arms=16,epsilon=0.05", 64: "bradley-terry:arms=64,epsilon=0.05"}

# Millions of duels a second that each policy should reach at 6, 16 and 64 arms.
FLOORS: dict[str, dict[int, float]] = {
    "rucb": {6: 18, 16: 8, 64: 1.4},
    "if2": {6: 30},
    "savage": {64: 20},
    "btm": {64: 3.3},
    "rex3": {6: 25, 64: 4},
    "sparring-exp3": {6: 12, 64: 3},
    "sparring-ucb": {6: 12, 64: 4},
    "sparring-thompson": {6: 1, 64: 0.1},
    "d-ts": {6: 3, 64: 0.08},
    "d-ts+": {6: 0.29, 64: 0.029},
    "rmed1": {6: 15, 64: 4},
    "rmed2fh": {6: 1.16, 64: 0.15},
    "rcs": {6: 8, 64: 0.4},
    "ccb": {6: 0.478, 64: 0.106},
    "ecw-rmed": {6: 0.286, 64: 0.0082},
}

DUELPY = ("rucb", "if2", "savage", "btm")  # what duelpy has of ours


def bench_policies(
    names: Sequence[str] | None, runs: int, duelpy: str | None, engine: str = "cpu"
) -> list[dict[str, Any]]:
    """A row for each policy and number of arms, and for duelpy at 6 arms."""
    chosen = [POLICIES.get(name).name for name in names or POLICIES]
    rows, cores = [], 1 if engine == "cpu" else None
    with progress_bar("bench", len(chosen) * len(ENVIRONMENTS)) as advance:
        for name in chosen:
            for arms, instance in ENVIRONMENTS.items():
                options: dict[str, Any] = {"engine": engine, "cores": cores, "points": 1, "progress": False}
                result = simulate(name, instance, HORIZON, runs, 1, **options)
                row = {
                    "policy": name,
                    "arms": arms,
                    "engine": engine,
                    "steps_per_second": result.steps_per_second,
                    "floor": (FLOORS.get(name, {}).get(arms, 0) * 1e6 or None) if engine == "cpu" else None,
                    "regret": result.summary()["regret"]["strong"],
                    "independent_regret": _independent(name, instance),
                }
                rows.append(row)
                advance(1)
    peers = _measure_duelpy(duelpy, [name for name in chosen if name in DUELPY]) if duelpy else {}
    for row in rows:
        row["duelpy"] = peers.get(row["policy"]) if row["arms"] == 6 else None
    return rows


def _independent(name: str, instance: str) -> float | None:
    """The strong regret of another implementation, with the default parameters."""
    reference = reference_for(Spec.read("policy", name), instance, HORIZON, "strong")
    return reference.value if reference else None


def _measure_duelpy(interpreter: str, policies: list[str]) -> dict[str, Any]:
    """One run a policy on arXiv in the given interpreter."""
    arxiv = load_environment("arxiv")
    assert isinstance(arxiv, Matrix)
    job = json.dumps({"matrix": arxiv.preference.tolist(), "horizon": HORIZON, "policies": policies})
    command = [interpreter, str(Path(__file__).with_name("duelpy_peer.py"))]
    try:
        done = subprocess.run(command, input=job, capture_output=True, text=True, check=True)
    except OSError as error:
        raise BadInput(f"cannot run the interpreter {interpreter!r}: {error}") from None
    except subprocess.CalledProcessError as error:
        raise BadInput(f"{interpreter!r} cannot run duelpy: {error.stderr.strip().splitlines()[-1]}") from None
    return {row["policy"]: row for row in json.loads(done.stdout)}


def policies_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a policy; the speed it should reach stands behind the slash."""
    peers = any(row["duelpy"] for row in rows)
    columns = ["policy", *(f"{arms} arms" for arms in ENVIRONMENTS), "regret", "independent"]
    lines = []
    for name in dict.fromkeys(row["policy"] for row in rows):
        mine = {row["arms"]: row for row in rows if row["policy"] == name}
        speeds = [
            f"{row['steps_per_second'] / 1e6:.2f}" + (f" / {row['floor'] / 1e6:g}" if row["floor"] else "")
            for row in mine.values()
        ]
        mean, high, peer = mine[6]["regret"]["mean"], mine[6]["regret"]["high"], mine[6]["duelpy"]
        regret = f"{mean:.0f}" + (f" ± {high - mean:.0f}" if high is not None else "")
        independent = mine[6]["independent_regret"]
        cells = [name, *speeds, regret, "" if independent is None else f"{independent:.0f}"]
        if peers:
            cells += [f"{peer['steps_per_second'] / 1e6:.4f}", f"{peer['regret']:.0f}"] if peer else ["", ""]
        lines.append(cells)
    where = "one GPU" if rows[0]["engine"] == "cuda" else "one core / floor"
    title = f"millions of duels a second on {where}, and strong regret on arXiv; {HORIZON:,} duels a run"
    note = "6 arms: arXiv; 16 and 64: Bradley-Terry, the best arm 0.05 ahead. independent: another implementation."
    return Table(columns + ["duelpy", "its regret"] * peers, lines, [note], title)
