"""Arms that fall into blocks, each known to be better than the next, as more and more is known of their order."""

from __future__ import annotations

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Flags, Floats, Ints, per_arm, per_pair, scratch


class Blocks(Declared):
    """What is known of an order of arms, and where its blocks end."""

    known: Flags = per_pair(bool)  # known[i, j]: arm i is better than arm j, and than all that j is better than
    ends: Ints = per_arm(int)  # of the block that begins at this place of the order
    rank: Floats = scratch(lambda k: (k,))  # arms of a block that are better, and below 1 how often others came first


@kernel
def start_blocks(blocks: Blocks) -> None:
    """All arms are one block."""
    blocks.ends[0] = blocks.n_arms


@kernel
def learn(blocks: Blocks, i: int, j: int) -> None:
    """Arm i is better than arm j, of which the contrary is not known; so are all above i than all below j."""
    for above in range(blocks.n_arms):
        for below in range(blocks.n_arms):
            if (above == i or blocks.known[above, i]) and (below == j or blocks.known[j, below]):
                blocks.known[above, below] = True


@kernel
def arrange(blocks: Blocks, order: Ints, before: Floats, low: int, high: int) -> None:
    """Order the arms of a block by how many are better, which agrees with all that is known, then by sorts.

    `before` has how often one came before another, in as many sorts for each pair.
    """
    sorts = before[order[low], order[low + 1]] + before[order[low + 1], order[low]]
    for place in range(low, high):
        arm = order[place]
        blocks.rank[arm] = 0.0
        for other in range(low, high):
            blocks.rank[arm] += blocks.known[order[other], arm] + before[order[other], arm] / (sorts * (high - low))
        at = place
        while at > low and blocks.rank[arm] < blocks.rank[order[at - 1]]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = arm


@kernel
def split(blocks: Blocks, order: Ints, low: int, high: int) -> None:
    """Part a block that was just arranged wherever all before a place are better than all from there on.

    They are if the arm there has as many better ones as stand before it: who stands behind it has no fewer.
    """
    first = low
    for place in range(low + 1, high + 1):
        if place == high or int(blocks.rank[order[place]]) == place - low:
            blocks.ends[first] = place
            first = place
