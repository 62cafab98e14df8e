"""Learners on a GPU: an emulated device runs the engine's text; a real one is tried where there is one."""

from __future__ import annotations

import numpy as np
import pytest

from duelist.clicks import cascade
from duelist.core.cuda import Device, load_cuda
from duelist.core.errors import BadInput, MissingExtra
from duelist.core.memory import Floats
from duelist.data import Fold
from duelist.online import LEARNERS, PDGD, learn
from duelist.online.cuda import job_of, judge, learn_on_device
from duelist.online.loop import Curves
from duelist.online.users import Stage, offline, stages_of
from duelist.testing.emulated import Emulated
from duelist.testing.learner import easy_fold

SEED, DRIFT = np.random.SeedSequence(7), "abrupt:times=150,seed=1"
POINTS = np.array([10, 150, 300])


@pytest.fixture(scope="module")
def fold() -> Fold:
    return easy_fold()


@pytest.fixture(scope="module")
def stages(fold: Fold) -> list[Stage]:
    return stages_of(fold, cascade("navigational", 3), 10, DRIFT, 300)


def run(stages: list[Stage], runs: range, device: Emulated) -> Curves:
    learner = PDGD(stages[0].users.features.shape[1], seed=0)
    return learn_on_device(learner, stages, POINTS, runs, SEED, "pdgd", False, device)


@pytest.fixture(scope="module")
def whole(stages: list[Stage]) -> Curves:
    return run(stages, range(400), Emulated())


def test_batches_and_parts_do_not_change_a_result(stages: list[Stage], whole: Curves) -> None:
    device = Emulated(room=60_000)  # for fewer runs than 70
    part = run(stages, range(330, 400), device)
    assert device.launches.count((0, 0)) > 1  # each batch compiles anew here
    for name in ("final", "online", "lost"):
        assert np.array_equal(getattr(part, name), getattr(whole, name)[330:])


def test_runs_show_and_learn_what_they_do_on_the_cpu(fold: Fold, whole: Curves) -> None:
    cpu = learn("pdgd", fold, "navigational", 300, 400, seed=1, drift=DRIFT, points=3, progress=False)
    last, before = cpu.checkpoints.tolist().index(300), cpu.checkpoints.tolist().index(150)
    for mine, theirs in ((whole.final, cpu.final), (whole.online, cpu.online), (whole.lost, cpu.lost)):  # type: ignore[attr-defined]
        assert apart(mine[:, 2], theirs[:, last]) < 3.5
        assert apart(mine[:, 1], theirs[:, before]) < 3.5  # people want something else from here on
    assert apart(whole.final[:, 0], cpu.final[:, last]) > 5.0  # it could have failed


def apart(one: Floats, other: Floats) -> float:
    """The difference of two means in standard errors."""
    return float(abs(one.mean() - other.mean()) / np.sqrt(one.var() / one.size + other.var() / other.size))


# One of each family that shows lists its own way, and holders: compiling all 23 takes two minutes.
FAMILIES = ("m3l", "p-mgd", "pairrank", "tally-recall", "restart")


@pytest.mark.parametrize("name", FAMILIES)
def test_learners_run_where_the_arrays_of_a_run_lie_side_by_side(fold: Fold, name: str) -> None:
    learner = LEARNERS.get(name).resolve({})(fold.train.n_features, seed=0)
    stages = stages_of(fold, cascade("perfect", 3), learner.length, None, 200)
    found = learn_on_device(learner, stages, np.array([10, 200]), range(5), SEED, name, False, Emulated())
    before, after = found.final.mean(0)
    assert after > before > 0.0


def test_documents_are_in_memory_once(stages: list[Stage]) -> None:
    learner = PDGD(stages[0].users.features.shape[1], seed=0)
    job = job_of(learner, stages[0].users, "pdgd")
    assert job.world.users.features is job.again.users.features
    assert job.world.room.scores is not job.again.room.scores


def test_many_rankers_are_judged_as_one_is(stages: list[Stage]) -> None:
    weights = np.random.default_rng(1).standard_normal((70, stages[0].users.features.shape[1]))  # more than one call
    assert judge(weights, stages[0]) == pytest.approx([offline(row, stages[0].test) for row in weights], abs=1e-12)


# The choice of engine


def test_an_engine_is_cpu_or_cuda(fold: Fold) -> None:
    with pytest.raises(BadInput, match="engine must be one of cpu, cuda, not 'gpu'"):
        learn("pdgd", fold, impressions=10, runs=1, engine="gpu")


def test_cores_are_for_the_cpu(fold: Fold) -> None:
    with pytest.raises(BadInput, match="cores is for engine cpu"):
        learn("pdgd", fold, impressions=10, runs=1, engine="cuda", cores=2)


@pytest.mark.parametrize("name", ["pdgd", "mgd"])
def test_a_gpu_agrees_with_the_cpu(fold: Fold, name: str) -> None:
    load_cuda.cache_clear()
    try:
        Device()
    except MissingExtra as error:
        pytest.skip(str(error))
    gpu, cpu = (learn(name, fold, impressions=300, runs=300, engine=engine) for engine in ("cuda", "cpu"))
    assert gpu.engine == "cuda"
    assert apart(gpu.final[:, -1], cpu.final[:, -1]) < 3.5
