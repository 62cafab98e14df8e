"""Every reproduction has a test that breaks what it is about."""

from __future__ import annotations

import re
from pathlib import Path

from duelist.reproductions.catalogue import CATALOGUE


def test_every_reproduction_is_broken_by_a_test() -> None:
    """The tests say which by the mark `breaks`."""
    text = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    marks = re.findall(r"^@pytest\.mark\.breaks\((.*?)\)$", text, re.MULTILINE | re.DOTALL)
    broken = {name for mark in marks for name in re.findall(r'"([^"]+)"', mark)}
    assert broken == set(CATALOGUE)
