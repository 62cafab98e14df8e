"""What is saved is whole, whatever happens; what was cut is refused with a reason."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duelist import RUCB, Policy
from duelist.core.errors import BadInput
from duelist.online import PDGD


def test_a_policy_with_tuples_as_arms_and_open_duels_goes_on(tmp_path: Path) -> None:
    policy = RUCB(arms=[("bm25", 1), ("bm25", 2), ("vector", (0.5, None))], seed=1)
    waiting = policy.ask()
    policy.tell(policy.ask(), 1)
    policy.save(tmp_path / "policy.json")
    loaded = Policy.load(tmp_path / "policy.json")
    assert loaded.to_json() == policy.to_json()
    assert loaded.open_duels() == [waiting]
    loaded.tell(waiting.id, winner=waiting.right)
    PDGD(2, seed=1).save(tmp_path / "learner.json")
    with pytest.raises(BadInput, match=r"learner.json': a policy is needed here, not the learner"):
        Policy.load(tmp_path / "learner.json")


def test_a_cut_file_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    RUCB(3, seed=1).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    with pytest.raises(BadInput, match=r"policy.json': not the JSON of a policy: .*; it ends after 100 bytes, in"):
        RUCB.load(path)
    with pytest.raises(BadInput, match=r"'nothing\.json' cannot be read: No such file"):
        RUCB.load("nothing.json")
    with pytest.raises(BadInput, match="cannot be written: No such file"):
        RUCB(3).save(tmp_path / "nowhere" / "policy.json")


def test_a_disk_that_fails_leaves_the_old_file_and_no_rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "policy.json"
    RUCB(3, seed=1).save(path)
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left on device"):
        RUCB(3, seed=2).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["policy.json"]


SAVES = """
import sys
from pathlib import Path
from duelist.core.disk import replace_file
for number in range(10**9):
    replace_file(Path(sys.argv[1]), b"%d" % number * 50_000)
"""


def test_a_kill_in_the_middle_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "state"
    for _ in range(3):
        path.unlink(missing_ok=True)
        process = subprocess.Popen([sys.executable, "-c", SAVES, str(path)])
        deadline = time.monotonic() + 60
        while not path.exists() or path.read_bytes()[:1] < b"1":
            assert time.monotonic() < deadline
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        data = path.read_bytes()
        number = data[: len(data) // 50_000]
        assert data == number * 50_000
