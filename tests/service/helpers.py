from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from duelist.bench.promises import DEFINITION as ARMS
from duelist.bench.promises import ONE, RANKINGS
from duelist.bench.servers import Server
from duelist.bench.servers import serving as serve
from duelist.service.app import App
from duelist.service.service import Service
from duelist.service.settings import Settings

PAIR = {"name": "pair", "kind": "pair", "arms": ["old", "new"]}
WEIGHTS = {"name": "weights", "kind": "weights", "features": 3, "learner": "pdgd"}
__all__ = ["ARMS", "ONE", "PAIR", "RANKINGS", "WEIGHTS", "Answer", "Http", "served", "server", "serving"]


class Answer(NamedTuple):
    status: int
    body: Any
    headers: Any

    @property
    def code(self) -> Any:
        return self.body["error"]["code"]

    @property
    def field(self) -> Any:
        return self.body["error"]["field"]


class Http:
    """Sends requests to an application without a network."""

    def __init__(self, client: httpx.AsyncClient, service: Service) -> None:
        self.client, self.service = client, service

    async def __call__(self, method: str, path: str, json: Any = None, **more: Any) -> Answer:
        if json is not None:
            more["json"] = json
        response = await self.client.request(method, path, **more)
        body = response.json() if response.headers["content-type"] == "application/json" else response.text
        return Answer(response.status_code, body, response.headers)

    async def post(self, path: str, json: Any = None, **more: Any) -> Any:
        """What was answered to a request that must succeed."""
        answer = await self("POST", path, json, **more)
        assert answer.status in (200, 201), answer
        return answer.body

    async def get(self, path: str) -> Any:
        answer = await self("GET", path)
        assert answer.status == 200, answer
        return answer.body

    async def running(self, definition: dict[str, Any] = ARMS) -> str:
        """The address of an experiment that runs."""
        await self.post("/v1/experiments", definition)
        path = f"/v1/experiments/{definition['name']}"
        await self.post(f"{path}/start")
        return path


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[Http]:
    app = App(settings)
    async with (
        app.rest.router.lifespan_context(app.rest),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client,
    ):
        yield Http(client, app.service)


def serving(**given: Any) -> Callable[[Callable[[Http], Awaitable[None]]], Callable[[], None]]:
    """A test that talks to a service with these settings."""
    settings = Settings(**{"journal": "memory://", "compile_apart": False, **given})

    def wrap(test: Callable[[Http], Awaitable[None]]) -> Callable[[], None]:
        async def whole() -> None:
            async with served(settings) as http:
                await test(http)

        def run() -> None:
            asyncio.run(whole())

        run.__doc__ = test.__doc__
        return run

    return wrap


@contextmanager
def server(path: Path, journal: str = "", **environment: str) -> Iterator[Server]:
    """A service in a process of its own, on a file or another journal."""
    log = path.with_suffix(f".{time.monotonic_ns()}.log")
    with serve(journal or f"sqlite:///{path}", log, **{"DUELIST_COMPILE_APART": "false", **environment}) as made:
        made.port()
        yield made
