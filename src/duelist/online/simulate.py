"""Let learners learn from simulated users of a data set, and judge what they show and what they learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from duelist.clicks.cascade import TABLES, Cascade, cascade
from duelist.core.errors import BadInput
from duelist.core.memory import Ints
from duelist.core.parallel import Report, Timed, check_whole, checkpoints_until, in_slices, run_all
from duelist.core.seeds import check_seed, split_seed
from duelist.core.spec import Spec
from duelist.data import Fold
from duelist.online.intents import DriftLearning, changes_of
from duelist.online.learner import Learner
from duelist.online.loop import FADE, START, Curves, compiled_run, make_room
from duelist.online.result import Learning, join_runs
from duelist.online.users import CUTOFF, Stage, offline, stages_of

SLICE = 20_000  # impressions after which a run reports progress and can be stopped


def learn(
    learner: str | Spec | type[Learner],
    fold: Fold,
    clicks: str | Cascade = "navigational",
    impressions: int = 10_000,
    runs: int = 5,
    seed: int | Sequence[int] = 0,
    parameters: Mapping[str, Any] | None = None,
    *,
    first: int = 0,
    stop: str = "click",
    drift: str | None = None,
    engine: str = "cpu",
    points: int = 20,
    cores: int | None = None,
    progress: bool | None = None,
) -> Learning:
    """`runs` of `impressions` simulated impressions on the training queries of a fold.

    `learner` is a name, with settings if need be ("dm2l:base=p-dbgd"), a spec or a class.
    `clicks` is a cascade model or its name, `stop` says whether users decide to stop after a click or
    after any document. Each run draws queries uniformly, with replacement. `first` is the number of the first
    run, so that runs can be made in parts.

    `drift` lets people want something else than the labels say, and change their minds (duelist.online.intents):
    "fixed:seed=1", "abrupt:times=3000+6000,seed=1" or "smooth:turns=1,stages=100,seed=1". The result is
    a DriftLearning then, with the dynamic regret.

    `engine` is "cpu" or "cuda", one GPU; the result depends on it and the seed, whatever the number of cores.

    >>> from duelist.data import synthetic
    >>> data = synthetic(queries=60, documents=12, features=6, grades=3, seed=1)
    >>> fold = Fold(data.select(range(40)), data.select(range(0)), data.select(range(40, 60)))
    >>> result = learn("pdgd", fold, "perfect", impressions=1000, runs=2, seed=1)
    >>> bool(result.final_ndcg.mean > 0.8), result.conventions["stop"]
    (True, 'after a click')
    """
    check_whole(1, impressions=impressions, runs=runs, points=points, cores=1 if cores is None else cores)
    check_whole(0, first=first)
    if engine not in ENGINES:
        raise BadInput(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    luck = check_seed("learn", seed)
    model = clicks if isinstance(clicks, Cascade) else cascade(clicks, _grades(fold), stop)
    wanted, template = _template(learner, fold.train.n_features, parameters or {})
    stages = stages_of(fold, model, template.length, drift, impressions)
    checkpoints = checkpoints_until(impressions, points, changes_of(drift) if drift else ())
    numbers = range(int(first), int(first) + int(runs))
    curves = ENGINES[engine](template, stages, checkpoints, numbers, luck, str(wanted), cores, progress)
    found = Learning(
        learner=wanted.name,
        parameters=template.parameter_values(),
        clicks=clicks if isinstance(clicks, str) else "cascade",
        impressions=impressions,
        seed=seed,
        checkpoints=checkpoints,
        final=curves.final,
        online=curves.online,
        impressions_per_second=impressions * runs / max(1e-9, curves.seconds),
        conventions=_conventions(model, template.length),
        engine=engine,
    )
    if drift is None:
        return found
    # Not asdict, which copies arrays. Each list is judged by the taste of its moment.
    conventions = {**found.conventions, "wishes": "a linear taste deals out each query's labels; it may change"}
    return DriftLearning(**{**vars(found), "conventions": conventions}, drift=drift, lost=curves.lost)


def _template(learner: Any, n_features: int, parameters: Mapping[str, Any]) -> tuple[Spec, Learner]:
    """What to call it, and one to take kind and settings from; a class need not be known by its name."""
    if isinstance(learner, type) and issubclass(learner, Learner):
        return Spec("learner", learner.name, parameters), learner(n_features, seed=0, **parameters)
    named = Spec.read("learner", learner)
    named = Spec("learner", named.name, {**named.parameters, **parameters})
    return named, named.make(n_features, seed=0)


def learn_folds(
    learner: str | Spec | type[Learner], folds: Mapping[int, Fold], seed: int = 0, **settings: Any
) -> Learning:
    """`learn` on several folds by number, as one result; `settings` are those of `learn`.

    The number of a fold is part of its seed, so that a fold runs the same whichever others run too.
    """
    return join_runs([learn(learner, fold, seed=[seed, number], **settings) for number, fold in folds.items()], seed)


def _conventions(model: Cascade, length: int) -> dict[str, str]:
    """How the numbers are to be read; every result carries it."""
    return {
        "stop": "after a click" if model.rule == "click" else "after any examined document",
        "queries without relevant documents": "0 online, left out offline",
        "online": f"NDCG@{length} of the list shown, the sum of {FADE}^t of it; gain 2^label - 1",
        "offline": f"NDCG@{CUTOFF} on test queries",
        "queries": "uniform with replacement from train; vali unused",
        "features": "as given by the fold; read_fold normalises by query and drops those constant on train",
        "initial weights": "0, ties broken at random",
    }


def _grades(fold: Fold) -> int:
    needed = max(part.max_label for part in fold) + 1
    fitting = [grades for grades in TABLES["perfect"] if grades >= needed]
    if not fitting:
        raise BadInput(f"cascade models have 2, 3 or 5 grades; the largest label here is {needed - 1}")
    return min(fitting)


def _on_cores(
    template: Learner,
    stages: Sequence[Stage],
    checkpoints: Ints,
    runs: range,
    luck: np.random.SeedSequence,
    label: str,
    cores: int | None,
    progress: bool | None,
) -> Curves:
    """A run is a thread of a core; as many at once as there are cores."""
    kind, settings = type(template), template.parameter_values()
    seeds = split_seed(luck, len(runs), runs.start)
    _one_run(kind, settings, stages, np.zeros(1, np.int64), seeds[0], lambda steps: None)  # compiles

    def run(sequence: np.random.SeedSequence, report: Report) -> Curves:
        return _one_run(kind, settings, stages, checkpoints, sequence, report)

    done = run_all(run, seeds, label, int(checkpoints[-1]) * len(runs), cores, progress)
    final, online, lost = (np.stack([run[curve] for run in done]) for curve in range(3))
    return Curves(final, online, lost, sum(run.seconds for run in done))


def _on_gpu(
    template: Learner,
    stages: Sequence[Stage],
    checkpoints: Ints,
    runs: range,
    luck: np.random.SeedSequence,
    label: str,
    cores: int | None,
    progress: bool | None,
) -> Curves:
    """A run is a thread of a GPU; what it learnt is judged on the cores beside it."""
    if cores is not None:
        raise BadInput(f"cores is for engine cpu; engine cuda runs on one GPU, not on {cores} cores")
    from duelist.online.cuda import learn_on_device

    return learn_on_device(template, stages, checkpoints, runs, luck, label, progress)


ENGINES = {"cpu": _on_cores, "cuda": _on_gpu}


def _one_run(
    kind: type[Learner],
    settings: Mapping[str, Any],
    stages: Sequence[Stage],
    checkpoints: Ints,
    sequence: np.random.SeedSequence,
    report: Report,
) -> Curves:
    """The curves of one run, a number a checkpoint; without impressions it only compiles."""
    own, people = split_seed(sequence, 2)
    learner = kind(stages[0].users.features.shape[1], seed=own, **settings)
    rng, impression, space = np.random.default_rng(people), learner.blank.fresh(), make_room(learner, stages[0].users)
    loop, totals = compiled_run(kind), START.copy()
    final, online, lost = np.zeros((3, checkpoints.size))
    now = stages[0]

    def step(done: int, until: int) -> None:
        nonlocal now
        now = [stage for stage in stages if stage.begins <= done][-1]
        loop(learner.memory, impression.memory, now.users, space, done, until, FADE, totals, learner.rng, rng)

    def note(point: int) -> None:
        final[point], online[point], lost[point] = offline(learner.weights[0], now.test), totals[0], totals[3]

    changes = [stage.begins for stage in stages]
    timed = Timed(step)
    in_slices(timed, checkpoints, SLICE, report, note, changes)
    return Curves(final, online, lost, timed.seconds)
