"""What tests of every part share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture
def data() -> Callable[[str], Path]:
    """Finds a file of the shared data, which is not committed; without it the test is skipped."""
    folder = Path(os.environ.get("DUELIST_DATA", REPOSITORY.parent / "shared" / "data"))

    def find(name: str) -> Path:
        if not (folder / name).is_file():
            pytest.skip(f"needs {folder / name}; DUELIST_DATA names the folder")
        return folder / name

    return find
