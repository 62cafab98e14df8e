"""Every command of README runs, as it stands there, in an empty folder."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from duelist.bench.commands import commands_in

REPOSITORY = Path(__file__).parents[1]
COMMANDS = commands_in((REPOSITORY / "README.md").read_text(encoding="utf-8"))


def test_there_are_commands_and_their_times_are_known() -> None:
    assert len(COMMANDS) >= 13
    times = (REPOSITORY / "docs" / "compiling.md").read_text(encoding="utf-8")
    assert [command for command in COMMANDS if f"\n{command} " not in times] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_runs(command: str, tmp_path: Path) -> None:
    program, *arguments = shlex.split(command)
    done = subprocess.run(
        [Path(sys.executable).parent / program, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
    saved = [name for name in arguments if name.endswith((".png", ".html"))]
    assert all((tmp_path / name).stat().st_size > 1000 for name in saved)
