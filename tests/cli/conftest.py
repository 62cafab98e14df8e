"""Two ways to run the command line: inside this process, and as people do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelist.cli import app

Run = Callable[..., str]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run() -> Run:
    """Runs a command in this process and gives what it printed; errors are raised."""

    def invoke(*arguments: object) -> str:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    return invoke


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs the installed command in an empty folder, for exit codes and standard error."""

    def execute(*arguments: object) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).parent / "duelist"
        return subprocess.run(
            [program, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if name != "COLUMNS"},
            timeout=60,
        )

    return execute
