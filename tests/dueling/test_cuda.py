"""The engine for GPUs: batches, slices and layouts by an emulated device, the choice of engine, and a real one."""

from __future__ import annotations

import importlib
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from duelist.core import cuda as core_cuda
from duelist.core.compile import kernel
from duelist.core.cuda import FEW, MANY, Device, Loop, load_cuda
from duelist.core.errors import BadInput, CannotCompile, MissingExtra
from duelist.core.threads import Batch, Engine
from duelist.dueling import Environment, Policy, load_environment, simulate
from duelist.dueling.cuda import job_of, run_on_device
from duelist.dueling.environment import pack
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.loop import Runs
from duelist.dueling.policies.winner_stays import WinnerStaysStrong
from duelist.testing.emulated import LOOPS, Emulated

SEED, RUNS = np.random.SeedSequence(7), 70
POINTS = np.array([1, 150, 400])


def world() -> Environment:
    """One that each run writes to."""
    return load_environment("abrupt:arms=3,stretch=150")


def policy() -> Policy:
    return WinnerStaysStrong(3, seed=0)


def same(one: Runs, other: Runs) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one[:3], other[:3], strict=True))


@pytest.fixture(scope="module")
def whole() -> tuple[Runs, Emulated]:
    """All runs at once, and the device they ran on."""
    device = Emulated()
    return run_on_device(policy(), world(), POINTS, RUNS, SEED, False, device), device


def test_batches_do_not_change_a_result(whole: tuple[Runs, Emulated]) -> None:
    device = Emulated(room=9000)  # for fewer than 64 runs
    assert list(Engine(job_of(policy(), world(), 400), device).batches(0, RUNS)) == [(0, 32), (32, 32), (64, 6)]
    assert same(run_on_device(policy(), world(), POINTS, RUNS, SEED, False, device), whole[0])


def test_runs_from_a_number_on_are_those_of_the_whole(whole: tuple[Runs, Emulated]) -> None:
    late = run_on_device(policy(), world(), POINTS, 30, SEED, False, Emulated(), first=40)
    assert all(np.array_equal(a, b[40:]) for a, b in zip(late[:3], whole[0][:3], strict=True))


def test_the_layout_does_not_change_a_result(whole: tuple[Runs, Emulated]) -> None:
    known = set(LOOPS)
    assert same(run_on_device(policy(), world(), POINTS, RUNS, SEED, False, Emulated(), small=0), whole[0])
    assert len(LOOPS.keys() - known) == 1  # it is not the loop of the other layout


def test_launches_are_short_and_end_at_checkpoints(whole: tuple[Runs, Emulated]) -> None:
    compiling, *launches = whole[1].launches
    assert compiling == (0, 0)
    assert launches[0][0] == 0
    assert all(done == before for (done, _), (_, before) in zip(launches[1:], launches[:-1], strict=True))
    assert {1, 150, 400} <= {until for _, until in launches}
    assert len(launches) > 3


def test_regret_is_that_of_the_cpu(whole: tuple[Runs, Emulated]) -> None:
    gpu = run_on_device(policy(), world(), POINTS, 2000, SEED, False, Emulated())
    assert np.array_equal(gpu.sums[:RUNS], whole[0].sums)
    cpu = simulate(WinnerStaysStrong, world(), 400, 1000, seed=1)
    mine, theirs = gpu.sums[:, -1, 0], cpu.curve()[:, -1]
    error = np.sqrt(mine.var() / mine.size + theirs.var() / theirs.size)
    assert abs(mine.mean() - theirs.mean()) < 3.5 * error
    assert abs(gpu.hits[:, -1].mean() - cpu.hits[:, -1].mean()) < 3.5 * np.sqrt(0.25 / 1000 + 0.25 / 2000)
    assert set(gpu.arms) <= {0, 1, 2}


class Nested(Matrix):
    """Keeps what a run writes inside a tuple."""

    def memory(self, horizon: int) -> Any:
        return pack(preference=self.preference, gap=self.gap, best=self.best, part=pack(left=np.full((2, 2), 3)))

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        return count_down(self)


@kernel
def count_down(self: Any) -> float:
    self.part.left[1, 1] -= 1
    return 1.0 if self.part.left[1, 1] > 1 else 0.0


def test_what_a_run_writes_begins_as_the_environment_made_it() -> None:
    engine = Engine(job_of(WinnerStaysStrong(2, seed=0), Nested([[0.5, 0.6], [0.4, 0.5]]), 3), Emulated())
    batch = Batch(engine, 1, 0, 2, lambda steps: None)
    batch.advance(0, 3)
    assert list(batch.ends()) == [0, 1]
    part = next(place for place in engine.layout.places if place.array.shape == (2, 2) and place.array[0, 0] == 3)
    assert part.array.tolist() == [[3, 3], [3, 0]]


def test_runs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BadInput, match=r"32 runs of winner-stays-strong take [\d,]+ bytes; the GPU has 10 free"):
        run_on_device(policy(), world(), POINTS, 1, SEED, False, Emulated(room=10))


# The choice of engine


def test_an_engine_is_cpu_or_cuda() -> None:
    with pytest.raises(BadInput, match="engine must be one of cpu, cuda, not 'gpu'"):
        simulate("uniform", "arxiv", 10, 1, engine="gpu")
    assert simulate("uniform", "arxiv", 10, 1, engine="cpu").engine == "cpu"


def test_cores_are_for_the_cpu() -> None:
    with pytest.raises(BadInput, match="cores is for engine cpu"):
        simulate("uniform", "arxiv", 10, 1, engine="cuda", cores=2)


def test_without_numba_cuda_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    load_cuda.cache_clear()
    monkeypatch.setattr(core_cuda, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"engine cuda needs numba-cuda: pip install 'duelist\[cuda\]'"):
        simulate("uniform", "arxiv", 10, 1, engine="cuda")


def test_without_a_gpu_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_cuda, "load_cuda", lambda: SimpleNamespace(is_available=lambda: False))
    with pytest.raises(MissingExtra, match="engine cuda needs an NVIDIA GPU with its driver, and found none"):
        simulate("uniform", "arxiv", 10, 1, engine="cuda")


def test_threads_wake_the_driver_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[int] = []

    def is_available() -> bool:
        inside.append(1)
        time.sleep(0.01)
        inside.append(-1)
        return True

    monkeypatch.setattr(core_cuda, "load_cuda", lambda: SimpleNamespace(is_available=is_available))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: Device(), range(4)))
    assert inside == [1, -1] * 4


class Compiler:
    """numba.cuda as far as a Loop sees it; loops take so many registers."""

    def __init__(self, registers: int, error: Exception | None = None) -> None:
        self.registers, self.error = registers, error
        self.made: list[tuple[str, Any]] = []
        self.launched: list[Any] = []

    def jit(self, cache: bool = False, max_registers: int | None = None) -> Any:
        def compiled(function: Any) -> Any:
            self.made.append((function.__name__, max_registers))
            return self

        return compiled

    def get_regs_per_thread(self) -> dict[str, int]:
        return {"signature": self.registers}

    def __getitem__(self, grid: Any) -> Any:
        if self.error is not None:
            raise self.error
        return lambda *args: self.launched.append(grid)

    def per_thread_default_stream(self) -> Any:
        return SimpleNamespace(synchronize=lambda: self.launched.append("waited"))


def nothing() -> None:
    pass


@pytest.mark.parametrize(("registers", "limits"), [(MANY, [None]), (MANY + 1, [None, FEW])])
def test_loops_that_take_many_registers_are_compiled_with_few(registers: int, limits: list[Any]) -> None:
    cuda = Compiler(registers)
    Loop(cuda, nothing)(1000)  # type: ignore[arg-type]
    assert [limit for _, limit in cuda.made] == limits
    assert len({name for name, _ in cuda.made}) == len(limits)
    assert [grid[:2] for grid in cuda.launched[::2]] == [(1, 128), (8, 128)]
    assert cuda.launched[1::2] == ["waited", "waited"]


def test_what_does_not_compile_for_a_gpu_is_one_sentence() -> None:
    errors = importlib.import_module("numba.core.errors")
    text = "Failed in cuda mode pipeline\nNRT required but not enabled\nDuring: lowering x at mine.py (3)\nDuring: y"
    with pytest.raises(CannotCompile, match=r"this does not compile for a GPU: it allocates .* at mine.py \(3\)$"):
        Loop(Compiler(1, errors.NumbaError(text)), nothing)(0)  # type: ignore[arg-type]


# A real one


@pytest.fixture
def gpu() -> Device:
    load_cuda.cache_clear()
    try:
        return Device()
    except MissingExtra as error:
        pytest.skip(str(error))


def test_a_gpu_gives_the_same_result_whatever_the_batch(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    first = simulate(WinnerStaysStrong, world(), 400, 200, engine="cuda")
    monkeypatch.setattr(Device, "room", lambda self: 9000)
    again = simulate(WinnerStaysStrong, world(), 400, 200, engine="cuda")
    assert np.array_equal(first.curve(), again.curve())
    assert np.array_equal(first.found, again.found)


@pytest.mark.parametrize("name", ["rucb", "d-ts"])
@pytest.mark.parametrize("instance", ["arxiv", "smooth", "rankers", "deceptive"])
def test_a_gpu_agrees_with_the_cpu(gpu: Device, name: str, instance: str) -> None:
    mine, theirs = (simulate(name, instance, 1000, 300, engine=e).curve()[:, -1] for e in ("cuda", "cpu"))
    assert abs(mine.mean() - theirs.mean()) < 3.5 * np.sqrt(mine.var() / 300 + theirs.var() / 300)
