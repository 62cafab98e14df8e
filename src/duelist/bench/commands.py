"""CPU seconds of commands: the first time, when everything is compiled, and later."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.present.tables import Table

AGAIN = 5  # warm runs of a command; the least counts, for what others do on the machine only adds to it


class Timed(NamedTuple):
    """A command with the CPU seconds that all its threads took together."""

    command: str
    cold: float  # nothing compiled before
    warm: float


def commands_in(text: str) -> list[str]:
    """The commands of a page: lines of code that begin with duelist, without what is said of them.

    >>> commands_in("Try it:\\n\\n    duelist matrix arxiv   # who wins\\n\\nor duelist policies")
    ['duelist matrix arxiv']
    """
    lines = [line.partition(" #")[0].strip() for line in text.splitlines() if line.startswith("    duelist ")]
    return list(dict.fromkeys(lines))


def bench_commands(page: Path) -> list[Timed]:
    """Run every command of a page in an empty folder: with nothing kept, Python's own code included, and again."""
    if not page.is_file():
        raise BadInput(f"no page {str(page)!r}")
    commands = commands_in(page.read_text(encoding="utf-8"))
    timed = []
    with progress_bar("running commands", len(commands)) as advance:
        for command in commands:
            with TemporaryDirectory() as cache:
                cold = _seconds(command, cache)
                timed.append(Timed(command, cold, min(_seconds(command, cache) for _ in range(AGAIN))))
            advance(1)
    return timed


def _seconds(command: str, cache: str) -> float:
    with TemporaryDirectory() as folder:
        env = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": cache, "XDG_CACHE_HOME": cache}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        program = [sys.executable, "-m", "duelist.cli", *shlex.split(command)[1:]]
        with subprocess.Popen(program, cwd=folder, env=env, stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BadInput(f"{command!r} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def commands_table(rows: Sequence[Timed]) -> Table:
    """CPU seconds, cold and warm."""
    cells = [[row.command, f"{row.cold:.1f}", f"{row.warm:.1f}"] for row in rows]
    return Table(
        ["command", "cold", "warm"], cells, [f"CPU seconds of all threads together; warm: the least of {AGAIN}"]
    )
