"""A line to a NATS cluster: a thread of its own with an event loop, for calls from any other thread.

A connection that is lost is made again, to whichever server is there. What was asked is asked again until it is
answered or patience ends: a publication carries its id, by which the cluster knows it again and keeps it once.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from duelist.core.errors import BadInput, CannotStore, MissingExtra

try:
    import nats
    import nats.errors
    import nats.js.errors
    from nats.aio.client import Client
    from nats.js import JetStreamContext
except ImportError:
    raise MissingExtra("a journal on NATS needs nats-py: pip install 'duelist[nats]'") from None

PATIENCE = 20.0  # seconds: a cluster whose leader is lost has another one after at most 10
FIRST_TRY, LONGEST_TRY = 1.0, 4.0  # seconds to wait for an answer, then twice that, at most so many
PAUSE = 0.05  # between two tries
GOODBYE = 5.0  # to hang up
WRONG_LAST = 10071  # JetStream's code: somebody else was faster

T = TypeVar("T")
Call = Callable[[JetStreamContext, float], Awaitable[T]]  # with the seconds that it may take


class Address(NamedTuple):
    """Where a journal is."""

    servers: list[str]
    user: str | None
    password: str | None
    journal: str
    replicas: int

    @property
    def public(self) -> str:
        """For people: who and the password are left out."""
        return f"nats://{','.join(server.removeprefix('nats://') for server in self.servers)}/{self.journal}"


class Conflict(Exception):
    """Somebody else has written there; nothing was written."""


class Unanswered(Exception):
    """Patience is over; `sent`: what was sent may have been done all the same."""

    def __init__(self, sent: bool, last: str) -> None:
        super().__init__(last)
        self.sent = sent


class NatsLine:
    """One connection, which many threads may use at once."""

    def __init__(self, address: Address) -> None:
        self.address, self.patience = address, PATIENCE
        self.name = address.public
        self._said = ""  # the last thing that went wrong
        self._closed = False
        self._door = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nats", daemon=True)
        self._thread.start()
        self._client = Client()
        try:
            self._run(self._connect())
        except BaseException as error:
            self.close()
            if isinstance(error, Unanswered):
                raise CannotStore(f"the journal {self.name} cannot be reached: {error}") from None
            raise

    # For every thread.

    def ask(self, question: Call[T]) -> T:
        """The answer to a question."""
        try:
            return self._run(self._until(question))
        except Unanswered as error:
            raise CannotStore(f"the journal {self.name} failed, it cannot be read: {error}") from None
        except nats.errors.Error as error:
            raise CannotStore(f"the journal {self.name} failed, it cannot be read: {error}") from None

    def change(self, change: Call[T]) -> T:
        """The answer to something that writes, when that is safe. What came too late is a Conflict."""
        try:
            return self._run(self._until(change))
        except Unanswered as error:
            if error.sent:
                raise CannotStore(
                    f"the journal {self.name} was lost on the way, it is not known whether this was written; "
                    f"a key makes trying again safe: {error}"
                ) from None
            raise CannotStore(f"the journal {self.name} failed, nothing was written: {error}") from None
        except nats.js.errors.APIError as error:
            if error.err_code == WRONG_LAST:
                raise Conflict from None
            raise CannotStore(f"the journal {self.name} failed, nothing was written: {error.description}") from None
        except nats.errors.Error as error:
            raise CannotStore(f"the journal {self.name} failed, nothing was written: {error}") from None

    @property
    def largest(self) -> int:
        """Bytes that a message may have."""
        return self._client.max_payload

    def close(self) -> None:
        """Hang up for good, and end the thread."""
        with self._door:
            if self._closed:
                return
            self._closed = True
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        with self._door:
            if self._closed:
                work.close()
                raise CannotStore(f"the journal {self.name} is closed")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result()

    # In the thread of the line.

    async def _until(self, call: Call[T]) -> T:
        """Call until there is an answer, whichever it is."""
        deadline, wait, sent = time.monotonic() + self.patience, FIRST_TRY, False
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Unanswered(sent, self._said or "nobody answers")
            if self._client.is_connected:
                seconds = max(0.01, min(wait, left))
                try:
                    return await asyncio.wait_for(call(self._client.jetstream(timeout=seconds), seconds), 4 * seconds)
                except (nats.js.errors.NoStreamResponseError, nats.js.errors.ServiceUnavailableError) as error:
                    self._said = f"no leader of the stream answers ({error})"
                except nats.errors.NoRespondersError:
                    self._said = "no JetStream answers"
                except (TimeoutError, nats.errors.ConnectionClosedError, nats.errors.OutboundBufferLimitError):
                    self._said, sent, wait = "no answer in time", True, min(LONGEST_TRY, 2 * wait)
            await asyncio.sleep(min(PAUSE, max(left, 0)))

    async def _connect(self) -> None:
        connecting = self._client.connect(
            self.address.servers,
            user=self.address.user,
            password=self.address.password,
            name="duelist",
            connect_timeout=2,
            max_reconnect_attempts=-1,
            reconnect_time_wait=PAUSE,  # type: ignore[arg-type]
            ping_interval=5,
            max_outstanding_pings=2,
            error_cb=self._note,
        )
        try:
            await in_time(connecting, self.patience)
        except (TimeoutError, OSError, nats.errors.Error) as error:
            raise Unanswered(False, self._said or repr(error)) from None

    async def _hang_up(self) -> None:
        with suppress(TimeoutError):
            await in_time(self._client.close(), GOODBYE)
        await end({task for task in asyncio.all_tasks() if task is not asyncio.current_task()})

    async def _note(self, error: Exception) -> None:
        if "Authorization" not in self._said:  # that is why, whatever comes of it
            self._said = str(error) or repr(error)


async def in_time(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """What comes of it, or a TimeoutError."""
    task = asyncio.ensure_future(work)
    await asyncio.wait({task}, timeout=seconds)
    if task.done():
        return task.result()
    await end({task})
    raise TimeoutError


async def end(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel until all are done, whatever comes of them.

    Once is not enough: where an answer comes at the same moment, `wait_for` of Python 3.11 takes it and forgets that it
    was cancelled, and a client that tries to connect goes on for ever.
    """
    going = tasks
    while going := {task for task in going if not task.done()}:
        for task in going:
            task.cancel()
        await asyncio.wait(going, timeout=PAUSE)
    await asyncio.gather(*tasks, return_exceptions=True)


def read_address(url: str) -> Address:
    """The parts of nats://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?replicas=3.

    >>> read_address("nats://ann:secret@one,two:5222/clicks").public
    'nats://one:4222,two:5222/clicks'
    """
    parts = urlsplit(url)
    who, _, hosts = parts.netloc.rpartition("@")
    user, _, password = who.partition(":")
    servers = [host if ":" in host else f"{host}:4222" for host in hosts.split(",") if host]
    journal, options = parts.path.strip("/") or "duelist", parse_qs(parts.query)
    replicas = options.pop("replicas", ["3"])[-1]
    good = servers and journal.replace("-", "").replace("_", "").isalnum() and journal.isascii()
    if not good or options or replicas not in ("1", "3", "5"):
        raise BadInput(
            "the address of this journal cannot be read; it should be nats://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME, "
            "with letters, digits, - and _ in NAME, and perhaps ?replicas=1, 3 or 5 at its end"
        )
    named = [f"nats://{server}" for server in servers]
    return Address(named, unquote(user) or None, unquote(password) or None, journal, int(replicas))
