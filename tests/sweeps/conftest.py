"""Cells that cost nothing, which workers can load from a folder of their own: they die, fail and wait when told."""

from __future__ import annotations

import importlib
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from duelist.sweeps import Cell, Kept

PATIENCE = 240.0  # seconds: a machine may be busy; what is waited for comes or does not


TOYS = """
    import os, signal, time
    from dataclasses import dataclass
    from pathlib import Path
    import numpy as np
    from duelist.sweeps.cell import Cell, Packed

    @dataclass(frozen=True)
    class Toy(Cell):
        kind, clock = "toy", "steps"
        number: int
        runs: int = 4
        act: str = ""
        folder: str = ""
        engine: str = "cpu"
        cost = 1.0

        def axes(self):
            return {"toy": self.number}

        def identity(self):
            return {"number": self.number}

        def check(self):
            pass

        def run(self, first, runs, cores=None):
            if self.act == "fail":
                raise ValueError("a toy that fails")
            if self.act == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.act == "wait":
                Path(self.folder, f"gpu-{os.environ.get('CUDA_VISIBLE_DEVICES')}-{os.getpid()}").touch()
                Path(self.folder, f"at-{self.number}-{os.getpid()}").touch()
                end = time.monotonic() + 300
                while not Path(self.folder, "go").exists() and time.monotonic() < end:
                    time.sleep(0.01)
            numbers = np.arange(first, first + runs)
            return {"value": np.stack([self.number + numbers / 7, numbers * 1.0], 1), "last": numbers / 3}

        @staticmethod
        def join(parts):
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

        @staticmethod
        def pack(result):
            return Packed({"words": "some"}, np.array([1, 10]), result)

        @staticmethod
        def unpack(packed):
            return {"value": packed.arrays["value"], "last": packed.arrays["last"][:, -1]}

        @staticmethod
        def curves(result):
            return {"value": result["value"]}
"""


@pytest.fixture
def toys(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of the class Toy; processes started now find it too."""
    folder = tmp_path_factory.mktemp("toys")
    (folder / "sweep_toys.py").write_text(textwrap.dedent(TOYS))
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module("sweep_toys")
    del sys.modules["sweep_toys"]


def assert_all_there(kept: Kept, toys: list[object]) -> None:
    """Every run of every toy, once and right."""
    for place, toy in enumerate(toys):
        numbers = np.arange(toy.runs)  # type: ignore[attr-defined]
        found = kept.result(place)
        assert found["value"].tolist() == [[toy.number + n / 7, n * 1.0] for n in numbers]  # type: ignore[attr-defined]
        assert found["last"].tolist() == (numbers / 3).tolist()


def bits(cell: Cell, result: Any) -> dict[str, bytes]:
    """The numbers of a result, to the last one."""
    packed = cell.pack(result)
    return {name: np.ascontiguousarray(values).tobytes() for name, values in packed.arrays.items()}


def waiting(folder: Path) -> list[tuple[int, int]]:
    """The toys that wait in a folder, and the processes that run them."""
    names = [path.name.split("-") for path in folder.glob("at-*")]
    return [(int(number), int(process)) for _, number, process in names]


def until(found: Callable[[], Any]) -> Any:
    """What `found` gives once it gives something."""
    end = time.monotonic() + PATIENCE
    while not (there := found()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return there
