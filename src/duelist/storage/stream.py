"""One stream of JetStream: messages in a total order, on several servers."""

from __future__ import annotations

import asyncio
import time

import nats.errors
import nats.js.errors
from nats.js import JetStreamContext, api

from duelist.core.errors import BadInput
from duelist.storage.nats_line import NatsLine

FETCH = 256  # messages that are asked for at once
MANY = 1000  # messages that are worth a consumer of their own: half the work, but made on a server that may be away
NO_CONSUMERS = 30.0  # seconds for which none is made after one that did not answer
ALREADY_USED = 10058  # JetStream's code: there is a stream of that name


class Stream:
    """The messages of some subjects. Places begin at 1; a deleted message leaves its place empty."""

    def __init__(self, line: NatsLine, name: str, subject: str) -> None:
        self.line, self.name, self.subject = line, name, subject
        self._no_consumers_until = 0.0

    def publish(self, subject: str, body: bytes, id: str, after: int | None = None) -> int:
        """Write a message and return its place when it is safe. With `after`: only if that is the last place so far."""
        if len(body) > self.line.largest:
            raise BadInput(
                f"{len(body):,} bytes at once are more than the {self.line.largest:,} that {self.line.name} takes: "
                "send fewer events, or raise max_payload in the settings of its servers"
            )
        headers = {"Nats-Msg-Id": id}
        if after is not None:
            headers["Nats-Expected-Last-Sequence"] = str(after)

        async def send(context: JetStreamContext, seconds: float) -> int:
            done = await context.publish(subject, body, timeout=seconds, headers=headers)
            if not done.seq:  # it is known, and on its way: not safe yet
                raise nats.errors.TimeoutError
            return done.seq

        return self.line.change(send)

    def last(self) -> int:
        """The last place."""

        async def ask(context: JetStreamContext, seconds: float) -> int:
            return (await context.stream_info(self.name)).state.last_seq

        return self.line.ask(ask)

    def latest(self, subject: str) -> tuple[int, bytes] | None:
        """The last message of a subject, and its place."""

        async def ask(context: JetStreamContext, seconds: float) -> tuple[int, bytes] | None:
            try:
                found = await context.get_last_msg(self.name, subject)
            except nats.js.errors.NotFoundError:
                return None
            return found.seq or 0, found.data or b""

        return self.line.ask(ask)

    def fetch(self, first: int, last: int) -> dict[int, bytes]:
        """The messages from one place to another, by place; some may have been deleted."""
        found: dict[int, bytes] = {}
        if last - first + 1 >= MANY and time.monotonic() > self._no_consumers_until:
            self.line.ask(lambda context, seconds: self._consume(context, first, last, found))
        missing = [place for place in range(first, last + 1) if place not in found]

        async def ask(context: JetStreamContext, seconds: float) -> None:
            for begin in range(0, len(missing), FETCH):
                wanted = [place for place in missing[begin : begin + FETCH] if place not in found]
                got = await asyncio.gather(*(self._get(context, place) for place in wanted))
                found.update((place, body) for place, body in zip(wanted, got, strict=True) if body is not None)

        if missing:
            self.line.ask(ask)
        return found

    def subjects(self, pattern: str) -> list[str]:
        """The subjects that there are messages of."""

        async def ask(context: JetStreamContext, seconds: float) -> list[str]:
            return list((await context.stream_info(self.name, subjects_filter=pattern)).state.subjects or {})

        return self.line.ask(ask)

    def erase(self, place: int) -> None:
        """Overwrite a message, on all servers."""

        async def change(context: JetStreamContext, seconds: float) -> None:
            try:
                await context.delete_msg(self.name, place)
            except (nats.js.errors.NotFoundError, nats.js.errors.ServerError, nats.js.errors.BadRequestError):
                if await self._get(context, place) is not None:  # else it was deleted before
                    raise

        self.line.change(change)

    def purge(self, until: int | None = None, subject: str | None = None) -> None:
        """Let go of all messages up to a place, or of a subject."""
        before = None if until is None else until + 1

        async def change(context: JetStreamContext, seconds: float) -> None:
            await context.purge_stream(self.name, seq=before, subject=subject)

        self.line.change(change)

    def have(self) -> None:
        """Make it in files, on as many servers as the address wants, unless it is there."""

        async def change(context: JetStreamContext, seconds: float) -> None:
            try:
                found = (await context.stream_info(self.name)).config
            except nats.js.errors.NotFoundError:
                found = await self._make(context)
            if found.subjects != [self.subject]:
                raise BadInput(f"{self.line.name} has a stream {self.name!r} of {found.subjects}, which is no journal")

        self.line.change(change)

    async def _make(self, context: JetStreamContext) -> api.StreamConfig:
        copies = self.line.address.replicas
        wanted = api.StreamConfig(
            name=self.name,
            subjects=[self.subject],
            num_replicas=copies,
            storage=api.StorageType.FILE,
            discard=api.DiscardPolicy.NEW,  # what does not fit is refused; nothing old goes unasked
        )
        try:
            return (await context.add_stream(wanted)).config
        except nats.js.errors.APIError as error:
            if error.err_code == ALREADY_USED:  # somebody else was first
                return (await context.stream_info(self.name)).config
            said = error.description or ""
            if "replicas" in said or "peers" in said:
                raise BadInput(
                    f"{self.line.name} cannot keep {copies} copies: {said}; ?replicas=1 at the end of the address "
                    "wants one"
                ) from None
            raise

    async def _get(self, context: JetStreamContext, place: int) -> bytes | None:
        """A message, from the leader: what was acknowledged is there."""
        try:
            return (await context.get_msg(self.name, place)).data or b""
        except nats.js.errors.NotFoundError:
            return None

    async def _consume(self, context: JetStreamContext, first: int, last: int, found: dict[int, bytes]) -> None:
        """Many messages, as far as they come of themselves; the others are asked for one by one."""
        config = api.ConsumerConfig(
            ack_policy=api.AckPolicy.NONE,
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=first,
            mem_storage=True,
            inactive_threshold=5.0,
        )
        try:
            subscription = await context.pull_subscribe("", stream=self.name, config=config)
        except (nats.errors.TimeoutError, nats.js.errors.APIError):  # its place is a server that is away
            self._no_consumers_until = time.monotonic() + NO_CONSUMERS
            return
        try:
            place = first - 1
            while place < last:
                for message in await subscription.fetch(min(FETCH, last - place), timeout=0.5):
                    place = message.metadata.sequence.stream
                    if place <= last:
                        found[place] = message.data
        except (nats.errors.TimeoutError, nats.js.errors.APIError):
            pass  # the rest was deleted, or is not there yet
        finally:
            await subscription.unsubscribe()
