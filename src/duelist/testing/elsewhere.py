"""The same run in another process, to compare with the one here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = """
import importlib, json, runpy, sys
path, tracer, module, file, name, parameters = json.loads(sys.argv[1])
sys.path[:] = path
trace = importlib.import_module(tracer).trace
try:
    space = vars(importlib.import_module(module if module != '__main__' else ''))
except (ImportError, ValueError):
    space = runpy.run_path(file, run_name='elsewhere')  # a script, or a test of pytest's
print(json.dumps(trace(space[name], parameters)))
"""


def trace_elsewhere(tracer: str, module: str, name: str, parameters: dict[str, Any]) -> Any:
    """What `tracer`.trace(class, parameters) gives in another process, the class being `module`.`name`.

    None if another process cannot see the class, because it was defined in a console or a notebook;
    what the process complained about if it failed.
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return None
    arguments = json.dumps([[*sys.path, str(Path(file).parent)], tracer, module, file, name, parameters])
    done = subprocess.run([sys.executable, "-c", SCRIPT, arguments], capture_output=True, text=True, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else done.stderr
