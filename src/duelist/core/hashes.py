"""Tables of 64-bit hashes in arrays: open addressing, compiled.

Two of n names share a hash with a chance of n^2 / 2^65: one in 15,000 for 50 million.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from duelist.core.compile import compiled, kernel
from duelist.core.memory import Flags

Hashes = npt.NDArray[np.uint64]
Numbered = npt.NDArray[np.int32]

FULLEST = 0.75  # share of slots in use before a table doubles
SMALLEST = 1024  # slots of an empty table, a power of two
MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads numbers that are no hashes
TWIST = np.uint64(0xD6E8FEB86659FD93)  # odd, with as many ones as zeros
BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # of FNV-1a
EMPTY = np.uint64(0)


@kernel
def find(keys: Hashes, key: np.uint64) -> np.int64:
    """The slot of a key, or the empty one where it belongs."""
    last = keys.size - 1
    slot = np.int64((key * MIX) >> np.uint64(20)) & last
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & last
    return slot


@compiled
def enter_numbers(keys: Hashes, values: Numbered, count: int, hashes: Hashes, found: Numbered) -> int:
    """Write the number of each hash, from 0 in the order of coming; how many there are now."""
    for i in range(hashes.size):
        key = hashes[i] if hashes[i] != EMPTY else MIX
        slot = find(keys, key)
        if keys[slot] == EMPTY:
            keys[slot], values[slot] = key, count
            count += 1
        found[i] = values[slot]
    return count


@compiled
def enter_new(keys: Hashes, count: int, hashes: Hashes, new: Flags) -> int:
    """Write whether each hash is the first of its kind; how many kinds there are now."""
    for i in range(hashes.size):
        key = hashes[i] if hashes[i] != EMPTY else MIX
        slot = find(keys, key)
        new[i] = keys[slot] == EMPTY
        if new[i]:
            keys[slot] = key
            count += 1
    return count


@compiled
def move_numbers(keys: Hashes, values: Numbered, new_keys: Hashes, new_values: Numbered) -> None:
    """Move everything to a larger table."""
    for i in range(keys.size):
        if keys[i] != EMPTY:
            slot = find(new_keys, keys[i])
            new_keys[slot], new_values[slot] = keys[i], values[i]


@compiled
def move_keys(keys: Hashes, new_keys: Hashes) -> None:
    """The same without numbers."""
    for i in range(keys.size):
        if keys[i] != EMPTY:
            new_keys[find(new_keys, keys[i])] = keys[i]


def _slots(keys: Hashes, wanted: int) -> int:
    """How many slots so many entries need."""
    slots = keys.size
    while wanted > FULLEST * slots:
        slots *= 2
    return slots


class HashNumbers:
    """Numbers for hashes, from 0 in the order of their coming: 12 bytes a slot.

    >>> numbers = HashNumbers()
    >>> numbers.of(np.array([7, 3, 7, 0])).tolist(), numbers.of(np.array([0, 5])).tolist(), len(numbers)
    ([0, 1, 0, 2], [2, 3], 4)
    """

    def __init__(self) -> None:
        self.keys: Hashes = np.zeros(SMALLEST, np.uint64)
        self.values: Numbered = np.zeros(SMALLEST, np.int32)
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def of(self, hashes: Any) -> Numbered:
        """The numbers of some, new ones included."""
        wanted = _as_hashes(hashes)
        slots = _slots(self.keys, self.count + len(wanted))
        if slots > len(self.keys):
            keys, values = np.zeros(slots, np.uint64), np.zeros(slots, np.int32)
            move_numbers(self.keys, self.values, keys, values)
            self.keys, self.values = keys, values
        found = np.empty(len(wanted), np.int32)
        self.count = int(enter_numbers(self.keys, self.values, self.count, wanted, found))
        return found


class HashSet:
    """Hashes that were seen: 8 bytes a slot.

    >>> seen = HashSet()
    >>> seen.new(np.array([7, 3, 7])).tolist(), seen.new(np.array([3, 4])).tolist(), len(seen)
    ([True, True, False], [False, True], 3)
    """

    def __init__(self) -> None:
        self.keys: Hashes = np.zeros(SMALLEST, np.uint64)
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def new(self, hashes: Any) -> Flags:
        """Which of them are the first of their kind; they are seen from now on."""
        wanted = _as_hashes(hashes)
        slots = _slots(self.keys, self.count + len(wanted))
        if slots > len(self.keys):
            keys = np.zeros(slots, np.uint64)
            move_keys(self.keys, keys)
            self.keys = keys
        found = np.empty(len(wanted), np.bool_)
        self.count = int(enter_new(self.keys, self.count, wanted, found))
        return found


def _as_hashes(hashes: Any) -> Hashes:
    return np.ascontiguousarray(np.asarray(hashes)).astype(np.uint64, copy=False)


@kernel
def mixed(one: np.uint64, other: np.uint64) -> np.uint64:
    """A hash of two, in this order."""
    spread = one * MIX
    both = ((spread ^ (spread >> np.uint64(32))) + other) * TWIST
    return both ^ (both >> np.uint64(29))


@kernel
def hash_bytes(text: npt.NDArray[np.uint8], begin: int, end: int) -> np.uint64:
    """A hash of some bytes (FNV-1a, mixed once more)."""
    found = BASIS
    for at in range(begin, end):
        found = (found ^ np.uint64(text[at])) * PRIME
    return mixed(found, MIX)


@compiled
def hash_pieces(text: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], found: Hashes) -> None:
    """The hash of each of some pieces that follow each other."""
    begin = 0
    for i in range(ends.size):
        found[i] = hash_bytes(text, begin, ends[i])
        begin = ends[i]


@compiled
def mix_all(ones: Hashes, others: Hashes, found: Hashes) -> None:
    """Hashes of pairs."""
    for i in range(ones.size):
        found[i] = mixed(ones[i], others[i])


@compiled
def mix_lists(hashes: Hashes, sizes: npt.NDArray[np.int64], found: Hashes) -> None:
    """The hash of each of some lists of hashes that follow each other."""
    at = 0
    for i in range(sizes.size):
        whole = BASIS
        for _ in range(sizes[i]):
            whole = mixed(whole, hashes[at])
            at += 1
        found[i] = whole


def text_hashes(texts: Sequence[str]) -> Hashes:
    """The hash of each text, the same everywhere.

    >>> one, other, again = text_hashes(["ann", "bob", "ann"])
    >>> bool(one == again), bool(one == other)
    (True, False)
    """
    data = "".join(texts).encode(errors="surrogatepass")
    plain = data.isascii()
    sizes = list(map(len, texts)) if plain else [len(text.encode(errors="surrogatepass")) for text in texts]
    found = np.empty(len(texts), np.uint64)
    hash_pieces(np.frombuffer(data, np.uint8), np.cumsum(sizes, dtype=np.int64), found)
    return found


def pair_hashes(ones: Any, others: Any) -> Hashes:
    """The hashes of pairs of hashes."""
    first, second = _as_hashes(ones), _as_hashes(others)
    found = np.empty(len(first), np.uint64)
    mix_all(first, second, found)
    return found


def list_hashes(lists: Sequence[Sequence[str]]) -> Hashes:
    """The hash of each list of texts, in its order."""
    found = np.empty(len(lists), np.uint64)
    mix_lists(text_hashes(list(chain.from_iterable(lists))), np.array(list(map(len, lists)), np.int64), found)
    return found
