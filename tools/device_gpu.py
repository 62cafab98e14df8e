"""Everything that must be seen on a machine with a GPU, in one command; results under $OUT.

PYTHONPATH=src python tools/device_gpu.py [seconds]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

START = time.time()
LIMIT = float(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 560.0
OUT = Path(os.environ.get("OUT", "/tmp/out"))
OUT.mkdir(exist_ok=True, parents=True)


def left() -> float:
    return LIMIT - (time.time() - START)


def say(*text: Any) -> None:
    print(f"[{time.time() - START:5.0f}s]", *text, flush=True)


def smoke() -> None:
    """The same seed, the same result, whatever the grid, the layout and the batch."""
    import numpy as np

    from duelist.core import cuda, layout
    from duelist.dueling.cuda import Device
    from duelist.dueling.simulate import simulate

    say(Device().name)
    before = time.time()
    first = simulate("rucb", "arxiv", 1000, 1000, 1, engine="cuda", points=10, progress=False)
    say(f"rucb first {time.time() - before:.1f}s", first.regret().mean, first.accuracy[-1], first.best_arm_rate)
    room, lanes = cuda.Device.room, layout.lanes_for
    cuda.Device.room = lambda self: 300 * 2200  # type: ignore[method-assign]
    cuda.THREADS = 64
    again = simulate("rucb", "arxiv", 1000, 1000, 1, engine="cuda", points=10, progress=False)
    cuda.Device.room = room  # type: ignore[method-assign]
    layout.lanes_for = lambda size: 1
    third = simulate("rucb", "arxiv", 1000, 1000, 1, engine="cuda", points=10, progress=False)
    layout.lanes_for, cuda.THREADS = lanes, 128
    for other in (again, third):
        same = all(np.array_equal(first.sums[v], other.sums[v]) for v in first.sums)
        say("identical:", same and np.array_equal(first.hits, other.hits) and np.array_equal(first.found, other.found))
    cpu = simulate("rucb", "arxiv", 1000, 1000, 1, points=10, progress=False)
    say("cpu", cpu.regret().mean, cpu.accuracy[-1], cpu.best_arm_rate)


def speed(name: str, arms: int, horizon: int, runs: int, lanes: int | None, threads: int, **options: Any) -> None:
    """One line of speed, without asking for best arms."""
    import numpy as np

    import duelist.dueling.policies  # noqa: F401
    from duelist.bench.policies import ENVIRONMENTS
    from duelist.core import cuda
    from duelist.dueling.cuda import Device, Engine
    from duelist.dueling.environments.instances import load_environment
    from duelist.dueling.policy import POLICIES

    cuda.THREADS = threads
    world, kind = load_environment(ENVIRONMENTS[arms]), POLICIES.get(name)
    planned = {"horizon": horizon} if "horizon" in kind.parameters() else {}
    before = time.time()
    device = Device()
    if options:
        jit = device.cuda.jit

        class Module:
            def __getattr__(self, attribute: str) -> Any:
                return getattr(cuda.load_cuda(), attribute)

            def jit(self, function: Any = None, **given: Any) -> Any:
                return jit(**options)(function) if function else lambda f: jit(**options)(f)

        device.cuda = Module()
    engine = Engine(kind(world.n_arms, seed=0, **planned), world, horizon, device, lanes)
    import duelist.dueling.cuda as module

    kept, module.Batch.best_arms = module.Batch.best_arms, lambda self: np.zeros(self.runs, int)  # type: ignore
    found = engine.run(12345, 0, engine.batch(runs), np.array([horizon]), lambda steps: None)
    module.Batch.best_arms = kept  # type: ignore[method-assign]
    compiled = next(c.cell_contents for c in engine.launch.__closure__ if hasattr(c.cell_contents, "overloads"))
    registers = next(iter(compiled.get_regs_per_thread().values()))
    local = next(iter(compiled.get_local_mem_per_thread().values()))
    regret = found.sums[:, -1, 0]
    cell = f"{name:6s} K={arms:2d} T={horizon:.0e} runs={regret.size:6d} lanes={engine.layout.lanes:2d}"
    mean = f"regret {regret.mean():9.2f} +- {regret.std() / regret.size**0.5:.2f}"
    cost = f"regs {registers} local {local} B/run {engine.layout.size} whole {time.time() - before:.1f}s"
    pace = f"{horizon * regret.size / found.seconds / 1e9:8.3f} G/s"
    say(cell, f"threads={threads:3d}", options or "", pace, mean, cost)


def speeds(until: float) -> None:
    cells: list[tuple[Any, ...]] = []
    for name in ("rucb", "rmed1", "d-ts", "rex3", "if2", "savage"):
        cells.append((name, 6, 100_000, 100_000, 32, 128))
    cells += [("rucb", 16, 30_000, 100_000, lanes, 128) for lanes in (32, 1)]
    cells += [("rucb", 64, 30_000, 100_000, lanes, 128) for lanes in (1, 32)]
    cells += [("rmed1", 64, 30_000, 100_000, lanes, 128) for lanes in (1, 32)]
    cells += [("d-ts", 64, 2_000, 100_000, lanes, 128) for lanes in (1, 32)]
    cells += [("rucb", 64, 30_000, 100_000, 1, 32), ("rucb", 64, 30_000, 20_000, 1, 32)]
    cells += [("rucb", 64, 30_000, 100_000, 4, 128), ("d-ts", 64, 2_000, 20_000, 1, 32)]
    cells += [("rucb", 6, 100_000, 100_000, 32, 256), ("rucb", 6, 100_000, 100_000, 32, 64)]
    cells += [("rmed1", 16, 30_000, 100_000, lanes, 128) for lanes in (32, 1)]
    cells += [("d-ts", 16, 10_000, 100_000, lanes, 128) for lanes in (32, 1)]
    for cell in cells:
        if time.time() - START > until:
            say("no time for", cell)
            continue
        try:
            speed(*cell)
        except Exception as error:
            say(cell, "FAILED", type(error).__name__, str(error)[-1500:])
    for name in ("rucb", "d-ts"):
        if time.time() - START < until:
            speed(name, 6, 100_000, 100_000, 32, 128, max_registers=64)


def profile() -> None:
    """What two slow loops wait for."""
    sections = ["SpeedOfLight", "WarpStateStats", "MemoryWorkloadAnalysis", "Occupancy"]
    for name in ("rucb", "d-ts"):
        cell = [sys.executable, __file__, "--one", name, "64", "1500", "20000", "1", "64"]
        options = ["--clock-control", "none", "--launch-skip", "9", "--launch-count", "1"]
        command = ["ncu", *options, *(x for section in sections for x in ("--section", section)), *cell]
        try:
            found = subprocess.run(command, capture_output=True, text=True, timeout=50)
            text = found.stdout + found.stderr
        except Exception as error:
            text = str(error)
        (OUT / f"ncu-{name}.txt").write_text(text)
        for line in text.splitlines()[-70:]:
            print(line[:150], flush=True)


def agreement(processes: int) -> None:
    """All policies, spread over processes; each writes its own rows."""
    import duelist.dueling.policies  # noqa: F401
    from duelist.dueling.policy import POLICIES

    names = list(POLICIES)
    slow = ["ecw-rmed", "merge-dts", "ccb", "d-ts+", "rmed2", "rmed2fh", "monitored", "window", "auto"]
    names.sort(key=lambda name: slow.index(name) if name in slow else len(slow))
    shares = [names[i::processes] for i in range(processes)]
    jobs = []
    for number, share in enumerate(shares):
        command = [sys.executable, __file__, "--agree", str(number), str(int(left()) - 15), *share]
        log = open(f"/tmp/agree{number}.log", "w")  # noqa: SIM115 - the process writes it
        jobs.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))
    for job in jobs:
        try:
            job.wait(max(1.0, left() - 10))
        except subprocess.TimeoutExpired:
            job.kill()
    rows = []
    for number in range(processes):
        lines = Path(f"/tmp/agree{number}.log").read_text().splitlines()
        rows += [json.loads(line[4:]) for line in lines if line.startswith("ROW ")]
        for line in [line for line in lines if not line.startswith("ROW ")][-6:]:
            say(number, line[-300:])
    (OUT / "agreement.json").write_text(json.dumps(rows))
    if rows:
        from duelist.bench.gpu import agreement_table

        missing = {(n, i) for n in names for i in ("arxiv", "bvs-20", "cyclic", "abrupt")}
        say("not done:", sorted(missing - {(row["policy"], row["instance"]) for row in rows}))
        print(agreement_table(sorted(rows, key=lambda row: row["policy"])), flush=True)


def agree(number: str, seconds: str, names: list[str]) -> None:
    from duelist.bench.gpu import INSTANCES, bench_agreement

    end = time.time() + float(seconds)
    for instance in INSTANCES:
        for name in names:
            if time.time() > end:
                return
            try:
                for row in bench_agreement(10_000, 300, [name], [instance]):
                    print("ROW " + json.dumps(row), flush=True)
            except Exception as error:
                print(name, instance, "FAILED", type(error).__name__, str(error)[-250:].replace("\n", " "), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--agree"]:
        agree(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif sys.argv[1:2] == ["--one"]:
        speed(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        say(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.strip())
        smoke()
        if len(sys.argv) > 2 and sys.argv[2] == "--no-speed":
            pass
        else:
            speeds(0.42 * LIMIT)
            profile()
        agreement(14)
        say("done")
