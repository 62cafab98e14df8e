"""Run a policy many times against an environment, on all cores, and keep its regret."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.parallel import Report, check_whole, checkpoints_until, run_all
from duelist.dueling.environment import SUMS, Environment
from duelist.dueling.environments.instances import load_environment
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.loop import compiled_run
from duelist.dueling.policy import POLICIES, Policy
from duelist.dueling.result import Result

SLICE = 1_000_000  # duels after which a run reports progress and can be stopped


def simulate(
    policy: str | type[Policy] | Policy,
    environment: Environment | str | Path | Sequence[Any] | np.ndarray[Any, Any],
    horizon: int,
    runs: int = 100,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    *,
    cores: int | None = None,
    points: int = 100,
    progress: bool | None = None,
) -> Result:
    """Regret of `policy` in `environment`: `runs` independent runs of `horizon` duels.

    `policy` is a name, a class, or an instance whose parameters are taken; a policy that
    can use the horizon is given it unless `parameters` says otherwise. `environment` is an
    Environment, a name, a file or a matrix. The result depends on the seed alone, not on
    the number of cores.

    >>> result = simulate("uniform", [[0.5, 0.9], [0.1, 0.5]], horizon=1000, runs=3, seed=1)
    >>> float(result.regret("strong").mean.round(6))
    200.0
    """
    world = _environment(environment)
    kind, settings = _policy(policy, world.n_arms, horizon, parameters or {})
    check_whole(1, horizon=horizon, runs=runs, points=points, cores=1 if cores is None else cores)
    check_whole(0, seed=seed)
    checkpoints = checkpoints_until(horizon, points)
    seeds = np.random.SeedSequence(seed).spawn(runs)
    template = kind(world.n_arms, seed=0, **settings)  # checks the settings, before any thread
    kind, settings = type(template), template.parameter_values()
    _one_run(kind, settings, world, horizon, np.zeros(1, np.int64), seeds[0], lambda steps: None)  # no duel: compiles

    def run(sequence: np.random.SeedSequence, report: Report) -> Any:
        return _one_run(kind, settings, world, horizon, checkpoints, sequence, report)

    done = run_all(run, seeds, f"{kind.name} on {world.describe()}", horizon * runs, cores, progress)
    right = set(world.best_arms(kind.view, horizon))
    sums = np.stack([run[0] for run in done])
    return Result(
        policy=kind.name,
        parameters=settings,
        environment=world.describe(),
        arms=world.n_arms,
        horizon=int(horizon),
        runs=int(runs),
        seed=int(seed),
        checkpoints=checkpoints,
        sums={view: sums[:, :, SUMS.index(view)] for view in world.sums},
        hits=np.stack([run[1] for run in done]),
        found=np.array([run[2] in right for run in done]),
        steps_per_second=horizon * runs / max(1e-9, sum(run[3] for run in done)),
    )


def _one_run(
    kind: type[Policy],
    settings: dict[str, Any],
    world: Environment,
    horizon: int,
    checkpoints: Ints,
    seed: np.random.SeedSequence,
    report: Report,
) -> tuple[Floats, Flags, int, float]:
    """The sums and hits at each checkpoint, the arm found, and the seconds it took."""
    # Not seed.spawn: that counts its calls, and a seed must mean the same whenever it is used.
    policy_seed, duel_seed = (np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, i)) for i in (0, 1))
    policy = kind(world.n_arms, seed=policy_seed, **settings)
    run, memory = compiled_run(kind, type(world)), world.memory(horizon)
    duel_rng = np.random.default_rng(duel_seed)
    totals, sums = np.zeros(len(SUMS)), np.zeros((checkpoints.size, len(SUMS)))
    hits = np.zeros(checkpoints.size, np.bool_)
    begun, seconds = 0, 0.0
    for first, last in _slices(checkpoints):
        clock = time.thread_time()
        run(
            policy.memory,
            memory,
            begun,
            checkpoints[first:last],
            totals,
            sums[first:last],
            hits[first:last],
            policy.rng,
            duel_rng,
        )
        seconds += time.thread_time() - clock
        steps, begun = int(checkpoints[last - 1]) - begun, int(checkpoints[last - 1])
        report(steps)
    return sums, hits, policy.best_arm(), seconds


def _slices(checkpoints: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of checkpoints, each of about SLICE duels where the checkpoints allow it."""
    first, begun = 0, 0
    for last in range(1, checkpoints.size + 1):
        if last == checkpoints.size or checkpoints[last] - begun > SLICE:
            yield first, last
            first, begun = last, checkpoints[last - 1]


def _environment(given: Any) -> Environment:
    if isinstance(given, Environment):
        return given
    if isinstance(given, str | Path):
        return load_environment(given)
    return Matrix(given)


def _policy(
    given: Any, n_arms: int, horizon: int, parameters: Mapping[str, Any]
) -> tuple[type[Policy], dict[str, Any]]:
    """The class and the parameters to run with."""
    if isinstance(given, Policy):
        if given.n_arms != n_arms:
            raise BadInput(f"the policy has {given.n_arms} arms, the environment {n_arms}")
        return type(given), given.parameter_values() | dict(parameters)
    kind = POLICIES.get(given) if isinstance(given, str) else given
    if not (isinstance(kind, type) and issubclass(kind, Policy)):
        raise BadInput(f"policy must be a name, a Policy class or a Policy, not {given!r}")
    planned = {"horizon": horizon} if "horizon" in kind.resolve(parameters).parameters() else {}
    return kind, planned | dict(parameters)
