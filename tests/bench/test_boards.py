from __future__ import annotations

import sys
from pathlib import Path

import pytest

from duelist.bench.boards import bench_boards, boards_table
from duelist.core.errors import BadInput

FAKE = """#!{python}
import json, sys
import numpy as np
columns = np.load(sys.stdin.read().strip())
assert set(columns["left_won"].tolist()) == {{True, False}}
print(json.dumps([{{"library": "fake 1", "seconds": 2.0, "strengths": [9.0, 0, 0, 0, 0]}}]))
"""


def test_another_library_stands_beside_with_how_far_it_is_apart(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text(FAKE.format(python=sys.executable))
    fake.chmod(0o755)
    rows = bench_boards(duels=2000, arms=5, peers=str(fake))
    assert [row.library for row in rows] == ["duelist, strengths", "duelist, the whole board", "fake 1"]
    assert 6 < rows[2].apart < 11
    assert "fake 1" in str(boards_table(rows))


def test_an_interpreter_without_any_of_them_adds_nothing() -> None:
    assert len(bench_boards(duels=2000, arms=5, peers=sys.executable)) == 2


def test_what_cannot_be_run_or_ranked_is_said() -> None:
    with pytest.raises(BadInput, match="'nowhere/python' cannot be run: No such file"):
        bench_boards(duels=2000, arms=5, peers="nowhere/python")
    with pytest.raises(BadInput, match="'/bin/false' could not measure"):
        bench_boards(duels=2000, arms=5, peers="/bin/false")
    with pytest.raises(BadInput, match="at least 2 arms and 50 duels for each, not 1000 duels of 300"):
        bench_boards(duels=1000)
