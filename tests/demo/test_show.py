"""The demo that people look at, as a process: it says where to look, serves, and Ctrl-C leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from duelist.core.errors import BadInput
from duelist.demo import start
from duelist.demo.serving import bind

PATIENCE = 120.0  # seconds
PROGRAM = """
from tests.demo.helpers import small_world
from duelist.demo import show
from duelist.demo.options import Options

show.World = small_world
show.show(Options(speed=50.0), open_browser=False)
"""


def said(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    """What the process said, once it did."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text()):
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    raise AssertionError(f"{pattern!r} was not said: {log.read_text()}")


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_it_serves_until_it_is_stopped_and_leaves_nothing(tmp_path: Path) -> None:
    log, temporary = tmp_path / "log", tmp_path / "temporary"
    temporary.mkdir()
    root = Path(__file__).parents[2]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(root)}
    with log.open("wb") as file:
        command = [sys.executable, "-c", PROGRAM]
        process = subprocess.Popen(command, stdout=file, stderr=file, env=environment, start_new_session=True)
    try:
        url = said(log, r"search +(http://127\.0\.0\.1:\d+/search)\n", process)
        assert "Change taste" in httpx.get(url, timeout=PATIENCE).text
        said(log, r"([1-9]\d*) visitors, overviews: ", process)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0, log.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    text = log.read_text()
    assert "What the visitors taught" in text
    assert "Traceback" not in text
    assert list(temporary.glob("duelist-demo-*")) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # nobody of its group is left
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", int(url.split(":")[2].partition("/")[0]))) != 0


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with bind(0) as taken:
        taken.listen()
        with pytest.raises(BadInput, match=f"port {taken.getsockname()[1]} of 127.0.0.1 cannot be used"):
            bind(taken.getsockname()[1])


def test_nobody_looks_without_a_display_or_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert not start.somebody_looks()
    monkeypatch.setenv("DISPLAY", ":0")
    assert start.somebody_looks()
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert not start.somebody_looks()
