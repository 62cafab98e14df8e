"""Let learners learn from simulated users of a data set, and judge what they show and what they learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.cascade import TABLES, Cascade, cascade
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.core.parallel import Report, Timed, check_whole, checkpoints_until, in_slices, run_all
from duelist.core.seeds import check_seed, split_seed
from duelist.core.spec import Spec
from duelist.data import Dataset, Fold, evaluate
from duelist.data import mean as mean_over_queries
from duelist.online.intents import DriftLearning, changes_of, read_drift
from duelist.online.learner import Learner
from duelist.online.loop import Room, Users, compiled_run, measure_gains
from duelist.online.page import room
from duelist.online.result import Learning, join_runs

FADE = 0.9995  # what comes one impression later counts so much of it
CUTOFF = 10
SLICE = 20_000  # impressions after which a run reports progress and can be stopped


class Outcome(NamedTuple):
    """One run."""

    final: Floats  # offline NDCG at each checkpoint
    online: Floats  # discounted sum of NDCG shown, at each checkpoint
    lost: Floats  # sum of 1 - NDCG shown, at each checkpoint
    seconds: float


class Stage(NamedTuple):
    """What people want from some impression on."""

    begins: int
    users: Users
    test: Dataset


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

    >>> from duelist.data import synthetic
    >>> data = synthetic(queries=60, documents=12, features=6, grades=3, seed=1)
    >>> fold = Fold(data.select(range(40)), data.select(range(0)), data.select(range(40, 60)))
    >>> result = learn("pdgd", fold, "perfect", impressions=1000, runs=2, seed=1)
    >>> bool(result.final_ndcg.mean > 0.8), result.conventions["stop"]
    (True, 'after a click')
    """
    check_whole(1, impressions=impressions, runs=runs, points=points, cores=1 if cores is None else cores)
    check_whole(0, first=first)
    seeds = split_seed(check_seed("learn", seed), runs, first)
    model = clicks if isinstance(clicks, Cascade) else cascade(clicks, _grades(fold), stop)
    wanted, template = _template(learner, fold.train.n_features, parameters or {})
    kind, settings = type(template), template.parameter_values()
    stages = _stages(fold, model, template.length, drift, impressions)
    checkpoints = checkpoints_until(impressions, points, changes_of(drift) if drift else ())
    _one_run(kind, settings, stages, np.zeros(1, np.int64), seeds[0], lambda steps: None)  # compiles

    def run(sequence: np.random.SeedSequence, report: Report) -> Outcome:
        return _one_run(kind, settings, stages, checkpoints, sequence, report)

    done = run_all(run, seeds, str(wanted), impressions * runs, cores, progress)
    found = Learning(
        learner=wanted.name,
        parameters=settings,
        clicks=clicks if isinstance(clicks, str) else "cascade",
        impressions=impressions,
        seed=seed,
        checkpoints=checkpoints,
        final=np.stack([outcome.final for outcome in done]),
        online=np.stack([outcome.online for outcome in done]),
        impressions_per_second=impressions * runs / max(1e-9, sum(outcome.seconds for outcome in done)),
        conventions=_conventions(model, template.length),
    )
    if drift is None:
        return found
    # Not asdict, which copies arrays. Each list is judged by the taste of its moment.
    conventions = {**found.conventions, "wishes": "a linear taste deals out each query's labels; it may change"}
    lost = np.stack([outcome.lost for outcome in done])
    return DriftLearning(**{**vars(found), "conventions": conventions}, drift=drift, lost=lost)


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


def _stages(fold: Fold, model: Cascade, length: int, drift: str | None, impressions: int) -> list[Stage]:
    if drift is None:
        return [Stage(0, make_users(fold.train, model, length), fold.test)]
    intents = read_drift(drift, impressions, fold.train.n_features)
    return [
        Stage(begins, make_users(intents.relabel(fold.train, k), model, length), intents.relabel(fold.test, k))
        for k, begins in enumerate(intents.times.tolist())
    ]


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


def make_users(data: Dataset, model: Cascade, length: int) -> Users:
    """The users of a data set."""
    if data.n_documents == 0:
        raise BadInput("the data set to learn from has no documents")
    model.check_labels(data.labels)
    gains, discounts, ideal = measure_gains(data, length)
    examined = model.rule == "examined"
    keys = np.arange(data.n_documents)
    return Users(
        data.features, keys, data.labels, data.offsets, ideal, gains, discounts, model.click, model.stop, examined
    )


def _one_run(
    kind: type[Learner],
    settings: Mapping[str, Any],
    stages: Sequence[Stage],
    checkpoints: Ints,
    sequence: np.random.SeedSequence,
    report: Report,
) -> Outcome:
    """One run; without impressions it only compiles."""
    own, people = split_seed(sequence, 2)
    learner = kind(stages[0].users.features.shape[1], seed=own, **settings)
    rng, impression, space = np.random.default_rng(people), learner.blank.fresh(), _room(learner, stages[0].users)
    loop, totals = compiled_run(kind), np.array([0.0, 0.0, 1.0, 0.0])
    final, online, lost = np.zeros((3, checkpoints.size))
    now = stages[0]

    def step(done: int, until: int) -> None:
        nonlocal now
        now = [stage for stage in stages if stage.begins <= done][-1]
        loop(learner.memory, impression.memory, now.users, space, done, until, FADE, totals, learner.rng, rng)

    def note(point: int) -> None:
        final[point], online[point], lost[point] = offline(learner, now.test), totals[0], totals[3]

    changes = [stage.begins for stage in stages]
    timed = Timed(step)
    in_slices(timed, checkpoints, SLICE, report, note, changes)
    return Outcome(final, online, lost, timed.seconds)


def _room(learner: Learner, users: Users) -> Room:
    longest = int(np.diff(users.offsets).max())
    return Room(
        *room(max(longest, learner.length), learner.n_rankers),
        np.zeros(learner.length, np.int64),
        np.zeros(learner.length, np.bool_),
    )


def offline(learner: Learner, test: Dataset) -> float:
    """NDCG of what was learnt, on queries with relevant documents; nan without any."""
    if test.n_queries == 0:
        return np.nan
    measure = f"ndcg@{CUTOFF}"
    return mean_over_queries(evaluate(test, test.features @ learner.weights[0], [measure]), test, empty="skip")[measure]
