from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.storage import Draft, Event, MemoryJournal, Place, Snapshot, SQLiteJournal, open_journal
from duelist.storage.journal import Clock, Said
from duelist.testing import check_journal


def reopening(journal: MemoryJournal) -> object:
    def reopen(clock: Clock) -> MemoryJournal:
        journal._clock = clock
        return journal

    return reopen


def test_memory_keeps_the_contract() -> None:
    check_journal(reopening(MemoryJournal()))  # type: ignore[arg-type]


def test_sqlite_keeps_the_contract(tmp_path: Path) -> None:
    check_journal(lambda clock: SQLiteJournal(tmp_path / "journal.db", clock))


def test_an_address_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_journal("sqlite:///here.db") as here, open_journal(f"sqlite:///{tmp_path}/there.db") as there:
        assert isinstance(here, SQLiteJournal)
        assert isinstance(there, SQLiteJournal)
        assert (tmp_path / "here.db").exists()
        assert (tmp_path / "there.db").exists()
    assert isinstance(open_journal("memory://"), MemoryJournal)


@pytest.mark.parametrize("url", ["", "here.db", "sqlite://here.db", "sqlite:///", "mysql://host/db"])
def test_an_address_of_nothing_is_named(url: str) -> None:
    with pytest.raises(BadInput, match="sqlite:///FILE, postgresql://HOST/DATABASE, nats://HOST,HOST,HOST/NAME or mem"):
        open_journal(url)


def test_equal_snapshots_have_equal_hashes() -> None:
    one, same, other = (Snapshot(1, 2, "code", body) for body in (b"state", b"state", b"States"))
    assert one.hash == same.hash != other.hash


# Journals that break one promise each.


class Holey(MemoryJournal):
    """Leaves a number out."""

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        places = super().append(drafts)
        if len(self._events) == 4:
            self._events.append(Event(6, 10_000, 1, "told", b"", b"", ""))
        return places


class Backwards(MemoryJournal):
    """Believes the clock."""

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        places, now = super().append(drafts), self._clock()
        for place in places:
            self._events[place.seq - 1] = self._events[place.seq - 1]._replace(at=now)
        return places


class Repeating(MemoryJournal):
    """Forgets keys."""

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        self._keys.clear()
        return super().append(drafts)


class Forgetful(MemoryJournal):
    """Keeps any snapshot."""

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        self._snapshots[snapshot.experiment] = snapshot
        return True


class Deaf(MemoryJournal):
    """Never wakes up."""

    def wait(self, after: int, timeout: float) -> bool:
        return False


class Leaky(MemoryJournal):
    """Erases a user in half of the places."""

    def rename_user(self, old: bytes, new: bytes) -> int:
        kept = dict(self._keys)
        found = super().rename_user(old, new)
        self._keys = kept
        return found


class Overhearing(MemoryJournal):
    """Tells what events of other kinds say too."""

    def said(self, kind: str, after: int, until: int) -> list[Said]:
        return [(e.seq, e.at, e.experiment, e.body, e.user) for e in self.read(after, 1000) if e.seq <= until]


class Mumbling(MemoryJournal):
    """Leaves out the last one."""

    def said(self, kind: str, after: int, until: int) -> list[Said]:
        return super().said(kind, after, until - 1)


class Misquoting(MemoryJournal):
    """Does not say whose it was."""

    def said(self, kind: str, after: int, until: int) -> list[Said]:
        return [(*what[:4], b"") for what in super().said(kind, after, until)]


class Amnesic(MemoryJournal):
    """Says nothing more once something was dropped."""

    def said(self, kind: str, after: int, until: int) -> list[Said]:
        return [] if after + 1 < self.first() else super().said(kind, after, until)


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        (Overhearing, r"said\('told', 0, \d+\) gave numbers"),
        (Mumbling, r"said\('told', 0, \d+\) gave numbers"),
        (Misquoting, r"said\('told', 0, \d+\) gave .*, not"),
        (Amnesic, r"said\('told', 0, \d+\) gave numbers \[\]"),
        (Holey, "numbers are"),
        (Backwards, "times go back"),
        (Repeating, "a repeated key in a later batch"),
        (Forgetful, "saving the snapshot of 5 should give False"),
        (Deaf, "what is there was waited for"),
        (Leaky, "a key still leads to the old user"),
    ],
)
def test_the_contract_notices_a_broken_promise(kind: type[MemoryJournal], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_journal(reopening(kind()))  # type: ignore[arg-type]
