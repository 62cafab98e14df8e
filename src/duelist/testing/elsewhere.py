"""The same run in another process, to compare with the one here.

Starting an interpreter takes longer than most runs, so one serves all: it imports this package once and
makes a copy of itself (a fork) for each request. A copy is as fresh as a new interpreter, and takes what a
request did to its grave. Where there are no forks, each interpreter answers once.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import runpy
import subprocess
import sys
import traceback
from pathlib import Path
from typing import IO, Any

START = "import sys; sys.path[:] = {path!r}; from duelist.testing.elsewhere import serve; serve()"
CHILDREN: list[subprocess.Popen[str]] = []  # the one that serves this process, once it was needed


def trace_elsewhere(tracer: str, module: str, name: str, parameters: dict[str, Any]) -> Any:
    """What `tracer`.trace(class, parameters) gives in another process, the class being `module`.`name`.

    None if another process cannot see the class, because it was defined in a console or a notebook;
    what the process complained about, as text, if it failed.
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return None
    path = [*sys.path, str(Path(file).parent)]
    return _request(json.dumps([path, tracer, module, file, name, parameters]))


def _request(line: str) -> Any:
    for _ in range(2):  # a child that is found dead may have died before this request
        child = _child()
        try:
            print(line, file=child.stdin, flush=True)
            answer = child.stdout.readline() if child.stdout else ""
        except OSError:
            answer = ""
        if answer:
            return json.loads(answer)
        _stop()
    return "the other process died without a word"


def _child() -> subprocess.Popen[str]:
    if not CHILDREN:
        command = [sys.executable, "-c", START.format(path=sys.path)]
        CHILDREN.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    return CHILDREN[0]


@atexit.register
def _stop() -> None:
    """End the child: it leaves when there are no more requests."""
    while CHILDREN:
        with CHILDREN.pop() as child:
            try:
                child.communicate(timeout=10)
            except (OSError, subprocess.TimeoutExpired):
                child.kill()


def serve() -> None:
    """In the child: answer requests, one a line, until there are no more."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # what a request prints must not get between the answers
        for line in sys.stdin:
            if not hasattr(os, "fork"):
                print(_answer(line), file=answers)
                return
            _answer_in_a_fork(line, answers)


def _answer_in_a_fork(line: str, answers: IO[str]) -> None:
    if (copy := os.fork()) == 0:
        status = 1
        try:
            print(_answer(line), file=answers, flush=True)
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    if status != 0:
        print(json.dumps(f"the other process ended with status {status}"), file=answers, flush=True)


def _answer(line: str) -> str:
    """The trace as JSON, or the complaint."""
    sys.path[:], tracer, module, file, name, parameters = json.loads(line)
    try:
        trace = importlib.import_module(tracer).trace
        return json.dumps(trace(_find(module, file, name), parameters))
    except Exception:
        return json.dumps(traceback.format_exc())


def _find(module: str, file: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module if module != "__main__" else ""), name)
    except (ImportError, ValueError, AttributeError):  # a script, or a test of pytest's
        return runpy.run_path(file, run_name="elsewhere")[name]
