"""A load of HTTP requests that costs little: raw sockets, kept alive, each with one request under way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any, NamedTuple

from duelist.core.errors import BadInput

PATIENCE = 30.0  # seconds for the last answers
SCHEDULED = 2  # Linux has a clock for each process: its number turned round, and which of its times, in three bits

Says = Generator[bytes, bytes, None]  # requests of one connection; it gets the bodies of the answers
Script = Callable[[int], Says]  # by the number of the connection


Result = tuple[list["Connection"], float]


class Measured(NamedTuple):
    """What a load came to."""

    requests: int
    seconds: float
    cpu: float  # seconds of the server's processor
    waits: list[float]  # seconds, sorted

    @property
    def cpu_us(self) -> float:
        """Microseconds a request."""
        return 1e6 * self.cpu / self.requests

    def wait(self, share: float) -> float:
        """Milliseconds within which this share of requests was answered."""
        return 1e3 * self.waits[min(len(self.waits) - 1, int(share * len(self.waits)))]


def request(path: str, body: bytes, method: str = "POST") -> bytes:
    """A request as it is sent.

    >>> request("/v1/events", b"[]")[:27]
    b'POST /v1/events HTTP/1.1\\r\\nH'
    """
    head = f"{method} {path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


class Connection(asyncio.Protocol):
    """Sends the next request when the last one is answered."""

    def __init__(self, script: Says, until: float, done: Callable[[], None]) -> None:
        self.script, self.until, self.done = script, until, done
        self.buffer = b""
        self.sent = 0.0
        self.waits: list[float] = []
        self.failed = ""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._send(next(self.script))

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found or len(body) < _length(head):
            return
        now = time.perf_counter()
        self.waits.append(now - self.sent)
        self.buffer = b""
        if not head.startswith(b"HTTP/1.1 200"):
            self.failed = f"{head[:12]!r} {body!r}"
        if self.failed or now > self.until:
            self.transport.close()
            return
        self._send(self.script.send(body))

    def connection_lost(self, error: Exception | None) -> None:
        self.done()

    def _send(self, data: bytes) -> None:
        self.sent = time.perf_counter()
        self.transport.write(data)


def _length(head: bytes) -> int:
    lower = head.lower()
    begin = lower.index(b"content-length:") + 15
    end = lower.find(b"\r\n", begin)
    return int(lower[begin : end if end >= 0 else len(lower)])


def measure(busy: Sequence[tuple[int, int]], script: Script, seconds: float, connections: int = 32) -> Measured:
    """Keep servers, by port and process, busy for a while; connections take turns among them."""

    async def run() -> Result:
        loop = asyncio.get_running_loop()
        left, over = connections, asyncio.Event()

        def done() -> None:
            nonlocal left
            left -= 1
            if not left:
                over.set()

        began = time.perf_counter()
        made = [Connection(script(n), began + seconds, done) for n in range(connections)]
        for number, each in enumerate(made):
            port = busy[number % len(busy)][0]
            await loop.create_connection(lambda each=each: each, "127.0.0.1", port)  # type: ignore[misc]
        await asyncio.wait_for(over.wait(), seconds + PATIENCE)
        return made, time.perf_counter() - began

    before = sum(cpu_seconds(pid) for _, pid in busy)
    made, took = _runner(run)
    if failed := next((each.failed for each in made if each.failed), ""):
        raise BadInput(f"the server answered {failed}")
    waits = sorted(wait for each in made for wait in each.waits)
    return Measured(len(waits), took, sum(cpu_seconds(pid) for _, pid in busy) - before, waits)


def _runner(run: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    try:
        import uvloop
    except ImportError:
        return asyncio.run(run())
    return uvloop.run(run())


def cpu_seconds(pid: int) -> float:
    """What a process has used so far, all its threads together, to the nanosecond.

    >>> import os
    >>> time.process_time() <= cpu_seconds(os.getpid()) <= time.process_time()
    True
    """
    return time.clock_gettime(~pid << 3 | SCHEDULED)
