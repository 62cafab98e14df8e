"""What CONTRIBUTING.md points to runs, as a script and from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1] / "examples"
DUELIST = str(Path(sys.executable).parent / "duelist")
SHORT = ("--horizon", "300", "--runs", "2")


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HOME)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Each has a test of its own.
ALONE = (
    *("my_policy.py", "search_experiment.py", "live_search.py"),
    *("llm_judge.py", "judge_prompts.py", "simulated_votes.py"),
)


@pytest.mark.parametrize("example", sorted({path.name for path in HOME.glob("*.py")} - {*ALONE}))
def test_the_example_runs(example: str) -> None:
    assert run(sys.executable, example)


def test_the_search_experiment_is_whole_and_fits_on_a_page() -> None:
    text = (HOME / "search_experiment.py").read_text()
    assert len(text.splitlines()) <= 60
    printed = run(sys.executable, "-c", text)
    assert printed.startswith("best: ltr-v3\n")
    assert "A policy that has settled asks no more" in printed


def test_a_search_engine_and_two_rankers_from_end_to_end(tmp_path: Path) -> None:
    journal = f"sqlite:///{tmp_path / 'live.db'}"
    found = json.loads(run(sys.executable, "live_search.py", "--journal", journal, "--visitors", "600"))
    assert (found["best"], found["stopped_by"]) == ("title first", "evidence")
    assert found["health"]["healthy"]
    assert "yes" in run(DUELIST, "replay", journal)


def test_commands_find_what_an_example_defines(tmp_path: Path) -> None:
    mine = run(
        DUELIST, "simulate", "my_policy:PairwiseThompson", "--matrix", "my_environment:noisy_judge:arms=7", *SHORT
    )
    assert "a noisy judge of 7 arms" in mine
    assert "pairwise-thompson" in mine
    assert "unbiased     yes" in run(DUELIST, "audit", "my_interleaving:Alternating")
    chart = str(tmp_path / "chart.png")
    judged = run(DUELIST, "reproduce", "my_reproduction:CLAIM", "--quick", "--strict", "--chart", chart)
    assert "all 1 agree" in judged


def test_the_model_policy_keeps_the_contract_and_finds_the_best_arm() -> None:
    printed = run(sys.executable, "my_policy.py")
    assert "20 runs of 100000 duels" in printed
    assert printed.splitlines()[-1].split() in (["best", "arm", "found", rate] for rate in ("95%", "100%"))


def test_simulated_people_vote_until_the_right_answer_is_certain() -> None:
    printed = run(sys.executable, "simulated_votes.py", "1", "rmed1").splitlines()
    worlds = [line.split("  ")[0] for line in printed[3:]]
    assert worlds == [
        "6 designs, all pairs each",
        "6 designs, 4 votes each",
        "12 designs, 20 votes each",
        "5 models, 50 prompts, 1 person",
    ]


def test_the_llm_judge_pays_once_and_survives_an_overloaded_api() -> None:
    printed = run(sys.executable, str(HOME / "llm_judge.py")).splitlines()
    assert printed[0].startswith("best: kind after ")
    calls = int(printed[0].split()[3])
    assert printed[1].startswith("run again: kind, ")
    assert printed[2] == f"the stub was called {calls} times"


def test_a_policy_saves_calls_of_the_judge() -> None:
    printed = run(sys.executable, str(HOME / "judge_prompts.py"), "1")
    assert printed.startswith("prompt-0 after ")
    assert "which is wrong" not in printed
    medians = {line.split()[0]: float(line.split()[1]) for line in printed.splitlines()[-6:]}
    assert medians["auto"] < medians["uniform"] / 4
    assert medians["rule-out"] < medians["uniform"] / 6
