"""The client for event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Self

from duelist.client import requests
from duelist.client.answers import Asked, Page, Question, Tally, Told
from duelist.client.requests import HEADERS, Addresses, Fallback, Request, Requests, Tries, give_up, httpx, read
from duelist.core.errors import CannotStore


class AsyncClient:
    """Experiments of a service, at one address or at several. `timeout` bounds a call with all its retries, in seconds.

    `fallback` answers while the service is away: True shows the first ranking, a name the ranking of that arm.
    """

    def __init__(
        self,
        url: str | Sequence[str],
        token: str | None = None,
        timeout: float = 5.0,
        fallback: Fallback = False,
        transport: Any = None,
    ) -> None:
        headers = HEADERS | ({"Authorization": f"Bearer {token}"} if token else {})
        self.timeout, self.fallback, self._addresses = timeout, fallback, Addresses(url)
        self._failed = httpx().TransportError
        self._http = httpx().AsyncClient(headers=headers, transport=transport)

    async def define(self, definition: Mapping[str, Any]) -> AsyncExperiment:
        """An experiment by its definition; the same definition again is the same experiment."""
        await self.send(requests.define(definition))
        return self[definition["name"]]

    def __getitem__(self, name: str) -> AsyncExperiment:
        return AsyncExperiment(self, name)

    async def experiments(self) -> list[dict[str, Any]]:
        """A line for each."""
        return await self.send(requests.listing())  # type: ignore[no-any-return]

    async def events(self, events: Iterable[Mapping[str, Any]]) -> Tally:
        """What people did, in our form or UBI's, many at once."""
        return await self.send(Requests("", self.fallback).events(events))  # type: ignore[no-any-return]

    async def forget(self, user: str) -> int:
        """Erase a user, the numbers stay; how many events were theirs."""
        return await self.send(requests.forget(user))  # type: ignore[no-any-return]

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: Any) -> None:
        await self.close()

    async def send(self, request: Request) -> Any:
        """Send until it is answered or the time is over."""
        tries = Tries(max(self.timeout, request.patience), len(self._addresses))
        while True:
            url = self._addresses.here
            try:
                return await self._once(url, request, tries.left)
            except (self._failed, CannotStore) as error:
                failed: Exception = error
            self._addresses.leave(url)
            pause = tries.pause()
            if pause is None:
                return give_up(request, failed)
            await asyncio.sleep(pause)

    async def _once(self, url: str, request: Request, seconds: float) -> Any:
        wait = httpx().Timeout(0.75 * seconds, connect=0.25 * seconds)  # connecting and reading add up
        method, path, content = request.method, url + request.path, request.content()
        response = await self._http.request(method, path, content=content, timeout=wait)
        return read(request, response.status_code, response.content)


class AsyncExperiment:
    """One experiment by its name: the verbs of `duelist.live`."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self.client, self.name = client, name
        self._make = Requests(name, client.fallback)

    async def start(self) -> None:
        """Let people in."""
        await self.client.send(self._make.step("start"))

    async def pause(self) -> None:
        """Show the default to everybody, for a while."""
        await self.client.send(self._make.step("pause"))

    async def stop(self) -> None:
        """End it; from now on everybody gets the winner."""
        await self.client.send(self._make.step("stop"))

    async def new_version(self, definition: Mapping[str, Any], warm: bool = True) -> None:
        """Change it; `warm`: what was learnt of the arms that stay is kept."""
        await self.client.send(self._make.new_version(definition, warm))

    async def ask(
        self, user: str | None = None, key: str | None = None, allowed: Collection[str] | None = None
    ) -> Asked:
        """Two arms to show."""
        return await self.client.send(self._make.ask(user, key, allowed))  # type: ignore[no-any-return]

    async def question(self, user: str | None = None, key: str | None = None) -> Question:
        """Two contents to show to somebody who votes; its id goes to `tell`."""
        return await self.client.send(self._make.question(user, key))  # type: ignore[no-any-return]

    async def tell(self, id: str | None, winner: str | None = None, outcome: float | None = None) -> Told:
        """How a duel ended; of one without an id there is nothing to tell."""
        if id is None:
            return Told(None, False)
        return await self.client.send(self._make.tell(id, winner, outcome))  # type: ignore[no-any-return]

    async def interleave(self, rankings: Mapping[str, Sequence[Any]], **given: Any) -> Page:
        """A page of several rankers' documents: user, query, of, length, page, key."""
        return await self.client.send(self._make.interleave(rankings, given))  # type: ignore[no-any-return]

    async def rank(self, documents: Iterable[tuple[Any, Sequence[float]]], **given: Any) -> Page:
        """A page of documents, each (id, features), by a learner: user, query, length, key."""
        return await self.client.send(self._make.rank(documents, given))  # type: ignore[no-any-return]

    async def click(self, id: str | None, document: Any = None, position: int | None = None, **given: Any) -> str:
        """What became of a click: accepted, repeated, late, unknown, or "away" where the fallback answered."""
        if id is None:
            return "unknown"
        return await self.client.send(self._make.click(id, document, position, given))  # type: ignore[no-any-return]

    async def status(self) -> dict[str, Any]:
        """What is known, as plain values."""
        return await self.client.send(self._make.status())  # type: ignore[no-any-return]
