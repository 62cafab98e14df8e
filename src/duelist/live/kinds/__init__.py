"""What an experiment can be: one file a kind."""

from duelist.live.definition import Definition
from duelist.live.kinds.arms import Arms
from duelist.live.kinds.lists import Lists
from duelist.live.kinds.weights import Weights
from duelist.live.state import Fetch, State

KINDS: dict[str, type[State]] = {"pair": Lists, "multileave": Lists, "arms": Arms, "weights": Weights}


def make_state(number: int, definition: Definition, version: int, fetch: Fetch) -> State:
    """The state of an experiment before its first event."""
    return KINDS[definition.kind](number, definition, version, fetch)
