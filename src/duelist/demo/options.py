"""What one may choose about the demo."""

from __future__ import annotations

from typing import NamedTuple


class Options(NamedTuple):
    """What one may choose."""

    visitors: int | None = None  # FEW where nobody looks, and MANY where somebody does
    seed: int = 0
    taste: str = "overviews"
    change_after: int | None = None  # visitors, until the taste changes
    journal: str | None = None  # one in a temporary folder unless given
    port: int = 0  # any that is free
    speed: float = 20.0  # visitors a second where people look


FEW, MANY = 3_000, 1_000_000  # visitors
