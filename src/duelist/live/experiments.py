"""The experiments of a journal, in this process: every process folds for itself, and none is in charge.

>>> from duelist.live import open_experiments
>>> with open_experiments("memory://") as experiments:
...     search = experiments.define({"name": "search", "kind": "arms", "arms": ["bm25", "ltr"], "policy": "rucb"})
...     search.start()
...     asked = search.ask(user="ann")
...     search.tell(asked.id, winner=asked.left).told, search.status()["counts"]["told"]
(True, 1)
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from duelist.core.errors import AlreadyDefined, BadInput, CannotStore, UnknownName
from duelist.core.garbage import collecting_seldom
from duelist.live import events
from duelist.live.definition import Definition
from duelist.live.events import EVERYWHERE, Changed, Defined
from duelist.live.fold import Fold, History
from duelist.live.kinds import make_state
from duelist.live.requests import Plan
from duelist.live.snapshots import code_of, pack, state_hash, unpack
from duelist.live.state import MOVES, State, Verdicts
from duelist.live.status import status_of
from duelist.live.verbs import Verbs
from duelist.storage.journal import CHUNK, Draft, Event, Journal, Place, Snapshot

INDEX = "index 1"  # what the snapshot of all experiments is: their definitions
KEPT = 100_000  # verdicts: more events than one commit has, or several
PATIENCE = 5.0  # seconds to wait for the snapshot of a process that has erased a user
STEPS = {"start": "running", "pause": "paused", "stop": "stopped"}


class Experiments:
    """All experiments of a journal. Safe to use from many threads, and beside other processes on the same journal."""

    def __init__(self, journal: Journal, luck: np.random.Generator | None = None, adopt: bool = False) -> None:
        self.journal = journal
        self.fold = Fold(journal.get, self.history(journal))
        self.luck = np.random.default_rng() if luck is None else luck
        self.lock = threading.RLock()
        self._known_forgot = 0
        self._verdicts: Verdicts = {}  # of events that were not counted, until whoever appended them asks
        self._whole = True  # not so after a fold that failed in the middle
        self._load(adopt)

    # Following the journal.

    def catch_up(self) -> None:
        """Fold what others have appended."""
        with self.lock:
            self.mend()
            while chunk := self.journal.read(self.fold.seq, CHUNK):
                self._apply(chunk)
            if self.fold.forgot > self._known_forgot:
                self._begin_anew()

    def absorb(self, drafts: Sequence[Draft], places: Sequence[Place]) -> Verdicts:
        """Fold what this process has just appended; what became of its events that were not counted."""
        fresh = [Event(p.seq, p.at, *d) for d, p in zip(drafts, places, strict=True) if not p.repeated]
        if not fresh:
            return {}
        with self.lock:
            self.mend()
            if fresh[0].seq == self.fold.seq + 1 and fresh[-1].seq == self.fold.seq + len(fresh):
                self._apply(fresh)
            else:  # others have appended in between, or another thread has caught up already
                self.catch_up()
            return {event.seq: self._verdicts.pop(event.seq) for event in fresh if event.seq in self._verdicts}

    def mend(self) -> None:
        """A fold that failed in the middle is done anew: the events are safe, the state is not."""
        with self.lock:
            if self._whole:
                return
            half, self.fold = self.fold, Fold(self.journal.get, self.history(self.journal))
            try:
                self._load(adopt=False)
            except BaseException:
                self.fold = half  # which still knows what there is
                raise
            self._whole = True

    def _apply(self, chunk: Sequence[Event]) -> None:
        """Fold, and keep for a while what became of events: whoever appended them will ask."""
        self._whole = False
        self._verdicts |= self.fold.apply(chunk)
        self._whole = True
        while len(self._verdicts) > KEPT:
            del self._verdicts[next(iter(self._verdicts))]

    @staticmethod
    def history(journal: Journal) -> History:
        """Reads the events of one experiment, and those that concern all, before a number."""

        def read(experiment: int, before: int) -> Iterator[Event]:
            for event in journal.events(experiment):
                if event.seq >= before:
                    return
                if event.experiment == experiment or event.kind == events.TICK:
                    yield event

        return read

    # Snapshots.

    def _load(self, adopt: bool) -> None:
        """Begin from the snapshots that this code may load, and fold the rest."""
        found = self.journal.load_snapshot(EVERYWHERE)
        if found is not None:
            self._restore(found, adopt)
        gone = self.journal.first() - 1
        if gone > self.fold.seq:
            raise CannotStore(
                f"the first {gone} events were moved elsewhere, and the snapshot was made by other code: "
                "adopt it by `duelist doctor JOURNAL --adopt`, or fold them anew from where they are"
            )
        with collecting_seldom():
            while chunk := self.journal.read(self.fold.seq, CHUNK):
                self.fold.apply(chunk)
        self._known_forgot = self.fold.forgot  # what is read now has no trace of them
        if adopt:
            self.journal.append([Draft(EVERYWHERE, events.ADOPTED)])
            self.catch_up()
            self.save()

    def _restore(self, index: Snapshot, adopt: bool = False) -> None:
        """All experiments as of one number, or nothing: a part of them would mix two times.

        What other code has folded is not taken, but for those who `adopt` it.
        """
        fold = Fold(self.journal.get, self.history(self.journal))
        record = unpack(index.body)
        for number, version, document in record["experiments"]:
            found, definition = self.journal.load_snapshot(number), Definition.read(document)
            if found is None or found.seq != index.seq or (found.code != code_of(definition) and not adopt):
                return
            try:
                fold.add(number, definition, version).restore(unpack(found.body))
            except (KeyError, TypeError, ValueError):  # of a form that this code does not know
                return
        fold.seq, fold.at, fold.forgot = index.seq, record["at"], record["forgot"]
        self.fold = fold

    def save(self) -> None:
        """Write a snapshot of every experiment, so that the next start is short."""
        with self.lock:
            seq, at = self.fold.seq, self.fold.at
            states = list(self.fold.states.values())
            bodies = [(state, pack(state.record())) for state in states]
        for state, body in bodies:
            self.journal.save_snapshot(Snapshot(state.number, seq, code_of(state.definition), body))
        known = [[state.number, state.version, state.definition.document()] for state, _ in bodies]
        index = pack({"at": at, "forgot": self.fold.forgot, "experiments": known})
        self.journal.save_snapshot(Snapshot(EVERYWHERE, seq, INDEX, index))

    def keep_from(self) -> int:
        """The first event that is still needed: all before it is in the snapshot, and belongs to nothing open."""
        found = self.journal.load_snapshot(EVERYWHERE)
        with self.lock:
            needed = [0 if found is None else found.seq + 1]
            needed += [seq for state in self.fold.states.values() for seq in state.impressions.open]
        return min(needed)

    # Erasing.

    def forget(self, user: str) -> int:
        """Erase who a user is, everywhere; how many events were theirs. What was learnt stays, to the bit.

        The hash is replaced by a random one, in events, in what is folded and in snapshots. Other processes notice
        by the event that is written last, and begin anew from the snapshot.
        """
        old, new = self.hashed(user), secrets.token_bytes(8)
        changed = self.journal.rename_user(old, new)
        with self.lock:
            self.catch_up()
            for state in self.fold.states.values():
                state.rename(old, new)
            drafts = [Draft(EVERYWHERE, events.FORGOT)]
            self._known_forgot = self.journal.append(drafts)[0].seq
            self.catch_up()
        self.save()
        self.journal.rename_user(old, new)  # also lets go of the snapshot that was replaced
        return changed

    def _begin_anew(self) -> None:
        """Another process has erased a user whose hash this one may still hold."""
        forgot = self.fold.forgot
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = self.journal.load_snapshot(EVERYWHERE)
            if found is not None and found.seq >= forgot:
                break
            time.sleep(0.02)
        else:
            found = None
        self.fold = Fold(self.journal.get, self.history(self.journal))
        if found is not None:
            self._restore(found)
        self._known_forgot = forgot
        self.catch_up()

    # Experiments.

    def names(self) -> list[str]:
        """Of all experiments, in the order in which they were defined."""
        return list(self.fold.versions)

    def state(self, name: str) -> State:
        """The last version of an experiment."""
        found = self.fold.current(name)
        if found is None:
            known = ", ".join(map(repr, self.names()[:10])) or "none yet"
            raise UnknownName(f"there is no experiment {name!r}; there are {known}")
        return found

    def verbs(self, name: str) -> Verbs:
        """What can be done with an experiment."""
        return Verbs(self.state(name), self.journal.get, self.journal.find, self.luck, self.hashed)

    def hashed(self, user: Any) -> bytes:
        """A user as the journal knows them: a keyed hash, nothing for nobody."""
        if user is None or user == "":
            return b""
        if not isinstance(user, str | int) or len(str(user)) > 1000:
            raise BadInput(f"user must be text or a number of at most 1000 characters, not {user!r:.100}")
        return hashlib.blake2b(str(user).encode(), key=self.journal.salt, digest_size=8).digest()

    # Plans: events to append, and the answer. `Experiments` of one process carry them out in their own way.

    def plan_definition(self, given: Mapping[str, Any] | Definition, by: str = "", warm: bool | None = None) -> Plan:
        """Define an experiment, or with `warm` given a new version of one."""
        definition = Definition.read(given)
        make_state(0, definition, 0, self.journal.get)  # whatever cannot run is refused before it is written down
        known = self.fold.current(definition.name)
        if warm is None:
            version, before = 1, 0
        elif known is None:
            raise UnknownName(f"there is no experiment {definition.name!r} to make a new version of")
        else:
            version, before = known.version + 1, known.number
        body = Defined(definition.document(), version, bool(warm), before, by)
        draft = events.draft(EVERYWHERE, events.DEFINED, body, key=f"{definition.name}/{version}")

        def answer(places: list[Place], verdicts: Verdicts) -> tuple[State, bool]:
            state = self.fold.states[places[0].seq]
            if places[0].repeated and state.definition != definition:
                raise AlreadyDefined(
                    f"another experiment is called {definition.name!r} (version {version}); make a new version of it"
                )
            return state, not places[0].repeated

        return Plan([draft], answer)

    def plan_step(self, name: str, step: str, by: str = "") -> Plan:
        """Start, pause or stop."""
        state = self.state(name)
        phase = STEPS[step]
        if state.phase == phase:
            return Plan([], lambda places, verdicts: state)
        if phase not in MOVES.get(state.phase, ()):
            raise AlreadyDefined(f"experiment {name!r} is {state.phase}, and cannot become {phase}")
        draft = events.draft(state.number, events.STATE, Changed(phase, by))
        return Plan([draft], lambda places, verdicts: state)

    def plan_tick(self, now: int) -> Plan:
        """Let time pass for lists and duels that are due while nobody comes."""
        with self.lock:
            due = any(state.due(now) for state in self.fold.states.values())
        drafts = [Draft(EVERYWHERE, events.TICK)] if due else []
        return Plan(drafts, lambda places, verdicts: bool(places))

    def status(self, name: str) -> dict[str, Any]:
        """What is known of an experiment, as plain values."""
        with self.lock:
            state = self.state(name)
            return {**status_of(state), "seq": self.fold.seq, "hash": state_hash(state)}
