"""The real service on a port of this machine, with the search site beside it, inside a running event loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from duelist.core.errors import BadInput
from duelist.service.app import App

HOST = "127.0.0.1"


class Beside:
    """The service, and another application under one path of the same address."""

    def __init__(self, service: App, path: str, other: ASGIApp) -> None:
        self.service, self.path, self.other = service, path, other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        mine = scope["type"] == "http" and (path == self.path or path.startswith(self.path + "/"))
        await (self.other if mine else self.service)(scope, receive, send)


class Server(uvicorn.Server):
    """A server that leaves signals to others: visitors have to be sent home before it stops."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bind(port: int) -> socket.socket:
    """A socket on this port of the loopback interface, or on a free one if it is 0."""
    bound = socket.socket()
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
    except OSError as error:
        bound.close()
        raise BadInput(f"port {port} of {HOST} cannot be used: {error.strerror}") from None
    return bound


@asynccontextmanager
async def serving(app: ASGIApp, bound: socket.socket) -> AsyncIterator[Server]:
    """Serve as long as the block lasts."""
    quiet: dict[str, Any] = {"access_log": False, "log_config": None, "server_header": False, "date_header": False}
    server = Server(uvicorn.Config(app, timeout_graceful_shutdown=5, **quiet))
    task = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        while not server.started:
            if task.done():
                raise BadInput("the service did not start; its log says why")
            await asyncio.sleep(0.01)
        yield server
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await task
