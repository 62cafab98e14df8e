"""The commands of docs/service.md, run against a server: they answer what the page says, but for what is drawn."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .helpers import server

PAGE = Path(__file__).parents[2] / "docs" / "service.md"
DRAWN = {"ranking", "arms", "left", "right", "best", "user", "at", "body", "chance", "way"}
COMMANDS = re.findall(r"^\$ (curl .*)\n(.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def plain(value: Any) -> Any:
    """Without what differs from run to run."""
    if isinstance(value, dict):
        return {name: None if name in DRAWN else plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_commands_of_the_page(tmp_path: Path) -> None:
    assert len(COMMANDS) == 11
    with server(tmp_path / "live.db") as one:
        for command, wanted in COMMANDS:
            words = shlex.split(command.replace("127.0.0.1:8080", f"127.0.0.1:{one.port()}"))
            if "--json" in words:  # of a later curl than some have
                words[words.index("--json")] = "--data"
                words += ["-H", "Content-Type: application/json"]
            said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
            assert plain(json.loads(said)) == plain(json.loads(wanted)), command
