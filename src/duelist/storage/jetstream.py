"""A journal on NATS JetStream: a stream that three servers keep, which many processes of many machines may share.

A message of the stream is a batch, so that a batch is there as a whole or not at all (JetStream before 2.12 writes
no two messages together). Messages have a total order and an answer when most servers have them. Numbers, times and
repeated keys follow from that order (order.py): nobody waits for another writer, and nothing is tried again because
somebody else was faster, as it would be with an expected last message. The price: every process reads all messages that
are kept, and keeps 24 bytes a key.

Messages are never changed. To erase a user, a copy of the message without them is put beside the stream, and then the
message itself is overwritten (JetStream's secure deletion): where a message is missing, its copy is read.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from itertools import chain

import msgspec

from duelist.core.errors import BadInput, CannotStore
from duelist.core.garbage import collecting_seldom
from duelist.storage.beside import Beside
from duelist.storage.journal import (
    CHUNK,
    Clock,
    Draft,
    Event,
    Journal,
    Place,
    Snapshot,
    can_have,
    check_drafts,
    countable,
    machine_clock,
    wait_for,
)
from duelist.storage.nats_line import NatsLine, read_address
from duelist.storage.order import Batch, Order, Start
from duelist.storage.stream import Stream

SCHEMA = 1  # of the messages; a later version of duelist reads them, an earlier one does not
READ = 1024  # messages that are read at once
CACHED = 200_000  # drafts of the last messages, which are asked for most
ENCODE = msgspec.msgpack.Encoder().encode
DECODE = msgspec.msgpack.Decoder(Batch).decode


class Meta(msgspec.Struct, array_like=True):
    """What a journal is."""

    schema: int
    salt: bytes


class JetStreamJournal(Journal):
    """Events in the stream `duelist-NAME`, and what belongs to them in `duelist-NAME-beside`; made when not there.

    An append that fails says what became of it: "nothing was written", or, when no answer came in time, "it is not
    known whether this was written". A key makes trying again safe in both cases.
    """

    def __init__(self, url: str, clock: Clock = machine_clock) -> None:
        address = read_address(url)
        self._clock, self._changed = clock, threading.Condition()
        self._following, self._lock = threading.Lock(), threading.RLock()
        self._order = Order()
        self._recent: OrderedDict[int, list[Draft]] = OrderedDict()
        self._cached = 0
        self._mine: dict[bytes, list[Place]] = {}  # of appends that wait for their places
        self._line = NatsLine(address)
        self._stream = Stream(self._line, f"duelist-{address.journal}", f"duelist.{address.journal}.events")
        self._beside = Beside(self._line, address.journal)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        checked = check_drafts(drafts)
        if not checked:
            return []
        places = self._publish(Batch(secrets.token_bytes(12), self._clock(), checked))
        with self._changed:
            self._changed.notify_all()
        return places

    def read(self, after: int = 0, limit: int = CHUNK) -> list[Event]:
        begin, most = countable(after), countable(limit)
        if begin + most > self._order.seq:
            self._catch_up()
        with self._lock:
            first = max(begin + 1, self._order.first)
            last = min(first - 1 + most, self._order.seq)
            messages = self._order.message_of(first), self._order.message_of(last)
        if last < first or None in messages:
            return []
        found = chain.from_iterable(self._events(*messages))  # type: ignore[arg-type]
        return [event for event in found if first <= event.seq <= last]

    def get(self, seq: int) -> Event | None:
        wanted = countable(seq)
        if wanted > self._order.seq:
            self._catch_up()
        with self._lock:
            message = self._order.message_of(wanted)
        if message is None:
            return None
        return next((event for event in chain(*self._events(message, message)) if event.seq == wanted), None)

    def find(self, experiment: int, key: str) -> Event | None:
        if not can_have(experiment, key):
            return None
        for _ in range(2):
            with self._lock:
                seq = self._order.keys.get(experiment, key)
            if seq is not None:
                return self.get(seq)
            self._catch_up()
        return None

    def head(self) -> Place:
        self._catch_up()
        with self._lock:
            return Place(self._order.seq, self._order.at if self._order.seq else 0)

    def wait(self, after: int, timeout: float) -> bool:
        return wait_for(self.head, self._changed, after, timeout)

    def first(self) -> int:
        self._catch_up()
        return self._order.first

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        return self._beside.save_snapshot(snapshot)

    def load_snapshot(self, experiment: int) -> Snapshot | None:
        return self._beside.load_snapshot(experiment)

    def rename_user(self, old: bytes, new: bytes) -> int:
        """As promised, and the old hash is overwritten in the files of the stream, on all servers.

        Every message is looked at: it takes as long as reading the journal.
        """
        if not old:
            return 0
        self._catch_up()
        renamed, begin, end = 0, self._order.start.message + 1, self._order.message
        for first in range(begin, end + 1, READ):
            last = min(end, first + READ - 1)
            for message, body in self._bodies(first, last).items():
                if old in body:
                    renamed += self._rewrite(message, body, old, new)
        if renamed:
            self._publish(Batch(secrets.token_bytes(12), 0, []))  # others forget what they have read
        return renamed

    def drop(self, until: int) -> int:
        """As promised; a message of which some events stay goes with the last of them."""
        self._catch_up()
        before = self._order.first
        last = min(countable(until), self._order.seq - 1)
        if last < before:
            return 0
        self._publish(Batch(secrets.token_bytes(12), 0, [], last))
        with self._lock:
            start, gone = self._order.start, self._order.first - before
        self._beside.save_start(start)  # before anything goes: whoever opens it begins there
        self._stream.purge(start.message)
        self._beside.drop_copies(start.message)
        return gone

    def close(self) -> None:
        self._line.close()

    # Following the stream.

    def _publish(self, batch: Batch) -> list[Place]:
        """Append a message, and wait until it is safe and its numbers are known."""
        body = ENCODE(batch)
        self._mine[batch.id] = []
        try:
            message = self._stream.publish(self._stream.subject, body, batch.id.hex())
            try:
                self._follow(message, {message: body})
            except CannotStore as error:
                raise CannotStore(f"it is not known where this was written; a key helps to find it: {error}") from None
            return self._mine[batch.id]
        finally:
            del self._mine[batch.id]

    def _catch_up(self) -> None:
        self._follow(self._stream.last(), {})

    def _follow(self, last: int, known: dict[int, bytes]) -> None:
        """Enter all messages up to one."""
        with self._following, collecting_seldom() if last > self._order.message + READ else nullcontext():
            while self._order.message < last:
                first = self._order.message + 1
                until = min(last, first + READ - 1)
                unknown = any(message not in known for message in range(first, until + 1))
                try:
                    bodies = self._bodies(first, until) if unknown else known
                except CannotStore:
                    if not self._moved(first):
                        raise
                    continue
                for message in range(first, until + 1):
                    self._enter(message, DECODE(bodies[message]))

    def _moved(self, message: int) -> bool:
        """Whether others have dropped a message before it was read here; then the numbers go on behind it."""
        start = self._beside.load_start()
        if start is None or start.message < message:
            return False
        with self._lock:
            self._order = Order(start)
        return True

    def _enter(self, message: int, batch: Batch) -> None:
        with self._lock:
            places = self._order.enter(message, batch)
            if not batch.drafts:  # users were renamed, or events dropped
                self._recent.clear()
                self._cached = 0
            self._keep(message, batch.drafts)
        if batch.id in self._mine:
            self._mine[batch.id] = places

    def _keep(self, message: int, drafts: list[Draft]) -> None:
        """Keep the last messages at hand."""
        self._recent[message] = drafts
        self._cached += len(drafts)
        while self._cached > CACHED and len(self._recent) > 1:
            self._cached -= len(self._recent.popitem(last=False)[1])

    # Messages.

    def _events(self, first: int, last: int) -> Iterable[list[Event]]:
        """The events of some messages, one message after the other."""
        for begin in range(first, last + 1, READ):
            span = range(begin, min(last, begin + READ - 1) + 1)
            with self._lock:
                known = {message: self._recent[message] for message in span if message in self._recent}
            if len(known) < len(span):
                known |= {message: DECODE(body).drafts for message, body in self._bodies(span[0], span[-1]).items()}
            with self._lock:
                kept = [message for message in span if message > self._order.start.message]
                found = [self._order.events(message, known[message]) for message in kept]
            yield from found

    def _bodies(self, first: int, last: int) -> dict[int, bytes]:
        """Messages as they are kept: in the stream, or where that was erased, beside it."""
        found = self._stream.fetch(first, last)
        for message in range(first, last + 1):
            if message not in found:
                copy = self._beside.copy(message)
                if copy is None:
                    raise CannotStore(f"message {message} of the journal {self._line.name} is missing")
                found[message] = copy
        return found

    def _rewrite(self, message: int, body: bytes, old: bytes, new: bytes) -> int:
        """Put a copy without a user beside a message, and erase it; how many of its events were theirs."""
        batch = DECODE(body)
        with self._lock:
            theirs = sum(event.user == old for event in self._order.events(message, batch.drafts))

        def renamed(body: bytes) -> bytes:
            given = DECODE(body)
            drafts = [draft._replace(user=new) if draft.user == old else draft for draft in given.drafts]
            return ENCODE(msgspec.structs.replace(given, drafts=drafts))

        if any(draft.user == old for draft in batch.drafts):
            self._beside.save_copy(message, body, renamed)
            self._stream.erase(message)
        return theirs

    def _prepare(self) -> None:
        """Have the streams; begin where events are kept from. They are read when something is asked for."""
        self._stream.have()
        self._beside.stream.have()
        wanted = Meta(SCHEMA, secrets.token_bytes(16))
        found = msgspec.msgpack.decode(self._beside.have("meta", ENCODE(wanted)), type=Meta)
        if found.schema > SCHEMA:
            raise BadInput(f"{self._line.name} was written by a later version (schema {found.schema}, here {SCHEMA})")
        self.salt = found.salt
        self._order = Order(self._beside.load_start() or Start())
