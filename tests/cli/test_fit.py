from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from duelist.cli.fit import fit_command
from duelist.core.errors import BadInput, UnknownName
from duelist.data import synthetic

app = typer.Typer(rich_markup_mode=None)
app.command()(fit_command)


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A small data set in three files, as options."""
    path, data = tmp_path_factory.mktemp("letor"), synthetic(60, 10, 4, grades=3, seed=1)
    options = []
    for part, name in enumerate(("train", "vali", "test")):
        lines = [
            f"{data.labels[row]} qid:{row // 10} " + " ".join(f"{n + 1}:{v:.4f}" for n, v in enumerate(features)) + "\n"
            for row, features in enumerate(data.features[200 * part : 200 * part + 200], 200 * part)
        ]
        (path / f"{name}.txt").write_text("".join(lines))
        options += [f"--{name}", str(path / f"{name}.txt")]
    return options


def test_json_has_what_was_promised(files: list[str]) -> None:
    found = json.loads(run("svm-map", *files, "--grid", "C=0.1,10", "--json"))
    assert list(found) == ["ranker", "parameters", "metrics", "trained", "primal", "dual", "gap", "seconds", "left_out"]
    assert found["ranker"] == "svm-map"
    assert found["parameters"]["C"] in (0.1, 10)
    assert 0 <= found["gap"] <= 5e-3 * found["parameters"]["C"]
    assert 0.5 < found["metrics"]["map"] < 1
    assert {"map", "ndcg@10"} <= found["metrics"].keys()


def test_a_table_for_people(files: list[str]) -> None:
    printed = run("svm-ndcg", *files, "--grid", "k=5", "--grid", "C=1", "--measure", "ndcg@5")
    assert "svm-ndcg: C=1.0, " in printed
    assert "ndcg@5" in printed
    assert "primal" in printed


def test_an_untrained_ranker_is_said_to_be(files: list[str], tmp_path: Path) -> None:
    same = tmp_path / "same.txt"
    same.write_text("".join(f"{n % 2} qid:{n // 4} 1:{n // 2 % 2} 2:{n // 4}\n" for n in range(12)))
    options = [option for part in ("train", "vali", "test") for option in (f"--{part}", same)]
    printed = run("svm-map", *options)
    assert "untrained: every document has the same score" in printed
    assert json.loads(run("svm-map", *options, "--json"))["trained"] is False
    assert "untrained" not in run("svm-map", *files, "--grid", "C=1")


def test_choices_without_an_end_are_named(files: list[str]) -> None:
    printed = run("svm-map:max_planes=8", *files, "--grid", "C=0.001,1e6")
    assert "C=0.001" in printed.splitlines()[0]
    assert "left out: svm-map:C=1000000.0,max_planes=8" in printed.replace("tolerance=0.005,", "")
    assert "no solution within 8 planes" in printed


def test_a_directory_instead_of_files(files: list[str]) -> None:
    folder = Path(files[1]).parent
    assert json.loads(run("lightgbm", "--data", folder, "--grid", "trees=5", "--json"))["primal"] is None


def test_without_a_ranker_all_are_listed() -> None:
    printed = run()
    assert all(f"\n{name} " in f"\n{printed}" for name in ("svm-map", "svm-acc4", "lightgbm", "xgboost"))


def test_parameters_beside_a_name_and_in_the_grid(files: list[str]) -> None:
    found = json.loads(run("svm-ndcg:k=5,truth=mean", *files, "--grid", "C=0.1,10", "--json"))
    assert found["ranker"] == "svm-ndcg:k=5,truth=mean"
    assert (found["parameters"]["k"], found["parameters"]["truth"]) == (5, "mean")
    assert found["parameters"]["C"] in (0.1, 10)
    with pytest.raises(BadInput, match=r"has no parameter 'c'.*; its parameters: C, "):
        run("svm-map", *files, "--grid", "c=1")
    for grid in ("C", "C=", "=1", "C=1,,2"):
        with pytest.raises(BadInput, match="settings are written NAME=VALUE"):
            run("svm-map", *files, "--grid", grid)
    with pytest.raises(BadInput, match="C comes twice"):
        run("svm-map", *files, "--grid", "C=1", "--grid", "C=2")


def test_mistakes_are_said(files: list[str]) -> None:
    with pytest.raises(BadInput, match="data is missing"):
        run("svm-map", *files[:4])
    with pytest.raises(UnknownName, match="unknown ranker 'svm'"):
        run("svm", *files)
    with pytest.raises(UnknownName, match="unknown measure"):
        run("svm-map", *files, "--measure", "mpa")


def test_mq2008_from_its_directory(data: Callable[[str], Path]) -> None:
    folder = data("mq2008/S1.txt.gz").parent
    found = json.loads(run("svm-pairwise", "--data", folder, "--fold", "2", "--json"))
    assert 0.42 < found["metrics"]["map"] < 0.45
