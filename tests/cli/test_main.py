from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
import typer

from duelist.cli import app, narrow

Run = Callable[..., str]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    ("arguments", "mentioned"),
    [
        ([], ["simulate", "policies", "matrix", "bench"]),
        (
            ["simulate"],
            ["--matrix", "--horizon", "--runs", "--seed", "--set", "--json", "--chart", "--save", "--cores"],
        ),
        (["policies"], ["--json", "name"]),
        (["matrix"], ["--json", ".txt, .csv, .npy, .npz"]),
        (["bench"], ["policies"]),
        (["bench", "policies"], ["--duelpy", "--json"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_help_names_every_command_and_option(run: Run, arguments: list[str], mentioned: list[str]) -> None:
    text = " ".join(run(*arguments, "--help").split())
    assert [word for word in mentioned if word not in text] == []


def test_help_does_not_wait_for_the_compiler() -> None:
    code = """
import sys
from duelist.cli import app
try:
    app(["--help"])
except SystemExit:
    print({"numba", "numpy", "scipy", "matplotlib"} & sys.modules.keys())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "simulate" in done.stdout
    assert done.stdout.endswith("set()\n")


def test_a_simulation_that_was_compiled_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    code = """
import sys
from duelist.cli import main
sys.argv[1:] = "simulate rucb --matrix arxiv --horizon 100 --runs 3".split()
try:
    main()
except SystemExit:
    heavy = {"scipy.linalg", "scipy.special", "numba.np.arraymath", "matplotlib", "rich", "duelist.clicks.log"}
    print(heavy & sys.modules.keys())
"""
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    program = [sys.executable, "-c", code]
    cold, warm = (subprocess.run(program, env=env, capture_output=True, text=True).stdout for _ in range(2))
    assert "numba.np.arraymath" in cold.splitlines()[-1]
    assert warm.splitlines()[-1] == "set()"


def test_a_command_is_found_among_those_that_are_left_for_it() -> None:
    def names(*words: str) -> tuple[list[str | None], list[str | None]]:
        inner, outer = typer.Typer(), typer.Typer()
        for name in ("one", "two"):
            inner.command(name)(print)
            outer.command(name)(print)
        outer.add_typer(inner, name="more")
        narrow(outer, words)
        return [c.name for c in outer.registered_commands], [c.name for c in inner.registered_commands]

    assert names("one", "two") == (["one"], ["one", "two"])
    assert names("more", "two") == ([], ["two"])
    assert names("more", "--help") == ([], ["one", "two"])
    assert names("--help") == names("three") == names() == (["one", "two"], ["one", "two"])


def test_the_installed_command_is_this_command_line(command: Command) -> None:
    done = command("--help")
    assert (done.returncode, done.stderr) == (0, "")
    (script,) = metadata.entry_points(group="console_scripts", name="duelist")
    assert script.load().__globals__["app"] is app


def test_without_a_command_the_help_is_shown(command: Command) -> None:
    done = command()
    assert "Usage: duelist" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["policies", "rcub"], "error: unknown policy 'rcub' (did you mean 'rucb'?)"),
        (["matrix", "none.txt"], "error: 'none.txt' is neither a file nor a built-in instance."),
        (["simulate", "uniform", "--matrix", "arxiv", "--horizon", "0"], "error: horizon must be a whole number"),
    ],
    ids=["policies", "matrix", "simulate"],
)
def test_an_error_is_one_line_on_standard_error(command: Command, arguments: list[str], complaint: str) -> None:
    done = command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(complaint)
    assert len(done.stderr.splitlines()) == 1


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version") == f"duelist {metadata.version('duelist')}\n"


def test_no_line_of_help_is_cut(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = run("--help")
    assert "..." not in text.partition("Commands:")[2]
    assert max(map(len, text.splitlines())) <= 80


def test_an_unknown_command_is_refused(command: Command) -> None:
    done = command("simulat")
    assert done.returncode == 2
    assert "simulat" in done.stderr
    assert "Traceback" not in done.stderr
