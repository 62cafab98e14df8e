"""The service as an ASGI application.

Routes are raw ASGI: a request is read, decoded, handled and answered with as little in between as possible. Starlette
finds them by their path; the few that come thousands of times a second are found before it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path as FilePath
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

from duelist.service.endpoints import Call, Reply, Route
from duelist.service.errors import LOG, Refused, failure_of
from duelist.service.openapi import openapi
from duelist.service.routes import ONE, ROUTES
from duelist.service.schemas import ENCODER
from duelist.service.service import Service
from duelist.service.settings import Settings
from duelist.service.site import site_routes
from duelist.service.voting import vote_routes

HOT = ("ask", "tell", "interleave", "rank")
FORMS = (b"text/plain", b"application/x-www-form-urlencoded", b"multipart/form-data")
JSON = b"application/json"
PREFIX = ONE.partition("{")[0]


class Endpoint:
    """One route, from the first byte to the last."""

    def __init__(self, route: Route, service: Service) -> None:
        self.route, self.service = route, service
        self.label = f"{route.method} {route.path}"
        typed = route.takes not in (None, bytes)
        self.decode: Callable[[bytes], Any] = msgspec.json.Decoder(route.takes).decode if typed else bytes
        self.fields: tuple[str, ...] = route.takes.__struct_fields__ if typed else ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.serve(scope, receive, send, scope.get("path_params", {}).get("name", ""))

    async def serve(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        """Answer a request."""
        began = time.perf_counter()
        extra: list[tuple[bytes, bytes]] = []
        reply: Any
        try:
            by = self.service.doorkeeper.check(scope["headers"], self.route.role)
            body = await read_body(scope, receive, self.service.settings.max_body)
            given = self.decode(body) if self.route.takes is not None else None
            reply = await self.route.handler(self.service, Call(name, given, by, scope["query_string"]))
            if not isinstance(reply, Reply):
                reply = Reply(ENCODER.encode(reply))
        except Exception as error:
            status, answer, extra = failure_of(error, self.fields)
            reply = Reply(answer, status)
        await respond(send, receive, reply, extra)
        seconds = time.perf_counter() - began
        self.service.metrics.observe(self.label, reply.status, seconds)
        if self.service.settings.access_log:
            LOG.info("request", extra={"route": self.label, "status": reply.status, "seconds": round(seconds, 6)})


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The body, if it is not too large and no form: a page of another site could send one without asking."""
    for name, value in scope["headers"]:
        if name == b"content-type" and value.partition(b";")[0].strip().lower() in FORMS:
            raise Refused(400, "malformed", "the body must be sent as application/json")
        if name == b"content-length" and (len(value) > 15 or int(value) > limit):
            raise Refused(413, "too_large", f"a request may have {limit} bytes")
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "malformed", "the request ended early")
        more: bytes = message.get("body", b"")
        body = body + more if body else more
        if len(body) > limit:
            raise Refused(413, "too_large", f"a request may have {limit} bytes")
        if not message.get("more_body", False):
            return body


async def respond(send: Send, receive: Receive, reply: Reply, extra: list[tuple[bytes, bytes]]) -> None:
    """Send an answer, whole or in chunks as long as somebody takes them."""
    body, status, kind = reply
    whole = not isinstance(body, AsyncGenerator)
    if whole and not isinstance(body, bytes):
        body = ENCODER.encode(body)
    headers = [(b"content-type", kind), *extra]
    if whole:
        headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if not whole:
        gone = asyncio.ensure_future(receive())  # the request was read: what comes now is its end
        try:
            async for chunk in body:
                if gone.done():
                    break
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        finally:
            gone.cancel()
            await body.aclose()
        body = b""
    await send({"type": "http.response.body", "body": body})


class ByMethod:
    """The routes of one path."""

    def __init__(self, endpoints: list[Endpoint]) -> None:
        self.by_method = {endpoint.route.method: endpoint for endpoint in endpoints}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        await self.by_method[method](scope, receive, send)


class App:
    """Sends requests to their routes; `files` are images that are voted on, by their names under /files."""

    def __init__(self, settings: Settings, files: Mapping[str, FilePath] | None = None) -> None:
        self.service = Service(settings)
        made: dict[str, list[Endpoint]] = {}
        for route in ROUTES:
            made.setdefault(route.path, []).append(Endpoint(route, self.service))
        self.hot = {verb: made[f"{ONE}/{verb}"][0] for verb in HOT}
        self.events = made["/v1/events"][0]
        paths: list[BaseRoute] = [
            Path(path, ByMethod(endpoints), methods=[endpoint.route.method for endpoint in endpoints])
            for path, endpoints in made.items()
        ]
        document = ENCODER.encode(openapi())
        paths.append(Path("/openapi.json", lambda request: Response(document, media_type="application/json")))
        paths += [*site_routes(), *vote_routes(self.service, files or {})]
        self.rest = Starlette(routes=paths, lifespan=self._life, exception_handlers={HTTPException: _not_here})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            path: str = scope["path"]
            if path == "/v1/events":
                return await self.events.serve(scope, receive, send, "")
            if path.startswith(PREFIX):
                name, _, verb = path[len(PREFIX) :].partition("/")
                if name and verb in self.hot:
                    return await self.hot[verb].serve(scope, receive, send, name)
        return await self.rest(scope, receive, send)

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        await self.service.start()
        try:
            yield
        finally:
            await self.service.stop()


def _not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "malformed")
    message = f"there is no {request.method} {request.url.path} here; /openapi.json says what there is"
    failure = failure_of(Refused(error.status_code, code, message))
    return Response(ENCODER.encode(failure.error), error.status_code, error.headers, "application/json")
