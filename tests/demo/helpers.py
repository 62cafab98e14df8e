from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from duelist.demo.world import World
from duelist.search.documents import Document, gathered

PATIENCE = 120.0  # seconds
HOSTILE = Document(
    "evil.<script>alert(1)</script>",
    "function",
    "(x='\"><img src=x onerror=alert(2)>')",
    "hostile </pre><script>alert(3)</script> & \"quoted\" 'text' <!-- ",
)


def small_world() -> World:
    root = Path(sysconfig.get_path("stdlib"))
    documents = [each for name in ("asyncio", "json", "logging") for each in gathered(root / name, name)]
    return World([*documents, HOSTILE], tasks=20)


PROGRAM = """
from tests.demo.helpers import small_world
from duelist.demo import show
from duelist.demo.options import Options

show.World = small_world
show.show(Options(speed=50.0), open_browser=False)
"""


class Running:
    """The demo that people look at, in a process of its own, over few documents."""

    def __init__(self, folder: Path) -> None:
        self.log, self.temporary = folder / "log", folder / "temporary"
        self.temporary.mkdir()
        paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "TMPDIR": str(self.temporary), "PYTHONPATH": os.pathsep.join(paths)}
        with self.log.open("wb") as file:
            command = [sys.executable, "-c", PROGRAM]
            self.process = subprocess.Popen(command, stdout=file, stderr=file, env=environment, start_new_session=True)

    def said(self, pattern: str) -> str:
        """What it said, once it did."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.log.read_text()):
                return found[1]
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} was not said: {self.log.read_text()}")

    @property
    def url(self) -> str:
        """Of the search site, once it is served."""
        return self.said(r"search +(http://127\.0\.0\.1:\d+/search)\n")

    def stop(self) -> int:
        """Press Ctrl-C; how it ended."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """A demo that does not outlive the block."""
    demo = Running(folder)
    try:
        yield demo
    finally:
        if demo.process.poll() is None:
            demo.process.kill()
            demo.process.wait()
