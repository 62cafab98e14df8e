from __future__ import annotations

import pytest

from duelist.demo.world import World

from .helpers import small_world


@pytest.fixture(scope="session")
def world() -> World:
    """The documents of this Python, and who looks for which."""
    return World(tasks=80)


@pytest.fixture(scope="session")
def small() -> World:
    """Some of the documents, and few tasks: quick, where it does not matter what is found."""
    return small_world()
