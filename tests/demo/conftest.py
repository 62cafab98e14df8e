from __future__ import annotations

import pytest

from duelist.demo.world import World


@pytest.fixture(scope="session")
def world() -> World:
    """The documents of this Python, and who looks for which."""
    return World()
