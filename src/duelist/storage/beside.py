"""What belongs to a journal on JetStream beside its events: snapshots, copies of messages that were erased, the start.

Small records by name in a stream of their own. A record is replaced only by whoever has seen all that was written
before, and what was replaced is overwritten. (JetStream can also compare with the last message of one subject, but
2.9.10 lets two writers through that come at the same moment.)
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

import msgspec

from duelist.core.errors import CannotStore
from duelist.storage.journal import Snapshot, whole_snapshot
from duelist.storage.nats_line import Conflict, NatsLine
from duelist.storage.order import Start
from duelist.storage.stream import Stream

PIECE = 1 << 19  # bytes of a message: half of what a server takes unless it is told otherwise
TRIES = 20  # of reading a snapshot that is replaced meanwhile


class Kept(msgspec.Struct, array_like=True):
    """A snapshot: its beginning, and how many pieces follow elsewhere."""

    seq: int
    code: str
    hash: str
    name: str  # of its pieces
    pieces: int
    body: bytes


class Beside:
    """The records of one journal."""

    def __init__(self, line: NatsLine, journal: str) -> None:
        self._prefix = f"duelist.{journal}.beside"
        self.stream = Stream(line, f"duelist-{journal}-beside", f"{self._prefix}.>")

    def have(self, name: str, body: bytes) -> bytes:
        """The record of a name, and if there is none, this one."""
        self._update(name, lambda known: body if known is None else None)
        return (self._get(name) or (0, body))[1]

    # Where events begin.

    def load_start(self) -> Start | None:
        """Where the fold begins, if messages are gone."""
        found = self._get("start")
        return None if found is None else msgspec.msgpack.decode(found[1], type=Start)

    def save_start(self, start: Start) -> None:
        """Begin there from now on, unless somebody begins later already."""

        def later(known: bytes | None) -> bytes | None:
            forward = known is None or msgspec.msgpack.decode(known, type=Start).first < start.first
            return msgspec.msgpack.encode(start) if forward else None

        self._update("start", later)

    # Copies of messages.

    def copy(self, message: int) -> bytes | None:
        """The copy of a message."""
        found = self._get(f"copy.{message}")
        return None if found is None else found[1]

    def save_copy(self, message: int, body: bytes, rewrite: Callable[[bytes], bytes]) -> None:
        """Keep a message, or the copy that is kept of it already, rewritten."""
        self._update(f"copy.{message}", lambda known: rewrite(body if known is None else known))

    def drop_copies(self, until: int) -> None:
        """Let go of copies of messages up to one."""
        for subject in self.stream.subjects(f"{self._prefix}.copy.*"):
            if int(subject.rpartition(".")[2]) <= until:
                self.stream.purge(subject=subject)

    # Snapshots.

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        """As Journal.save_snapshot."""
        experiment, seq, code, body = snapshot
        name, pieces = f"{experiment}.{secrets.token_hex(8)}", range(PIECE, len(body), PIECE)
        kept = Kept(seq, code, snapshot.hash, name, len(pieces), body[:PIECE])
        for number, begin in enumerate(pieces):
            subject = f"{self._prefix}.piece.{name}.{number}"
            self.stream.publish(subject, body[begin : begin + PIECE], secrets.token_hex(12))
        before = list[Kept]()

        def newer(known: bytes | None) -> bytes | None:
            before[:] = [] if known is None else [msgspec.msgpack.decode(known, type=Kept)]
            return msgspec.msgpack.encode(kept) if all(each.seq < seq for each in before) else None

        done = self._update(f"snapshot.{experiment}", newer)
        for gone in before if done else [kept]:
            self._drop_pieces(gone)
        return done

    def load_snapshot(self, experiment: int) -> Snapshot | None:
        """As Journal.load_snapshot."""
        for _ in range(TRIES):
            found = self._get(f"snapshot.{experiment}")
            if found is None:
                return None
            kept = msgspec.msgpack.decode(found[1], type=Kept)
            pieces = [self._get(f"piece.{kept.name}.{number}") for number in range(kept.pieces)]
            whole = b"".join([kept.body, *(piece[1] for piece in pieces if piece is not None)])
            if None not in pieces:
                return whole_snapshot((experiment, kept.seq, kept.code, whole, kept.hash), self.stream.line.name)
        raise CannotStore(f"the snapshot of experiment {experiment} in {self.stream.line.name} is damaged; fold anew")

    def _drop_pieces(self, kept: Kept) -> None:
        for number in range(kept.pieces):
            found = self._get(f"piece.{kept.name}.{number}")
            if found is not None:
                self.stream.erase(found[0])

    # Records.

    def _get(self, name: str) -> tuple[int, bytes] | None:
        return self.stream.latest(f"{self._prefix}.{name}")

    def _update(self, name: str, change: Callable[[bytes | None], bytes | None]) -> bool:
        """Replace a record by what is made of it, unless that is nothing; whether that was done."""
        while True:
            last = self.stream.last()
            place, body = self._get(name) or (0, None)
            new = change(body)
            if new is None:
                return False
            try:
                self.stream.publish(f"{self._prefix}.{name}", new, secrets.token_hex(12), last)
            except Conflict:  # somebody else has written meanwhile: look again
                continue
            if place:
                self.stream.erase(place)
            return True
