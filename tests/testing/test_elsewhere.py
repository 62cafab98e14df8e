"""One other process serves all, and nothing that a request does is noticed by the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from duelist.testing import elsewhere
from duelist.testing.elsewhere import trace_elsewhere

TRACER = """
import os, signal, sys
USED = []

def trace(kind, parameters):
    USED.append(kind)
    if parameters.get("print"):
        print("a word in between")
    if parameters.get("fail"):
        raise LookupError("nothing there")
    if parameters.get("leave"):
        sys.exit()
    if parameters.get("crash"):
        os.kill(os.getpid(), signal.SIGKILL)
    return [kind.__name__, len(USED), os.getppid()]

class Thing:
    pass
"""


@pytest.fixture
def tracer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that traces, and has something to be traced."""
    name = f"tracer_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(TRACER)
    monkeypatch.syspath_prepend(tmp_path)
    __import__(name)
    return name


def traced(tracer: str, **parameters: Any) -> Any:
    return trace_elsewhere(tracer, tracer, "Thing", parameters)


def test_one_process_answers_and_no_request_notices_another(tracer: str) -> None:
    first, second = traced(tracer), traced(tracer)
    assert first == second
    assert first[:2] == ["Thing", 1]
    assert first[2] == elsewhere.CHILDREN[0].pid != os.getpid()


def test_what_a_request_prints_is_no_answer(tracer: str) -> None:
    assert traced(tracer, print=True)[0] == "Thing"
    assert traced(tracer)[0] == "Thing"


@pytest.mark.parametrize(
    ("how", "complaint"),
    [("fail", "LookupError: nothing there"), ("leave", "ended with status 1"), ("crash", "ended with status -9")],
)
def test_a_request_that_fails_says_why_and_the_next_is_answered(tracer: str, how: str, complaint: str) -> None:
    assert complaint in traced(tracer, **{how: True})
    assert traced(tracer)[:2] == ["Thing", 1]


def test_a_process_that_died_is_replaced(tracer: str) -> None:
    before = traced(tracer)[2]
    os.kill(before, signal.SIGKILL)
    elsewhere.CHILDREN[0].wait()
    after = traced(tracer)
    assert after[0] == "Thing"
    assert after[2] != before


def test_a_class_of_a_script_is_found_by_its_file_and_the_process_ends_with_the_script(
    tracer: str, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "class Local: pass\n"
        "if __name__ == '__main__':\n"
        "    from duelist.testing.elsewhere import trace_elsewhere\n"
        f"    print(*trace_elsewhere({tracer!r}, '__main__', 'Local', {{}}))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    name, requests, process = done.stdout.split()
    assert (name, requests, done.stderr) == ("Local", "1", "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)


def test_a_class_without_a_file_cannot_be_found() -> None:
    assert trace_elsewhere("anything", "no_such_module", "Thing", {}) is None
