"""The demo that people look at, as a process: it says where to look, serves, and Ctrl-C leaves nothing behind."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import httpx
import pytest

from duelist.core.errors import BadInput
from duelist.demo import start
from duelist.demo.serving import bind

from .helpers import PATIENCE, running


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_it_serves_until_it_is_stopped_and_leaves_nothing(tmp_path: Path) -> None:
    with running(tmp_path) as demo:
        url = demo.url
        assert "Change taste" in httpx.get(url, timeout=PATIENCE).text
        demo.said(r"([1-9]\d*) visitors, overviews: ")
        assert demo.stop() == 0, demo.log.read_text()
    text = demo.log.read_text()
    assert "What the visitors taught" in text
    assert "Traceback" not in text
    assert list(demo.temporary.glob("duelist-demo-*")) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(demo.process.pid, 0)  # nobody of its group is left
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
