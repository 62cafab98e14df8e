"""Which keys were seen, in this process's memory: 24 bytes a key, however many there are."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

RECENT = 1 << 16  # keys in a table of Python's own, which is fast and takes six times the room
SIZE = 16  # bytes of a hash: two of a million million keys share one with a chance of one in 10^14

Run = tuple[npt.NDArray[np.bytes_], npt.NDArray[np.int64]]  # hashes in order, and their numbers


class Keys:
    """The number of the event that has a key.

    >>> keys = Keys()
    >>> keys.enter(1, "ask 42", 7), keys.enter(1, "ask 42", 8)
    (None, 7)
    >>> keys.get(1, "ask 42"), keys.get(2, "ask 42")
    (7, None)
    """

    def __init__(self, recent: int = RECENT) -> None:
        self._most, self._recent = recent, dict[bytes, int]()
        self._runs: list[Run] = []  # the longest first, each at least twice as long as the next

    def __len__(self) -> int:
        return len(self._recent) + sum(len(numbers) for _, numbers in self._runs)

    def get(self, experiment: int, key: str) -> int | None:
        """The number that was entered with a key."""
        return self._find(_hash(experiment, key))

    def enter(self, experiment: int, key: str, number: int) -> int | None:
        """The number of a key that is there; one that is not is entered with this number."""
        wanted = _hash(experiment, key)
        found = self._find(wanted)
        if found is None:
            self._recent[wanted] = number
            if len(self._recent) >= self._most:
                self._tidy()
        return found

    def forget(self, until: int) -> None:
        """Let go of the keys of all events up to a number."""
        self._recent = {key: number for key, number in self._recent.items() if number > until}
        kept = [(hashes[numbers > until], numbers[numbers > until]) for hashes, numbers in self._runs]
        self._runs = [run for run in kept if len(run[1])]

    def _find(self, wanted: bytes) -> int | None:
        found = self._recent.get(wanted)
        if found is not None:
            return found
        for hashes, numbers in reversed(self._runs):
            place = int(hashes.searchsorted(np.bytes_(wanted)))
            if place < len(hashes) and hashes[place] == wanted.rstrip(b"\0"):  # numpy leaves out zeros at the end
                return int(numbers[place])
        return None

    def _tidy(self) -> None:
        """Recent keys become a run; runs of about the same length become one."""
        hashes = np.array(list(self._recent), f"S{SIZE}")
        self._runs.append(_sorted(hashes, np.array(list(self._recent.values()), np.int64)))
        self._recent = {}
        while len(self._runs) > 1 and len(self._runs[-2][1]) < 2 * len(self._runs[-1][1]):
            last, before = self._runs.pop(), self._runs.pop()
            self._runs.append(_sorted(*(np.concatenate(pair) for pair in zip(before, last, strict=True))))


def _hash(experiment: int, key: str) -> bytes:
    return blake2b(f"{experiment} {key}".encode(), digest_size=SIZE).digest()


def _sorted(hashes: Any, numbers: Any) -> Run:
    order = hashes.argsort(kind="stable")
    return hashes[order], numbers[order]
