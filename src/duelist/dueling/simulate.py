"""Run a policy many times against an environment, on all cores, and keep its regret."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.parallel import Report, check_whole, checkpoints_until, in_slices, run_all
from duelist.core.seeds import check_seed, split_seed
from duelist.core.spec import Spec
from duelist.dueling.environment import SUMS, Environment
from duelist.dueling.environments.instances import load_environment
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.loop import Runs, compiled_run
from duelist.dueling.policy import POLICIES, Policy
from duelist.dueling.result import Result

SLICE = 1_000_000  # duels after which a run reports progress and can be stopped


def simulate(
    policy: str | type[Policy] | Policy | Spec,
    environment: Environment | str | Path | Spec | Sequence[Any] | np.ndarray[Any, Any],
    horizon: int,
    runs: int = 100,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    *,
    first: int = 0,
    engine: str = "cpu",
    cores: int | None = None,
    points: int = 100,
    progress: bool | None = None,
) -> Result:
    """Regret of `policy` in `environment`: `runs` independent runs of `horizon` duels.

    `policy` is a name such as "rucb" or "rucb:alpha=0.6", a spec, a class, or an instance whose
    parameters are taken; a policy that can use the horizon is given it unless told otherwise.
    `environment` is an Environment, a name, a spec, a file or a matrix. The result depends on
    the seed and the engine alone: "cpu", whatever the number of cores, or "cuda", one GPU.
    Run i is the same whichever others run too, so that a simulation can be made in parts: `first` is the number of
    the first run.

    >>> result = simulate("uniform", [[0.5, 0.9], [0.1, 0.5]], horizon=1000, runs=3, seed=1)
    >>> float(result.regret("strong").mean.round(6))
    200.0
    """
    template, world = prepare(policy, environment, horizon, parameters)
    check_whole(1, runs=runs, points=points, cores=1 if cores is None else cores)
    check_whole(0, seed=seed, first=first)
    if engine not in ENGINES:
        raise BadInput(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    changes = [time for time in world.changes if time <= horizon]
    checkpoints = checkpoints_until(horizon, points, changes)
    luck = check_seed("simulate", int(seed))
    run = ENGINES[engine]
    numbers = range(int(first), int(first) + int(runs))
    sums, hits, arms, seconds = run(template, world, checkpoints, numbers, luck, cores, progress)
    return Result(
        policy=template.name,
        parameters=template.parameter_values(),
        environment=world.describe(),
        arms=world.n_arms,
        horizon=int(horizon),
        runs=int(runs),
        seed=int(seed),
        checkpoints=checkpoints,
        sums={view: sums[:, :, SUMS.index(view)] for view in world.sums},
        hits=hits,
        found=np.isin(arms, world.best_arms(template.view, horizon)),
        steps_per_second=horizon * runs / max(1e-9, seconds),
        changes=changes,
        engine=engine,
    )


def prepare(
    policy: Any, environment: Any, horizon: int, parameters: Mapping[str, Any] | None = None
) -> tuple[Policy, Environment]:
    """What `simulate` will run: a policy with its settings checked, and the environment; nothing is run or compiled."""
    world = _environment(environment)
    kind, settings = _policy(policy, world.n_arms, horizon, parameters or {})
    check_whole(1, horizon=horizon)
    return kind(world.n_arms, seed=0, **settings), world


def _on_cores(
    template: Policy,
    world: Environment,
    checkpoints: Ints,
    runs: range,
    luck: np.random.SeedSequence,
    cores: int | None,
    progress: bool | None,
) -> Runs:
    """A run is a thread of a core; as many at once as there are cores."""
    kind, settings, horizon = type(template), template.parameter_values(), int(checkpoints[-1])
    totals, rng = np.zeros(len(SUMS)), template.rng
    # Compiled before any thread, and for all runs: their arguments are of the same types.
    loop = compiled_run(kind, type(world)).entry(template.memory, world.memory(horizon), 0, 0, totals, rng, rng)

    def run(sequence: np.random.SeedSequence, report: Report) -> Any:
        policy_seed, duel_seed = split_seed(sequence, 2)
        policy, duel_rng = kind(world.n_arms, seed=policy_seed, **settings), np.random.default_rng(duel_seed)
        return _one_run(loop, policy, world.memory(horizon), duel_rng, checkpoints, report)

    seeds, label = split_seed(luck, len(runs), runs.start), f"{kind.name} on {world.describe()}"
    done = run_all(run, seeds, label, horizon * len(runs), cores, progress)
    sums, hits, arms = (np.stack([run[part] for run in done]) for part in range(3))
    return Runs(sums, hits, arms, sum(run[3] for run in done))


def _on_gpu(
    template: Policy,
    world: Environment,
    checkpoints: Ints,
    runs: range,
    luck: np.random.SeedSequence,
    cores: int | None,
    progress: bool | None,
) -> Runs:
    """A run is a thread of a GPU."""
    if cores is not None:
        raise BadInput(f"cores is for engine cpu; engine cuda runs on one GPU, not on {cores} cores")
    from duelist.dueling.cuda import run_on_device

    return run_on_device(template, world, checkpoints, len(runs), luck, progress, first=runs.start)


ENGINES = {"cpu": _on_cores, "cuda": _on_gpu}


def _one_run(
    loop: Callable[..., bool],
    policy: Policy,
    memory: Any,
    duel_rng: np.random.Generator,
    checkpoints: Ints,
    report: Report,
) -> tuple[Floats, Flags, int, float]:
    """The sums and hits at each checkpoint, the arm found, and the seconds of CPU time it took."""
    totals, hit = np.zeros(len(SUMS)), False
    sums, hits = np.zeros((checkpoints.size, len(SUMS))), np.zeros(checkpoints.size, np.bool_)

    def step(done: int, until: int) -> None:
        nonlocal hit
        hit = loop(policy.memory, memory, done, until, totals, policy.rng, duel_rng)

    def note(point: int) -> None:
        sums[point], hits[point] = totals, hit

    clock = time.thread_time()
    in_slices(step, checkpoints, SLICE, report, note)
    seconds = time.thread_time() - clock
    return sums, hits, policy.best_arm(), seconds


def _environment(given: Any) -> Environment:
    if isinstance(given, Environment):
        return given
    if isinstance(given, Spec):
        made: Environment = Spec.read("environment", given).make()
        return made
    if isinstance(given, str | Path):
        return load_environment(given)
    return Matrix(given)


def _policy(
    given: Any, n_arms: int, horizon: int, parameters: Mapping[str, Any]
) -> tuple[type[Policy], dict[str, Any]]:
    """The class and the parameters to run with."""
    if isinstance(given, Policy) and given.n_arms != n_arms:
        raise BadInput(f"the policy has {given.n_arms} arms, the environment {n_arms}")
    spec = Spec.read("policy", given)
    settings = {**spec.parameters, **parameters}
    kind: type[Policy] = given if isinstance(given, type) else POLICIES.get(spec.name)
    planned = {"horizon": horizon} if "horizon" in kind.resolve(settings, n_arms).parameters() else {}
    return kind, planned | settings
