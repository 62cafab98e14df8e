"""Servers in processes of their own: started, waited for, killed, started again on the same port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from duelist.core.errors import BadInput

PATIENCE = 60.0  # seconds for a start


class Server:
    """A command that serves on 127.0.0.1 and says so in its log."""

    def __init__(self, command: Sequence[str], log: Path, **environment: str) -> None:
        self.command, self.log, self.environment = command, log, environment
        self.begin()

    def begin(self) -> None:
        """Start the process; the log begins anew."""
        with self.log.open("w") as file:
            environment = {**os.environ, **self.environment}
            self.process = subprocess.Popen(self.command, stderr=file, stdout=file, env=environment)

    def port(self) -> int:
        """Its port, once it listens."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            text = self.log.read_text()
            if "running on http://127.0.0.1:" in text:
                return int(text.partition("running on http://127.0.0.1:")[2].partition(" ")[0])
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise BadInput(f"the server did not start: {self.log.read_text()}")

    def address(self) -> tuple[int, int]:
        """Its port and its process, once it listens."""
        return self.port(), self.process.pid

    @property
    def url(self) -> str:
        """Its address, once it listens."""
        return f"http://127.0.0.1:{self.port()}"

    def kill(self, how: int = signal.SIGKILL) -> int:
        """Send a signal, wait for the end, and say how it ended."""
        self.process.send_signal(how)
        return self.process.wait(60)

    @property
    def runs(self) -> bool:
        """Whether the process is there."""
        return self.process.poll() is None


def free_port() -> int:
    """One that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving(journal: str, log: Path, **environment: str) -> Iterator[Server]:
    """A service on a journal, on a port that it keeps when it is started again."""
    command = [sys.executable, "-m", "duelist.cli", "serve", "--journal", journal, "--port", str(free_port())]
    with ended(Server(command, log, **environment)) as server:
        yield server


@contextmanager
def ended(server: Server) -> Iterator[Server]:
    """A server that does not outlive the block."""
    try:
        yield server
    finally:
        if server.runs:
            server.kill(signal.SIGTERM)
