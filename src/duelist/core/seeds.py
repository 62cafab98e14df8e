"""Seeds: the same seed means the same luck, whenever and wherever it is used."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.errors import BadInput


def check_seed(who: str, seed: Any) -> np.random.SeedSequence:
    """A seed as a sequence to draw from; without one, luck from the machine."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    parts = seed if isinstance(seed, list | tuple) and seed else [seed]
    for part in parts if seed is not None else ():
        if not isinstance(part, int | np.integer) or isinstance(part, bool) or part < 0:
            raise BadInput(f"{who}: seed must be a whole number of at least 0 or None, not {seed!r}")
    return np.random.SeedSequence(seed)


def split_seed(seed: np.random.SeedSequence, number: int, first: int = 0) -> list[np.random.SeedSequence]:
    """So many independent seeds from the one numbered `first` on, the same ones at every call.

    Not `seed.spawn`, which counts its calls: a run must have the same luck alone as among others.

    >>> seed = np.random.SeedSequence(7)
    >>> split_seed(seed, 2)[1].spawn_key == split_seed(seed, 3)[1].spawn_key == (1,)
    True
    >>> split_seed(seed, 1, first=1)[0].spawn_key
    (1,)
    """
    numbers = range(first, first + number)
    return [np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, part)) for part in numbers]
