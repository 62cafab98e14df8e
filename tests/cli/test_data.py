from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from duelist.core.errors import BadInput

Run = Callable[..., str]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


def test_public_data_sets_are_listed_with_their_publishers(run: Run) -> None:
    printed = run("data")
    assert all(name in printed for name in ("MQ2007", "MSLR-WEB10K", "Istella", "Cranfield", "Yandex", "TREC"))
    listed = json.loads(run("data", "--json"))
    assert listed["MQ2008"]["queries"] == 784
    assert all(entry["page"] and entry["terms"] for entry in listed.values())


def test_a_folder_is_checked(run: Run, command: Command, tmp_path: Path) -> None:
    for name in ("train", "vali", "test"):
        (tmp_path / f"{name}.txt").write_text(f"1 qid:{name} 1:1\n0 qid:{name} 1:2\n")
    assert "folds: 1\n" in run("data", "check", tmp_path)
    assert json.loads(run("data", "check", tmp_path, "--json"))["folds"] == [1]
    (tmp_path / "vali.txt").unlink()
    done = command("data", "check", tmp_path)
    assert done.returncode == 1
    assert "odd: fold 1: there is none of" in done.stdout


def test_learn_fit_and_compare_take_synthetic_data(run: Run) -> None:
    small = "synthetic:queries=20,documents=5"
    learnt = run("learn", "pdgd", "--data", small, "--impressions", "50", "--runs", "1")
    assert learnt.startswith(f"{small}, fold 1, navigational clicks")
    assert "map" in run("fit", "svm-map", "--data", small, "--fold", "2", "--grid", "C=1")
    assert "svm-roc" in run("compare", "svm-map", "svm-roc", "--data", small, "--grid", "C=1")


def test_what_analyze_cannot_read_is_said_in_a_sentence(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "log.parquet"
    broken.write_bytes(b"PAR1 no more of it")
    with pytest.raises(BadInput, match=r"log\.parquet' is no Parquet file"):
        run("analyze", broken)
    missing = tmp_path / "missing.db"
    with pytest.raises(BadInput, match=r"no journal '.*missing\.db'"):
        run("analyze", f"sqlite:///{missing}")
    assert not missing.exists()
    with pytest.raises(BadInput, match=r"no file of weights '.*weights\.json'"):
        run("analyze", "--demo", "--weights", tmp_path / "weights.json")
    plain: dict[str, Any] = {"shown": ["a", "b"], "rankers": ["x", "y"], "teams": [0, 1], "size": 10**400}
    rows = [plain | {"user": f"u{i}", "clicks": [i % 2], "time": 1.7e9 + i} for i in range(4)]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, rows)))
    assert "size" in run("analyze", log, "--segment", "size")


def test_the_demo_of_analyze_needs_no_log(run: Run, tmp_path: Path) -> None:
    printed = run("analyze", "--demo", "--html", tmp_path / "report.html")
    assert printed.startswith("demo: ltr-v3 against bm25\n")
    assert "<h1>demo</h1>" in (tmp_path / "report.html").read_text()
    assert json.loads(run("analyze", "--demo", "--json", "--window", "24"))["window"] == 24
    with pytest.raises(BadInput, match="needs the file of a log, or --demo"):
        run("analyze")
    with pytest.raises(BadInput, match="not both"):
        run("analyze", "log.jsonl", "--demo")
