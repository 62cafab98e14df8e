from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.dueling import ENVIRONMENTS, Preferences
from duelist.dueling.preferences import check_matrix

Run = Callable[..., str]
Command = Callable[..., "subprocess.CompletedProcess[str]"]

CYCLE = [[0.5, 0.9, 0.2], [0.1, 0.5, 0.6], [0.8, 0.4, 0.5]]


def test_a_named_instance_is_reported_in_words(run: Run) -> None:
    lines = [line.split("  ") for line in run("matrix", "arxiv").splitlines()]
    assert lines[0] == ["arxiv"]
    report = {line[1]: line[-1].strip() for line in lines[1:]}
    assert report["Condorcet winner"].startswith("arm 0")
    assert report["smallest gap"].startswith("0.04")
    assert report["total order"] == "no"


def test_every_fixed_instance_can_be_reported(run: Run) -> None:
    others = {"deceptive", "abrupt", "smooth", "matrix", "utilities", "rankers", "ndcg-rankers"}
    for name in set(ENVIRONMENTS) - others:
        assert run("matrix", name).startswith(f"{name}\n")


def test_settings_of_an_instance_are_taken(run: Run) -> None:
    assert json.loads(run("matrix", "worst-case:arms=7,epsilon=0.2", "--json"))["smallest_gap"] == 0.2


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".npy", ".npz"])
def test_json_of_a_file_holds_every_fact(run: Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"cycle{suffix}"
    if suffix in (".txt", ".csv"):
        np.savetxt(path, CYCLE, delimiter="," if suffix == ".csv" else " ")
    elif suffix == ".npy":
        np.save(path, CYCLE)
    else:
        np.savez(path, PMat=CYCLE)
    facts = dataclasses.asdict(Preferences.of(check_matrix(CYCLE)))
    assert facts["condorcet"] is None
    assert json.loads(run("matrix", path, "--json")) == {"matrix": f"cycle{suffix}", **facts}


def test_names_of_arms_are_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "named.csv").write_text("bm25,vector\n0.5,0.4\n0.6,0.5\n")
    assert "vector (beats every other arm)" in run("matrix", tmp_path / "named.csv")
    assert json.loads(run("matrix", tmp_path / "named.csv", "--json"))["arms"] == ["bm25", "vector"]


def test_the_mslr_rankers_are_reported(run: Run, data: Callable[[str], Path]) -> None:
    report = json.loads(run("matrix", data("preferences/MSLR_Informational_PMat.npz"), "--json"))
    assert (report["n_arms"], report["condorcet"], report["copeland"], report["borda"]) == (136, None, [114], [109])


def test_an_instance_that_changes_over_time_has_no_report(run: Run) -> None:
    with pytest.raises(BadInput, match="'deceptive' has no fixed matrix"):
        run("matrix", "deceptive")


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("cell.txt", b"0.5 0.7\n0.4 0.5\n", "P[0, 1] + P[1, 0] must be 1, but 0.7 + 0.4 is 1.1"),
        ("line.csv", b"0.5,0.7\n0.3,?\n", "line 2: '?' is not a number"),
        ("junk.npz", bytes(range(256)), "junk.npz"),
    ],
)
def test_a_bad_file_is_one_line_on_standard_error(
    command: Command, tmp_path: Path, name: str, content: bytes, complaint: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = command("matrix", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
