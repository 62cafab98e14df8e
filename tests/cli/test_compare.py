from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from duelist.cli.compare import compare_command
from duelist.core.errors import BadInput
from duelist.data import synthetic

app = typer.Typer(rich_markup_mode=None)
app.command()(compare_command)


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data set in five parts."""
    path, data = tmp_path_factory.mktemp("letor"), synthetic(50, 10, 4, grades=3, seed=1)
    for part in range(5):
        lines = [
            f"{data.labels[row]} qid:{row // 10} " + " ".join(f"{n + 1}:{v:.4f}" for n, v in enumerate(features)) + "\n"
            for row, features in enumerate(data.features[100 * part : 100 * part + 100], 100 * part)
        ]
        (path / f"S{part + 1}.txt").write_text("".join(lines))
    return path


def test_folds_are_put_together_in_json(folder: Path) -> None:
    arguments = ["--data", folder, "--fold", 1, "--fold", 2, "--grid", "C=1,10", "--json"]
    found = json.loads(run("svm-map", "svm-acc", "svm-pairwise", *arguments))
    assert [parts[0]["ranker"] for parts in found["rankers"]] == ["svm-map", "svm-acc", "svm-pairwise"]
    assert all(len(parts) == 2 for parts in found["rankers"])
    for row, second in zip(found["comparisons"], ("svm-acc", "svm-pairwise"), strict=True):
        assert (row["first"], row["second"], row["measure"]) == ("svm-map", second, "map")
        assert row["wins"] + row["ties"] + row["losses"] == 20
        assert 0 <= row["p_value"] <= 1


def test_tables_for_people(folder: Path) -> None:
    printed = run("svm-map", "svm-acc", "--data", folder, "--measure", "mrr", "--grid", "C=1")
    assert "svm-map against, by mrr" in printed
    assert "win/tie/loss  Wilcoxon p" in printed


def test_the_same_ranker_with_other_parameters_is_another(folder: Path) -> None:
    found = json.loads(run("svm-ndcg:k=2", "svm-ndcg:k=10", "--data", folder, "--grid", "C=1", "--json"))
    assert [parts[0]["ranker"] for parts in found["rankers"]] == ["svm-ndcg:k=2", "svm-ndcg:k=10"]
    assert [parts[0]["parameters"]["k"] for parts in found["rankers"]] == [2, 10]
    with pytest.raises(BadInput, match=r"none of svm-map, svm-acc has a parameter 'tolerence' to choose .did you mean"):
        run("svm-map", "svm-acc", "--data", folder, "--grid", "tolerence=1")


def test_one_ranker_is_not_enough(folder: Path) -> None:
    with pytest.raises(BadInput, match="two or more"):
        run("svm-map", "--data", folder)
