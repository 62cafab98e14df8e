from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from duelist.bench.demo import bench_demo, demo_table
from duelist.demo import run
from duelist.demo.options import Options
from duelist.demo.world import World
from duelist.search.documents import gathered


def test_every_seed_has_a_row_and_the_notes_count_them(monkeypatch: pytest.MonkeyPatch) -> None:
    small = World(gathered(Path(sysconfig.get_path("stdlib")) / "asyncio"), tasks=10)
    monkeypatch.setattr(run, "World", lambda: small)
    rows = bench_demo(2, Options(visitors=10, journal="memory://"))
    assert [row["seed"] for row in rows] == [0, 1]
    assert all(row["cpu"] > 0 and row["visitors"] == 10 for row in rows)
    found = [
        {**rows[0], "best": rows[0]["right"]},
        {**rows[1], "best": "another", "drifting": {"best": "", "regret": 1}},
    ]
    text = str(demo_table(found))
    assert "found in 1 of 2" in text
    assert "0 were certain" in text
