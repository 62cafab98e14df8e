"""Server-sent events: a line whenever something changed, at most once a second.

Only names travel: whoever shows an experiment asks for it again. A comment now and then lets both sides notice that the
other one has gone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

import msgspec

from duelist.service.errors import Refused
from duelist.service.service import Service

MOST = 200  # streams of a process
PAUSE = 1.0  # seconds between two lines
QUIET = 10.0  # seconds without a line, until a comment is sent


def check_room(service: Service) -> None:
    """Raise Refused if there are too many listeners."""
    if service.streams >= MOST:
        raise Refused(503, "overloaded", f"{MOST} pages are being kept up to date; try again later")


async def changes(service: Service) -> AsyncGenerator[bytes, None]:
    """Lines for one listener, until the service ends."""
    service.streams += 1
    try:
        known = marks(service)
        yield b": here\n\n"
        said = time.monotonic()
        while not service.leaving():
            await asyncio.sleep(PAUSE)
            now = marks(service)
            fresh = [name for name, mark in now.items() if known.get(name) != mark]
            known = now
            if fresh:
                yield b"data: " + msgspec.json.encode({"changed": fresh}) + b"\n\n"
            elif time.monotonic() - said >= QUIET:
                yield b": here\n\n"
            else:
                continue
            said = time.monotonic()
    finally:
        service.streams -= 1


def marks(service: Service) -> dict[str, tuple[int, int, int, str]]:
    """Something of every experiment that is another one when anything has happened to it."""
    fold, found = service.experiments.fold, {}
    for name, numbers in list(fold.versions.items()):
        state = fold.states[numbers[-1]]
        found[name] = (state.number, state.events, state.lessons_learnt(), state.phase)
    return found
