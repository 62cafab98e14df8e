"""What was paid for, on disk before anything else happens: a file of JSON lines that only grows.

The first line says whose it is. Then each duel that was begun, each answer, each duel that was given up. A line that
was cut off by a crash is the last one and is dropped; a line that is broken elsewhere is an error that names it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.record import frozen

SCHEMA = 1


class Checkpoint:
    """A file that answers are appended to; without a path nothing is kept."""

    def __init__(self, path: str | Path | None, identity: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.lines: list[dict[str, Any]] = []  # what an earlier run left
        if self.path is None:
            self.file = None
            return
        if not self.path.parent.is_dir():
            raise BadInput(f"there is no folder {str(self.path.parent)!r} to keep the checkpoint in")
        header = json.loads(json.dumps({"schema": SCHEMA, **identity}, default=list))
        there = self._read(header) if self.path.exists() else False
        self.file = self.path.open("a", encoding="utf-8")
        if not there:
            self.append(header)

    def append(self, line: Mapping[str, Any]) -> None:
        """One more line, safe on disk when this returns."""
        if self.file is not None:
            self.file.write(json.dumps(line, default=list) + "\n")
            self.file.flush()
            os.fsync(self.file.fileno())

    def close(self) -> None:
        """Done with the file."""
        if self.file is not None:
            self.file.close()

    def _read(self, header: Mapping[str, Any]) -> bool:
        """Read what is there; whether there was a whole header."""
        assert self.path is not None
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):  # a line that was cut off
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        for number, text in enumerate(whole.decode("utf-8", "replace").splitlines(), 1):
            try:
                line = json.loads(text)
                if not isinstance(line, dict):
                    raise ValueError("not an object")
            except ValueError as error:
                raise BadInput(f"{str(self.path)!r}, line {number} is no line of a checkpoint: {error}") from None
            self.lines.append({name: frozen(value) for name, value in line.items()})
        if not self.lines:
            return False
        found = self.lines.pop(0)
        expected = {name: frozen(value) for name, value in header.items()}
        if differing := [name for name in expected if found.get(name) != expected[name]]:
            name = differing[0]
            raise BadInput(
                f"{str(self.path)!r} is of another run: its {name} is {found.get(name)!r}, not {expected[name]!r}"
            )
        return True
