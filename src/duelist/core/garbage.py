"""Garbage collection, where millions of small values come and go and none of them is part of a circle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (20_000, 20, 20)  # python's own threshold makes reading a long journal take twice as long


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Collect seldom inside the block. For the whole process, so for work that others wait for anyway.

    >>> with collecting_seldom():
    ...     gc.get_threshold()
    (20000, 20, 20)
    """
    before = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
