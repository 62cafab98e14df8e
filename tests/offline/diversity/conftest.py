"""One synthetic set for all tests."""

from __future__ import annotations

import pytest

from duelist.offline.diversity import Candidates, synthetic_queries


@pytest.fixture(scope="session")
def synthetic() -> list[Candidates]:
    """The set of the thesis, 60 queries of it."""
    return synthetic_queries(queries=60, seed=1)
