from __future__ import annotations

import dataclasses
import importlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.cli.results import print_results
from duelist.core.errors import BadInput, UnknownName
from duelist.dueling import Result, simulate

Run = Callable[..., str]
Command = Callable[..., "subprocess.CompletedProcess[str]"]

SMALL = ("--matrix", "arxiv", "--horizon", 300, "--runs", 3, "--seed", 5)


def without_speed(summary: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in summary.items() if key != "steps_per_second"}


@pytest.fixture
def no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails the test when a simulation begins."""

    def begin(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a simulation began")

    # The module, not the function that the package calls by the same name.
    monkeypatch.setattr(importlib.import_module("duelist.dueling.simulate"), "simulate", begin)


# Results


def test_json_is_one_object_with_the_librarys_figures(run: Run) -> None:
    printed = json.loads(run("simulate", "uniform", *SMALL, "--json"))
    assert printed.pop("label") == "uniform"
    assert without_speed(printed) == without_speed(simulate("uniform", "arxiv", 300, runs=3, seed=5).summary())
    assert {"policy", "parameters", "arms", "horizon", "runs", "seed", "regret", "best_arm_rate"} < printed.keys()
    assert printed["regret"]["strong"].keys() == {"mean", "low", "high"}
    assert printed["steps_per_second"] > 0


def test_several_policies_give_a_list_and_one_chart(run: Run, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    printed = json.loads(run("simulate", "rucb", "uniform", *SMALL, "--json", "--chart", chart))
    assert [summary["policy"] for summary in printed] == ["rucb", "uniform"]
    assert without_speed(printed[1]) == without_speed(json.loads(run("simulate", "uniform", *SMALL, "--json")))
    assert chart.read_text().lstrip().startswith("<?xml")


def test_the_table_has_a_row_for_every_policy_the_best_first(run: Run, tmp_path: Path) -> None:
    text = run("simulate", "uniform", "rucb", *SMALL, "--horizon", 20_000, "--chart", tmp_path / "chart.png")
    first_words = [words[0] for line in text.splitlines() if (words := line.strip("│ ").split())]
    assert [word for word in first_words if word in ("rucb", "uniform")] == ["rucb", "uniform"]
    assert "arxiv, 6 arms: 3 runs of 20,000 duels, seed 5" in text
    assert "chart.png" in text.replace("\n", "")


def test_long_names_stay_apart_in_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = simulate("uniform", "arxiv", 300, runs=3)
    names = ["sparring-exp3", "sparring-thompson", "sparring-ucb"]
    print_results([dataclasses.replace(result, policy=name) for name in names])
    shown = capsys.readouterr().out
    assert [name for name in names if name not in shown] == []


def test_the_same_policy_with_other_settings_is_another(run: Run, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    twice = ("rucb:alpha=0.6", "rucb:alpha=2", "uniform")
    printed = json.loads(run("simulate", *twice, *SMALL, "--json", "--save", tmp_path / "all", "--chart", chart))
    assert [each["label"] for each in printed] == ["rucb:alpha=0.6", "rucb:alpha=2.0", "uniform"]
    assert [each["parameters"] for each in printed] == [{"alpha": 0.6}, {"alpha": 2.0}, {}]
    assert all(f"<!-- {name} -->" in chart.read_text() for name in ("rucb:alpha=0.6", "rucb:alpha=2.0", "uniform"))
    files = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert files == ["rucb,alpha=0.6.npz", "rucb,alpha=2.0.npz", "uniform.npz"]
    saved = Result.load(tmp_path / "all" / "rucb,alpha=2.0.npz")
    assert (saved.policy, saved.parameters) == ("rucb", {"alpha": 2.0})
    rows = [line.split()[0] for line in run("simulate", *twice, *SMALL).splitlines() if "±" in line]
    assert {"rucb:alpha=0.6", "rucb:alpha=2.0", "uniform"} <= set(rows)


def test_one_policy_keeps_its_name_whatever_its_settings(run: Run) -> None:
    printed = json.loads(run("simulate", "rucb:alpha=0.6", *SMALL, "--json"))
    assert (printed["policy"], printed["parameters"]) == ("rucb", {"alpha": 0.6})


def test_several_values_are_a_sweep(run: Run) -> None:
    printed = json.loads(run("simulate", "rucb", "uniform", *SMALL, "--set", "alpha=.51,1,2", "--json"))
    assert [each["label"] for each in printed] == ["rucb:alpha=0.51", "rucb:alpha=1.0", "rucb:alpha=2.0", "uniform"]
    alone = json.loads(run("simulate", "rucb", *SMALL, "--set", "alpha=1", "--json"))
    assert printed[1]["regret"] == alone["regret"]


def test_policies_that_hold_others_are_told_apart_by_them(run: Run) -> None:
    printed = json.loads(run("simulate", "window:base=rucb", "window:base=uniform", *SMALL, "--json"))
    assert [each["label"] for each in printed] == ["window:base=rucb", "window:base=uniform"]


@pytest.mark.parametrize(
    ("policies", "settings"),
    [
        (["uniform", "rucb", "uniform"], []),
        (["rucb", "rucb:alpha=0.51"], []),  # which is the default
        (["rucb:alpha=1", "rucb:alpha=2"], ["--set", "alpha=1,1"]),
    ],
)
def test_nothing_is_run_twice_or_dropped_unsaid(
    run: Run, no_run: None, policies: list[str], settings: list[str]
) -> None:
    with pytest.raises(BadInput, match="comes twice"):
        run("simulate", *policies, *SMALL, *settings)


def test_a_result_is_saved_to_a_file_and_several_to_a_folder(run: Run, tmp_path: Path) -> None:
    run("simulate", "uniform", *SMALL, "--save", tmp_path / "one.npz")
    run("simulate", "uniform", "rucb", *SMALL, "--save", tmp_path / "all")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["rucb.npz", "uniform.npz"]
    one, among_others = (Result.load(tmp_path / path).curve() for path in ("one.npz", "all/uniform.npz"))
    assert (one == among_others).all()


def test_several_results_share_a_file_of_rows(run: Run, tmp_path: Path) -> None:
    run("simulate", "rucb", *SMALL, "--set", "alpha=.51,2", "--save", tmp_path / "all.csv")
    lines = (tmp_path / "all.csv").read_text().splitlines()
    assert lines[0].startswith("label,run,duels,strong,weak,")
    assert {line.split(",")[0] for line in lines[1:]} == {"rucb:alpha=0.51", "rucb:alpha=2.0"}


def test_json_has_curves_when_asked(run: Run) -> None:
    curves = json.loads(run("simulate", "uniform", *SMALL, "--json", "--curves"))["curves"]
    result = simulate("uniform", "arxiv", 300, runs=3, seed=5)
    assert curves["duels"] == result.checkpoints.tolist()
    assert curves["regret"]["weak"]["mean"] == result.curve("weak").mean(0).tolist()
    assert curves["accuracy"] == result.accuracy.tolist()
    with pytest.raises(BadInput, match="--curves needs --json"):
        run("simulate", "uniform", *SMALL, "--curves")


def test_the_view_sorts_the_table_and_has_the_intervals(run: Run) -> None:
    text = run("simulate", "uniform", *SMALL, "--view", "borda")
    assert text.splitlines()[2].split()[:2] == ["policy", "borda"]
    assert "borda, strong, weak, copeland: cumulative regret" in text


def test_a_matrix_file_is_simulated(run: Run, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "mine.txt", [[0.5, 0.9], [0.1, 0.5]])
    printed = json.loads(
        run("simulate", "uniform", "--matrix", tmp_path / "mine.txt", "--horizon", 100, "--runs", 2, "--json")
    )
    assert (printed["arms"], printed["environment"]) == (2, "mine.txt, 2 arms")
    assert printed["regret"]["strong"]["mean"] == pytest.approx(20)  # every duel is of arms 0 and 1


def test_cores_do_not_change_the_result(run: Run) -> None:
    one, two = (without_speed(json.loads(run("simulate", "uniform", *SMALL, "--json", "--cores", n))) for n in (1, 2))
    assert one == two


def test_a_policy_in_the_users_folder_is_found(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from duelist.dueling.policies.uniform import Uniform\nclass Mine(Uniform):\n    name = 'my-policy'\n"
    )
    done = command("simulate", "mine:Mine", *SMALL, "--json")
    assert done.stderr == ""
    assert json.loads(done.stdout)["policy"] == "my-policy"


# Settings


@pytest.mark.parametrize(
    ("settings", "rucb"),
    [
        ([], 0.51),
        (["alpha=0.75"], 0.75),
        (["rucb.alpha=0.75"], 0.75),
        (["alpha=.6"], 0.6),
        (["alpha=6e-1"], 0.6),
        (["alpha=2"], 2.0),
        (["alpha=1", "rucb.alpha=2"], 2.0),
        (["rucb.alpha=2", "alpha=1"], 2.0),
    ],
    ids=str,
)
def test_settings_reach_the_policies_that_have_them(run: Run, settings: list[str], rucb: float) -> None:
    options = [word for setting in settings for word in ("--set", setting)]
    printed = json.loads(run("simulate", "uniform", "rucb", *SMALL, *options, "--json"))
    assert [summary["parameters"] for summary in printed] == [{}, {"alpha": rucb}]


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("alpha", "settings are written NAME=VALUE, each name once, not 'alpha'"),
        ("=1", "settings are written NAME=VALUE, each name once, not '=1'"),
        ("beta=1", "--set beta: no such parameter; known here: alpha"),
        ("alpa=1", "--set alpa: no such parameter .did you mean 'alpha'.*; known here: alpha"),
        ("uniform.alpha=1", "--set uniform.alpha: no such parameter; known here: none"),
        ("rex3.gamma=1", "--set rex3.gamma: 'rex3' is not one of uniform, rucb"),
        ("rucv.alpha=1", "'rucv' is not one of uniform, rucb .did you mean 'rucb'"),
        ("alpha=0.5", "rucb: alpha must be a number above 0.5, not 0.5"),
        ("alpha=1,0.5", "rucb: alpha must be a number above 0.5, not 0.5"),
        ("alpha=large", "rucb: alpha must be a number above 0.5, not 'large'"),
        ("alpha=", "settings are written NAME=VALUE, each name once, not 'alpha='"),
        ("alpha=true", "rucb: alpha must be a number above 0.5, not True"),
        ("alpha=NaN", "rucb: alpha must be a number above 0.5, not nan"),
    ],
)
def test_a_bad_setting_is_refused(run: Run, setting: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        run("simulate", "uniform", "rucb", *SMALL, "--set", setting)


def test_a_bad_parameter_beside_a_name_is_refused(run: Run, no_run: None) -> None:
    with pytest.raises(BadInput, match=r"rucb has no parameter 'alpa' .did you mean 'alpha'"):
        run("simulate", "uniform", "rucb:alpa=1", *SMALL)


def test_what_is_written_with_a_name_comes_first(run: Run) -> None:
    printed = json.loads(run("simulate", "rucb:alpha=2", *SMALL, "--set", "alpha=1", "--json"))
    assert printed["parameters"] == {"alpha": 2.0}


def test_a_bad_setting_of_the_last_policy_is_found_before_the_first_runs(run: Run, no_run: None) -> None:
    with pytest.raises(BadInput, match=r"alpha must be a number above 0\.5"):
        run("simulate", "uniform", "rucb", *SMALL, "--set", "alpha=0")


# What cannot be done is said before a long run, not after it.


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--chart", "chart.jpg"], "a chart is saved as .png, .svg, .pdf, not as 'chart.jpg'"),
        (["--chart", "missing/chart.png"], "there is no folder 'missing' to save the chart in"),
        (["--chart", "chart.png", "--view", "bandit"], "'bandit'"),
        (["--view", "nonsense"], "'nonsense'"),
        (["--save", "missing/result.npz"], "there is no folder 'missing' to save in"),
        (["--save", "folder"], "'folder'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_bad_output_is_refused_before_any_run(
    run: Run, no_run: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput) as error:
        run("simulate", "uniform", *SMALL, *options)
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("file", "several results are saved to a folder, or to one file of .csv, .parquet, not to .*file"),
        ("missing/folder", "there is no folder '.*missing' to save in"),
        ("all.npz", "results are saved as .csv, .parquet, not as '.*all.npz'"),
    ],
)
def test_a_place_that_cannot_have_several_results_is_refused_before_any_run(
    run: Run, no_run: None, tmp_path: Path, path: str, complaint: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match=complaint):
        run("simulate", "uniform", "rucb", *SMALL, "--save", tmp_path / path)


def test_an_unknown_policy_or_matrix_is_refused_before_any_run(run: Run, no_run: None) -> None:
    with pytest.raises(UnknownName, match="unknown policy 'nobody'"):
        run("simulate", "uniform", "nobody", *SMALL)
    with pytest.raises(UnknownName, match="'nowhere' is neither a file nor a built-in instance"):
        run("simulate", "uniform", "--matrix", "nowhere")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--runs", 0], "error: runs must be a whole number of at least 1, not 0"),
        (["--seed", -1], "error: seed must be a whole number of at least 0, not -1"),
        (["--cores", -1], "error: cores must be a whole number of at least 1, not -1"),
        (["--set", "alpha=1"], "error: --set alpha: no such parameter; known here: none"),
        (["--horizon", "many"], "Usage: duelist simulate"),
    ],
    ids=str,
)
def test_bad_options_end_with_code_2_and_no_traceback(command: Command, options: list[Any], complaint: str) -> None:
    done = command("simulate", "uniform", *SMALL, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(complaint)
    assert "Traceback" not in done.stderr


def test_json_is_all_there_is_on_standard_output(command: Command) -> None:
    done = command("simulate", "uniform", *SMALL, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["horizon"] == 300
