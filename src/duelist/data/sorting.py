"""Sort scores inside compiled code, faster than numba's own sorts."""

from __future__ import annotations

import numpy as np

from duelist.core.compile import allocating_routine, kernel
from duelist.core.memory import Floats, Ints

SHORT = 48  # up to here, insertion is faster
SIGN = np.uint64(1 << 63)
BYTE = np.uint64(255)


@kernel
def insert_falling(values: Floats, order: Ints) -> None:
    for place in range(order.size):
        hole = place
        while hole > 0 and values[order[hole - 1]] < values[place]:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = place


@allocating_routine
def radix_falling(values: Floats, order: Ints) -> None:
    """Byte by byte. A number's bits, read as a whole number, grow with it once negative ones are turned round."""
    size = values.size
    keys, other_keys, other_order = np.empty(size, np.uint64), np.empty(size, np.uint64), np.empty(size, np.int64)
    counts = np.zeros((8, 256), np.int64)
    for row in range(size):
        bits = np.float64(values[row] + 0.0).view(np.uint64)  # + because -0.0 has other bits than 0.0
        key = bits if bits & SIGN else ~(bits | SIGN)  # large numbers first
        keys[row], order[row] = key, row
        for byte in range(8):
            counts[byte, (key >> np.uint64(8 * byte)) & BYTE] += 1
    source, target, source_keys, target_keys = order, other_order, keys, other_keys
    for byte in range(8):
        shift = np.uint64(8 * byte)
        if counts[byte, (keys[0] >> shift) & BYTE] == size:
            continue  # all alike in this byte
        start = 0
        for digit in range(256):
            counts[byte, digit], start = start, start + counts[byte, digit]
        for place in range(size):
            digit_of = (source_keys[place] >> shift) & BYTE
            target[counts[byte, digit_of]] = source[place]
            target_keys[counts[byte, digit_of]] = source_keys[place]
            counts[byte, digit_of] += 1
        source, target = target, source
        source_keys, target_keys = target_keys, source_keys
    for place in range(size):
        order[place] = source[place]


@kernel
def sort_falling(values: Floats, order: Ints) -> None:
    """Write into `order` the places of `values` from the largest to the smallest; equal ones keep their order."""
    if values.size <= SHORT:
        insert_falling(values, order)
    else:
        radix_falling(values, order)


@kernel
def sort_parts(scores: Floats, count: int, order: Ints, ranked: Floats) -> None:
    """Sort the first `count` scores and the others, each part by itself: places within it, and the scores so sorted."""
    sort_falling(scores[:count], order[:count])
    sort_falling(scores[count:], order[count:])
    for place in range(scores.size):
        ranked[place] = scores[order[place] + (count if place >= count else 0)]
