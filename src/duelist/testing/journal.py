"""What every journal must do, whoever wrote it: the contract in storage/journal.py, point by point."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from duelist.core.errors import BadInput
from duelist.storage.group import Group
from duelist.storage.journal import Draft, Journal, Place, Snapshot

Open = Callable[[Callable[[], int]], Journal]  # a handle on the journal under test, with this clock
THREADS, APPENDS = 6, 40


class Ticking:
    """A clock that can be set: time is what the contract must not trust."""

    def __init__(self, now: int = 1_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def check_journal(open: Open) -> None:
    """Run the contract on an empty journal; an AssertionError says what is broken.

    `open(clock)` opens the same journal every time it is called. A journal that lives in its object alone
    gives back that object, and takes another clock.

    >>> from duelist.storage import MemoryJournal
    >>> journal = MemoryJournal()
    >>> def reopen(clock):
    ...     journal._clock = clock
    ...     return journal
    >>> check_journal(reopen)
    """
    clock = Ticking()
    with open(clock) as journal:
        check_empty(journal)
        check_numbers(journal, clock)
        check_keys(journal)
        check_batches(journal)
        check_reading(journal)
        check_said(journal)
        check_what_is_nowhere(journal)
        check_snapshots(journal)
        check_users(journal)
        check_waiting(journal)
        salt, last = journal.salt, journal.head()
    with open(clock) as journal:
        expect(journal.salt == salt, journal, "the salt changed when it was opened again")
        expect(journal.head() == last, journal, f"after opening again the head is {journal.head()}, not {last}")
    check_many_writers(open, clock)
    with open(clock) as journal:
        check_dropping(journal)


def check_empty(journal: Journal) -> None:
    """Nothing is there at first."""
    expect(journal.head() == Place(0, 0), journal, f"the head of an empty journal is {journal.head()}")
    expect(journal.read() == [] and journal.get(1) is None, journal, "an empty journal has events")
    expect(list(journal.events()) == [], journal, "an empty journal has events")
    expect(len(journal.salt) >= 16, journal, f"the salt has {len(journal.salt)} bytes, and needs 16")


def check_numbers(journal: Journal, clock: Ticking) -> None:
    """Numbers from 1 without holes; times that never go back, whatever the clock does."""
    for now in (5_000, 4_000, 6_000, 0, 6_001):
        clock.now = now
        journal.append([Draft(1, "told", b"x"), Draft(2, "told", b"y")])
    events = journal.read()
    expect([e.seq for e in events] == list(range(1, 11)), journal, f"numbers are {[e.seq for e in events]}")
    times = [e.at for e in events]
    expect(times == sorted(times), journal, f"times go back: {times}")
    expect(times[-1] == 6_001 and times[0] == 5_000, journal, f"times are not the clock's where it goes on: {times}")
    expect(journal.head() == Place(10, 6_001), journal, f"the head is {journal.head()}")


def check_keys(journal: Journal) -> None:
    """The same key in the same experiment is one event, in one batch or in several."""
    first, other, again = journal.append([Draft(1, "asked", b"a", key="k"), Draft(2, "asked", key="k"), *_twice("k")])
    expect(first.seq != other.seq, journal, "a key of one experiment was taken for that of another")
    expect(again == Place(first.seq, first.at, repeated=True), journal, f"a repeated key gave {again}, not {first}")
    (later,) = journal.append(_twice("k"))
    expect(later == again, journal, f"a repeated key in a later batch gave {later}")
    found = journal.find(1, "k")
    expect(found is not None and found.seq == first.seq and found.body == b"a", journal, f"find gave {found}")
    expect(journal.find(3, "k") is None and journal.find(1, "") is None, journal, "find found what nobody appended")
    plain = journal.append([Draft(1, "told"), Draft(1, "told")])
    expect(plain[0].seq != plain[1].seq, journal, "drafts without a key were taken for one")


def _twice(key: str) -> list[Draft]:
    return [Draft(1, "asked", b"b", key=key)]


def check_batches(journal: Journal) -> None:
    """A batch with a bad draft writes nothing, and no batch is empty work."""
    before = journal.head()
    bad: list[Any] = [Draft(-1, "told"), Draft(1, ""), Draft(1, "told", "text"), Draft(True, "told"), ("told",)]  # type: ignore[arg-type]
    bad += [Draft(1, "told", key=key) for key in ("zero\0", "half \ud800", "x" * 501)] + [
        Draft(1, "told", user=b"x" * 501)
    ]
    for draft in bad:
        try:
            journal.append([Draft(1, "told"), draft])
        except BadInput:
            pass
        else:
            raise AssertionError(f"{type(journal).__name__}: {draft!r} must be refused with BadInput")
    expect(journal.head() == before, journal, "a batch with a bad draft was written in part")
    expect(journal.append([]) == [] and journal.head() == before, journal, "an empty batch changed something")


def check_reading(journal: Journal) -> None:
    """From any number on, in order, as many as asked for, with everything that was written."""
    everything = list(journal.events())
    expect(journal.read(3, 2) == everything[3:5], journal, "read(after=3, limit=2) is not the two behind number 3")
    expect(journal.read(len(everything)) == [], journal, "there is something behind the last number")
    (place,) = journal.append([Draft(7, "kind", bytes(range(256)), b"\0user", "schlüssel")])
    event = journal.get(place.seq)
    right = (place.seq, place.at, 7, "kind", bytes(range(256)), b"\0user", "schlüssel")
    expect(event == right, journal, f"an event came back as {event}")


def check_said(journal: Journal) -> None:
    """What events of a kind say is what reading them all says, between any two numbers and in their order."""
    last = journal.append([Draft(1, "told", b"left", b"bob"), Draft(2, "other"), Draft(1, "told", b"right")])[-1].seq
    for after, until in ((0, last), (last - 3, last - 1), (last - 3, last - 3), (4, 9), (last, last), (0, last + 100)):
        expect_said(journal, after, until)
    expect(journal.said("nothing", 0, last) == [], journal, "events of a kind that nobody appended say something")


def expect_said(journal: Journal, after: int, until: int) -> None:
    """`said` against `events`."""
    right = [event for event in journal.events() if event.kind == "told" and after < event.seq <= until]
    given, what = journal.said("told", after, until), f"said('told', {after}, {until})"
    expect(
        [said[0] for said in given] == [event.seq for event in right], journal, f"{what} gave numbers {given!r:.200}"
    )
    for said, event in zip(given, right, strict=True):
        told = event.seq, event.at, event.experiment, event.body, event.user
        expect(tuple(said) == told, journal, f"{what} gave {said}, not {told}")


def check_what_is_nowhere(journal: Journal) -> None:
    """Numbers that no event can have are asked for by people, and found nowhere."""
    for number in (0, -1, 10**30, -(10**30)):
        expect(journal.get(number) is None, journal, f"there is an event with number {number}")
        expect(journal.find(number, "nobody's") is None, journal, f"experiment {number} has a key")
    expect(journal.read(10**30) == [], journal, "there is something behind number 10^30")
    expect(journal.read(-1, 10**30) == list(journal.events()), journal, "read(after=-1) is not everything")
    try:
        journal.find(1, "half \ud800")
    except BadInput:
        return
    raise AssertionError(f"{type(journal).__name__}: a key that cannot be written must be refused with BadInput")


def check_snapshots(journal: Journal) -> None:
    """The last one is kept, and never an earlier one in its place."""
    expect(journal.load_snapshot(1) is None, journal, "there is a snapshot that nobody saved")
    for seq, kept in ((5, True), (5, False), (3, False), (8, True)):
        given = Snapshot(1, seq, "code", b"state %d" % seq)
        expect(journal.save_snapshot(given) == kept, journal, f"saving the snapshot of {seq} should give {kept}")
    expect(journal.load_snapshot(1) == Snapshot(1, 8, "code", b"state 8"), journal, "another snapshot was loaded")
    expect(journal.load_snapshot(2) is None, journal, "a snapshot of one experiment is that of another")


def check_users(journal: Journal) -> None:
    """A user's hash is replaced everywhere, and nobody else's."""
    journal.append([Draft(1, "told", user=b"ann", key="of ann"), Draft(2, "told", user=b"ann"), Draft(1, "told")])
    nobody = sum(event.user == b"" for event in journal.events())
    renamed = journal.rename_user(b"ann", b"zzz")
    users = [event.user for event in journal.events()]
    expect(renamed == 2 and users.count(b"zzz") == 2 and b"ann" not in users, journal, f"{renamed} were renamed")
    expect(users.count(b"") == nobody, journal, "events of nobody were renamed")
    found = journal.find(1, "of ann")
    expect(found is not None and found.user == b"zzz", journal, "a key still leads to the old user")


def check_waiting(journal: Journal) -> None:
    """Waiting ends when somebody appends, or when the time is over."""
    last = journal.head().seq
    expect(not journal.wait(last, 0.01), journal, "waiting for what does not come did not end with False")
    expect(journal.wait(last - 1, 0.0), journal, "what is there was waited for")
    timer = threading.Timer(0.05, lambda: journal.append([Draft(1, "told")]))
    timer.start()
    expect(journal.wait(last, 10.0), journal, "an append did not end the waiting")
    timer.join()


def check_dropping(journal: Journal) -> None:
    """What is dropped is gone, with its keys, and nothing else changes; the last event stays."""
    expect(journal.first() == 1, journal, f"the first number of a whole journal is {journal.first()}")
    kept, last = journal.read(20, 10_000), journal.head()
    expect(journal.drop(20) == 20 and journal.drop(20) == 0, journal, "dropping says how many went, and does it once")
    expect(journal.first() == 21 and journal.read() == kept, journal, "dropping changed what is kept")
    expect(journal.get(20) is None and journal.get(21) == kept[0], journal, "an event was dropped that should stay")
    expect(journal.find(1, "k") is None, journal, "a key leads to an event that is gone")
    expect(journal.read(25, 3) == kept[5:8], journal, "reading from a number counts what is gone")
    expect_said(journal, 0, last.seq)
    expect_said(journal, 15, 30)
    expect(journal.append([Draft(1, "told")])[0].seq == last.seq + 1, journal, "numbers do not go on")
    journal.drop(last.seq + 100)
    expect(journal.head().seq == last.seq + 1 == journal.first(), journal, "the last event does not stay")


def check_many_writers(open: Open, clock: Ticking) -> None:
    """Threads of two handles append, one alone and one in groups: no hole, nothing twice, nothing lost."""
    with open(clock) as one, open(clock) as two, Group(two) as group:
        before, places = one.head().seq, []

        def work(writer: Any, name: int) -> None:
            for number in range(APPENDS):
                body = b"%d %d" % (name, number)
                places.append((body, writer.append([Draft(3, "told", body)])[0].seq))

        threads = [threading.Thread(target=work, args=((one, group)[n % 2], n)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        events = one.read(before, 10_000)
        numbers = [event.seq for event in events]
        expect(numbers == list(range(before + 1, before + THREADS * APPENDS + 1)), one, "numbers have holes")
        there = {event.body: event.seq for event in events}
        expect(there == dict(places), one, "what was acknowledged is not what is there")


def expect(condition: bool, journal: Journal, complaint: str) -> None:
    """Raise an AssertionError with the journal's kind unless `condition` holds."""
    if not condition:
        raise AssertionError(f"{type(journal).__name__}: {complaint}")
