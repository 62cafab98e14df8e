"""Numbers are a fold of batches: wherever a process begins, it comes to the same."""

from __future__ import annotations

import random

import msgspec
import pytest

from duelist.storage import Draft, MemoryJournal
from duelist.storage.keys import Keys
from duelist.storage.order import Batch, Order, Start


def drawn(rng: random.Random, last: int) -> Batch:
    """Drafts of which many have keys that were there before; sometimes old events go."""
    if last > 5 and rng.random() < 0.1:
        return Batch(b"", 0, [], rng.randrange(1, last + 3))
    drafts = []
    for _ in range(rng.randrange(5)):
        key = f"k{rng.randrange(20)}" if rng.random() < 0.7 else ""
        drafts.append(Draft(rng.randrange(2), "told", rng.randbytes(3), key=key))
    return Batch(b"", rng.randrange(1_000), drafts)


@pytest.mark.parametrize("seed", range(20))
def test_places_are_those_of_a_journal_in_memory(seed: int) -> None:
    rng = random.Random(seed)
    order, times = Order(), iter(list[int]())
    journal = MemoryJournal(lambda: next(times))
    kept: dict[int, Batch] = {}
    for message in range(1, 200):
        batch = kept[message] = drawn(rng, order.seq)
        times = iter([batch.at])
        places = order.enter(message, batch)
        if batch.dropped:
            journal.drop(batch.dropped)
        else:
            assert places == journal.append(batch.drafts)
        assert order.first == journal.first()
        events = [e for m in range(order.start.message + 1, message + 1) for e in order.events(m, kept[m].drafts)]
        assert events == journal.read()
        for event in events:
            assert event in order.events(
                order.message_of(event.seq) or 0, kept[order.message_of(event.seq) or 0].drafts
            )


@pytest.mark.parametrize("seed", range(20))
def test_a_process_that_does_not_see_what_was_dropped_comes_to_the_same(seed: int) -> None:
    rng = random.Random(100 + seed)
    whole, kept, starts = Order(), dict[int, Batch](), dict[int, Start]()
    places = {}
    for message in range(1, 150):
        kept[message] = drawn(rng, whole.seq)
        places[message] = whole.enter(message, kept[message])
        starts[message] = msgspec.msgpack.decode(msgspec.msgpack.encode(whole.start), type=Start)
    for known in (starts[m] for m in range(10, 150, 7)):
        late, written = Order(known), max(m for m, each in starts.items() if each == known)
        for message in range(known.message + 1, 150):
            found = late.enter(message, kept[message])
            if message > written:  # until then some keys are known to be gone, and where they were is not
                assert found == places[message]
        assert (late.seq, late.at, late.first, late.start) == (whole.seq, whole.at, whole.first, whole.start)
        assert late.keys.get(0, "k1") == whole.keys.get(0, "k1")


def test_keys_are_found_among_many_and_forgotten_by_number() -> None:
    keys = Keys(recent=8)
    for number in range(1, 1_001):
        assert keys.enter(number % 3, f"key {number}", number) is None
    assert len(keys) == 1_000
    assert [keys.get(number % 3, f"key {number}") for number in range(1, 1_001)] == list(range(1, 1_001))
    assert keys.get(0, "key 1") is None
    keys.forget(600)
    assert len(keys) == 400
    assert keys.get(600 % 3, "key 600") is None
    assert keys.get(601 % 3, "key 601") == 601
