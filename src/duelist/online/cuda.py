"""Simulated impressions on a GPU: one run a thread, from the same text as on the CPU, documents in its memory once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from duelist.core.compile import kernel, rebind
from duelist.core.cuda import Device
from duelist.core.memory import Floats, Ints, memory_type
from duelist.core.parallel import available_cores, in_slices
from duelist.core.progress import progress_bar
from duelist.core.threads import Batch, Engine, Job
from duelist.data import Dataset, evaluate
from duelist.online import loop
from duelist.online.learner import Learner
from duelist.online.loop import FADE, START, Curves, kernels_of, make_room
from duelist.online.users import CUTOFF, Stage, Users

SUMS = START.size  # of a run; its weights are kept behind them, to be judged
ROWS = 64  # that are judged in one call: of one alone, most of the time is spent around it
World: Any = memory_type(("impression", "users", "room"))

# Bound when a learner's loop is compiled.
impressions: Any = None


def run(
    learner: Any,
    world: Any,
    done: int,
    until: int,
    sums: Floats,
    learner_rng: np.random.Generator,
    users_rng: np.random.Generator,
) -> bool:
    """The loop of the CPU, and the weights behind its sums."""
    impressions(learner, world.impression, world.users, world.room, done, until, FADE, sums, learner_rng, users_rng)
    for column in range(learner.n_features):
        sums[SUMS + column] = learner.weights[0, column]
    return True


def learn_on_device(
    learner: Learner,
    stages: Sequence[Stage],
    checkpoints: Ints,
    runs: range,
    seed: np.random.SeedSequence,
    label: str,
    progress: bool | None = None,
    device: Any = None,
) -> Curves:
    """These runs, in as many batches as the GPU's memory asks for. A run's luck depends on the seed and its number."""
    key = int(seed.generate_state(1, np.uint64)[0])
    engine = Engine(job_of(learner, stages[0].users, label), device or Device())
    with progress_bar(label, int(checkpoints[-1]) * len(runs), progress) as advance:
        parts = [
            _finish(Batch(engine, key, *part, advance), stages, checkpoints)
            for part in engine.batches(runs.start, len(runs))
        ]
    final, online, lost = (np.concatenate(curve) for curve in list(zip(*parts, strict=True))[:3])
    return Curves(final, online, lost, sum(part.seconds for part in parts))


def job_of(learner: Learner, users: Users, label: str) -> Job:
    """What each run does."""
    kind = type(learner)
    world, again = (World(learner.blank.fresh().memory, users, make_room(learner, users)) for _ in range(2))
    bound = rebind(loop.run, {name: kernel(f) for name, f in kernels_of(kind).items()})
    return Job(
        label,
        learner.memory,
        world,
        again,
        rebind(run, {"impressions": kernel(bound)}),
        kind.method("reset", kernel),
        np.concatenate([START, np.zeros(learner.n_features)]),
    )


def _finish(batch: Batch, stages: Sequence[Stage], checkpoints: Ints) -> Curves:
    """The runs of a batch to the end."""
    final, online, lost = np.zeros((3, batch.runs, checkpoints.size))
    now = stages[0]

    def step(done: int, until: int) -> None:
        nonlocal now
        stage = [stage for stage in stages if stage.begins <= done][-1]
        if stage is not now:
            batch.share(replaced(batch.engine.shared, stages[0].users, stage.users))
            now = stage
        batch.advance(done, until)

    def note(point: int) -> None:
        sums = batch.sums()
        online[:, point], lost[:, point] = sums[:, 0], sums[:, 3]
        final[:, point] = judge(sums[:, SUMS:], now)

    changes = [stage.begins for stage in stages]
    in_slices(step, checkpoints, int(checkpoints[-1]), lambda steps: None, note, changes)
    return Curves(final, online, lost, batch.seconds)


def replaced(arrays: list[Any], old: Users, new: Users) -> list[Any]:
    """`arrays`, with those of `new` in place of those of `old`."""
    instead = {id(before): after for before, after in zip(old, new, strict=True)}
    return [instead.get(id(array), array) for array in arrays]


def judge(weights: Floats, stage: Stage) -> Floats:
    """Offline NDCG of each row of weights, on all cores."""
    weights = np.ascontiguousarray(weights)
    parts = [weights[first : first + ROWS] for first in range(0, len(weights), ROWS)]
    with ThreadPoolExecutor(available_cores()) as pool:
        return np.concatenate(list(pool.map(lambda part: offline_all(part, stage.test), parts)))


def offline_all(weights: Floats, test: Dataset) -> Floats:
    """`offline` of each row of weights: all at once, each on a copy of the queries."""
    if test.n_queries == 0:
        return np.full(len(weights), np.nan)
    copies = test.with_features([]).select(np.tile(np.arange(test.n_queries), len(weights)))
    measure, scores = f"ndcg@{CUTOFF}", np.concatenate([test.features @ row for row in weights])
    found = evaluate(copies, scores, [measure])[measure]
    return np.asarray(found.reshape(len(weights), test.n_queries)[:, test.relevant_queries()].mean(1))
