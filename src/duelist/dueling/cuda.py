"""The simulation loop on a GPU: one run a thread, from the same text as on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.compile import kernel, rebind
from duelist.core.cuda import Device
from duelist.core.memory import Ints
from duelist.core.parallel import in_slices
from duelist.core.progress import progress_bar
from duelist.core.threads import Batch, Engine, Job
from duelist.dueling.environment import SUMS, Environment
from duelist.dueling.loop import Runs, kernels_of, run
from duelist.dueling.policy import Policy


def run_on_device(
    policy: Policy,
    world: Environment,
    checkpoints: Ints,
    runs: int,
    seed: np.random.SeedSequence,
    progress: bool | None = None,
    device: Any = None,
    first: int = 0,
    small: int | None = None,
) -> Runs:
    """The runs from number `first` on, in as many batches as the GPU's memory asks for.

    A run's luck depends on the seed and its number. `small` is that of the layout.
    """
    horizon, key = int(checkpoints[-1]), int(seed.generate_state(1, np.uint64)[0])
    engine = Engine(job_of(policy, world, horizon), device or Device(), small)
    with progress_bar(f"{policy.name} on {world.describe()}", horizon * runs, progress) as advance:
        parts = [
            _finish(Batch(engine, key, *part, advance), policy, checkpoints) for part in engine.batches(first, runs)
        ]
    sums, hits, arms = (np.concatenate(found) for found in list(zip(*parts, strict=True))[:3])
    return Runs(sums, hits, arms, sum(part.seconds for part in parts))


def job_of(policy: Policy, world: Environment, horizon: int) -> Job:
    """What each run does; its sums are SUMS."""
    kind = type(policy)
    kernels = {name: kernel(f) for name, f in kernels_of(kind, type(world)).items()}
    return Job(
        policy.name,
        policy.memory,
        world.memory(horizon),
        world.memory(horizon),
        rebind(run, kernels),
        kind.method("reset", kernel),
        np.zeros(len(SUMS)),
    )


def _finish(batch: Batch, policy: Policy, checkpoints: Ints) -> Runs:
    """The runs of a batch to the end. Which arm is best is asked of the policy itself, with the memory of each run."""
    sums = np.empty((batch.runs, checkpoints.size, len(SUMS)))
    hits = np.empty((batch.runs, checkpoints.size), np.bool_)

    def note(point: int) -> None:
        sums[:, point], hits[:, point] = batch.sums(), batch.engine.device.get(batch.hits)

    in_slices(batch.advance, checkpoints, int(checkpoints[-1]), lambda steps: None, note)
    return Runs(sums, hits, np.array([policy.best_arm() for _ in batch.ends()]), batch.seconds)
