from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from duelist.core.errors import BadInput, CannotStore, Overloaded
from duelist.storage import Draft, Group, MemoryJournal, Place


class Slow(MemoryJournal):
    """Commits when it is allowed to, and notes how large the batches are."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = threading.Event()
        self.batches: list[int] = []

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        assert self.allowed.wait(10)
        self.batches.append(len(drafts))
        return super().append(drafts)


def test_what_comes_during_a_commit_goes_into_the_next() -> None:
    journal = Slow()
    with Group(journal) as group:
        futures = [group.submit([Draft(1, "told", b"%d" % n)] * (1 + n % 2)) for n in range(20)]
        assert not futures[0].done()
        journal.allowed.set()
        places = [future.result(10) for future in futures]
    assert len(journal.batches) <= 2
    assert sum(journal.batches) == 30
    assert [len(mine) for mine in places] == [1, 2] * 10
    assert [place.seq for mine in places for place in mine] == list(range(1, 31))


def test_too_many_callers_are_told_at_once_and_nothing_is_lost() -> None:
    journal = Slow()
    group = Group(journal, waiting=3)
    accepted, refused = [], 0
    for _ in range(10):
        try:
            accepted.append(group.submit([Draft(1, "told")]))
        except Overloaded:
            refused += 1
    assert refused >= 6  # one may be under way
    journal.allowed.set()
    group.close()
    assert [future.result(1)[0].seq for future in accepted] == list(range(1, len(accepted) + 1))
    with pytest.raises(CannotStore, match="closed"):
        group.submit([Draft(1, "told")])


class Failing(MemoryJournal):
    """Fails once."""

    failed = False

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        if not self.failed:
            self.failed = True
            raise CannotStore("the disk is full")
        return super().append(drafts)


def test_a_failed_commit_is_told_and_the_next_one_tried() -> None:
    with Group(Failing()) as group:
        with pytest.raises(CannotStore, match="full"):
            group.append([Draft(1, "told")])
        assert group.append([Draft(1, "told")])[0].seq == 1


def test_a_bad_draft_is_refused_before_it_can_spoil_the_batch_of_others() -> None:
    with Group(MemoryJournal()) as group, pytest.raises(BadInput, match="from 0 and a kind"):
        group.submit([Draft(1, "")])


class Narrow(Slow):
    """Takes three at once."""

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        if len(drafts) > 3:
            raise BadInput("too much at once")
        return super().append(drafts)


def test_what_a_journal_does_not_take_at_once_goes_in_parts() -> None:
    journal = Narrow()
    with Group(journal) as group:
        futures = [group.submit([Draft(1, "told")]) for _ in range(12)]
        large = group.submit([Draft(1, "told")] * 4)
        journal.allowed.set()
        assert [future.result(10)[0].seq for future in futures] == list(range(1, 13))
        with pytest.raises(BadInput, match="too much at once"):
            large.result(10)
    assert max(journal.batches) <= 3


def test_what_is_done_after_a_commit_may_fail_and_nothing_is_appended_again() -> None:
    def fail(drafts: list[Draft], places: list[Place]) -> None:
        raise BadInput("cannot be folded")

    journal = MemoryJournal()
    with Group(journal, then=fail) as group:
        futures = [group.submit([Draft(1, "told")]) for _ in range(4)]
        for future in futures:
            with pytest.raises(BadInput, match="cannot be folded"):
                future.result(10)
    assert journal.head().seq == 4
