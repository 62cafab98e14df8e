"""Every verb as a request: what is sent, how its answer is read, and what is answered when there is none."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from duelist.client.answers import Asked, Page, Question, Tally, Told
from duelist.core.errors import (
    AlreadyDefined,
    BadInput,
    CannotStore,
    DuelistError,
    MissingExtra,
    NotAllowed,
    Overloaded,
    UnknownName,
    Unreachable,
)

TRIES = 3
PAUSE = 0.05  # seconds before the second try; then twice that
PATIENCE = 120.0  # for a definition, which may have to be compiled
LENGTH = 10  # of a page of the fallback
HEADERS = {"Content-Type": "application/json"}

Fallback = bool | str  # whether there is one; a name: the arm to show then


class Request(NamedTuple):
    """One call."""

    method: str
    path: str
    body: Any
    read: Callable[[dict[str, Any]], Any]
    instead: Callable[[], Any] | None = None
    patience: float = 0.0  # seconds, where it needs more than others

    def content(self) -> bytes | None:
        """The body as it is sent."""
        return None if self.body is None else msgspec.json.encode(self.body)


class Requests:
    """The verbs of one experiment."""

    def __init__(self, name: str, fallback: Fallback) -> None:
        self.name, self.fallback = name, fallback

    def step(self, step: str) -> Request:
        return Request("POST", self._path(step), None, dict)

    def new_version(self, definition: Mapping[str, Any], warm: bool) -> Request:
        return Request("POST", self._path("versions"), {**definition, "warm": warm}, dict, patience=PATIENCE)

    def status(self) -> Request:
        return Request("GET", self._path(), None, dict)

    def ask(self, user: str | None, key: str | None, allowed: Collection[str] | None) -> Request:
        body = _given(user=user, key=key or new_key(), allowed=None if allowed is None else list(allowed))
        arm = self._arm(allowed or ())
        instead = self._or(lambda: Asked(None, arm, arm, True)) if arm else None
        return Request("POST", self._path("ask"), body, lambda found: Asked(**found), instead)

    def question(self, user: str | None, key: str | None) -> Request:
        body = {"user": user or new_key(), "key": key or new_key()}  # nobody's name: asked as somebody new
        instead = self._or(lambda: Question(None, why="away", fallback=True))
        return Request("POST", self._path("question"), body, _question, instead)

    def tell(self, id: str, winner: str | None, outcome: float | None) -> Request:
        body = _given(id=id, winner=winner, outcome=outcome)
        instead = self._or(lambda: Told(id, False, fallback=True))
        return Request("POST", self._path("tell"), body, lambda found: Told(**found), instead)

    def interleave(self, rankings: Mapping[str, Sequence[Any]], given: dict[str, Any]) -> Request:
        body = {"key": new_key(), "rankings": {arm: list(each) for arm, each in rankings.items()}, **_given(**given)}

        def instead() -> Page:
            wanted = self._arm(rankings)
            arm = wanted if wanted in rankings else next(iter(rankings), "")
            length, page = given.get("length") or LENGTH, given.get("page") or 1
            begin = length * (page - 1)
            return Page(None, tuple(rankings.get(arm, ())[begin : begin + length]), page, (arm,), True)

        return Request("POST", self._path("interleave"), body, _page, self._or(instead))

    def rank(self, documents: Iterable[tuple[Any, Sequence[float]]], given: dict[str, Any]) -> Request:
        pairs = list(documents)
        candidates = [{"id": document, "features": [*map(float, row)]} for document, row in pairs]
        first = tuple(document for document, _ in pairs)[: given.get("length") or LENGTH]
        instead = self._or(lambda: Page(None, first, fallback=True))
        body = {"key": new_key(), "documents": candidates, **_given(**given)}
        return Request("POST", self._path("rank"), body, _page, instead)

    def click(self, id: str, document: Any, position: int | None, given: dict[str, Any]) -> Request:
        event = _given(impression=id, document=document, position=position, **given)
        return Request("POST", "/v1/events", event, _verdict, self._or(lambda: "away"))

    def events(self, events: Iterable[Mapping[str, Any]]) -> Request:
        """Of any experiment."""
        instead = self._or(lambda: Tally(fallback=True))
        return Request("POST", "/v1/events", list(events), lambda found: Tally(**found), instead)

    def _path(self, *more: str) -> str:
        return "/".join(["/v1/experiments", quote(self.name, safe=""), *more])

    def _or(self, answer: Callable[[], Any]) -> Callable[[], Any] | None:
        return answer if self.fallback else None

    def _arm(self, known: Collection[str]) -> str:
        """The arm to show while the service is away."""
        return self.fallback if isinstance(self.fallback, str) else next(iter(known), "")


def define(definition: Mapping[str, Any]) -> Request:
    """A new experiment."""
    return Request("POST", "/v1/experiments", dict(definition), dict, patience=PATIENCE)


def listing() -> Request:
    """All experiments."""
    return Request("GET", "/v1/experiments", None, lambda found: found["experiments"])


def forget(user: str) -> Request:
    """Erase a user."""
    return Request("POST", "/v1/users/forget", {"user": user}, lambda found: found["forgotten"])


def new_key() -> str:
    """A key of one request and its retries."""
    return secrets.token_hex(12)


def read(request: Request, status: int, body: bytes) -> Any:
    """The answer, or the error that the service says it is."""
    if status < 300:
        return request.read(msgspec.json.decode(body))
    try:
        error = msgspec.json.decode(body)["error"]
        code, message = error["code"], error["message"]
    except (msgspec.DecodeError, KeyError, TypeError):
        code, message = "", f"the service answered with status {status}"
    kinds: dict[int, type[DuelistError]] = {
        401: NotAllowed,
        403: NotAllowed,
        404: UnknownName,
        409: AlreadyDefined,
        429: Overloaded,
    }
    if status >= 500:
        raise (Overloaded if code == "overloaded" else CannotStore)(message)
    raise kinds.get(status, BadInput)(message)


class Addresses:
    """Servers of one service: whoever does not get an answer from one asks the next.

    >>> servers = Addresses(["http://one:8080", "http://two:8080/"])
    >>> first = servers.here
    >>> servers.leave(first)
    >>> servers.here == first, len(servers)
    (False, 2)
    """

    def __init__(self, urls: str | Sequence[str]) -> None:
        self._urls = [url.rstrip("/") for url in ([urls] if isinstance(urls, str) else urls)]
        if not self._urls:
            raise BadInput("a client needs the address of a service, such as http://127.0.0.1:8080, not none")
        self._place = secrets.randbelow(len(self._urls))  # clients spread over the servers

    def __len__(self) -> int:
        return len(self._urls)

    @property
    def here(self) -> str:
        """The one to ask."""
        return self._urls[self._place]

    def leave(self, url: str) -> None:
        """Ask another one from now on, unless that is done already."""
        if url == self.here:
            self._place = (self._place + 1) % len(self._urls)


class Tries:
    """When to send again, and when to give up: all tries together take so many seconds."""

    def __init__(self, seconds: float, servers: int = 1) -> None:
        self.until, self.count, self.most = time.monotonic() + seconds, 0, TRIES + servers - 1

    @property
    def left(self) -> float:
        """Seconds."""
        return max(0.001, self.until - time.monotonic())

    def pause(self) -> float | None:
        """Seconds to wait before the next try; None if there is to be none."""
        self.count += 1
        pause = PAUSE * 2 ** (self.count - 1)
        return pause if self.count < self.most and pause < self.left else None


def give_up(request: Request, failed: Exception) -> Any:
    """The fallback's answer, or the error."""
    if request.instead is not None:
        return request.instead()
    if isinstance(failed, DuelistError):
        raise failed
    raise Unreachable(f"the service did not answer {request.method} {request.path}: {failed!r}") from failed


def httpx() -> Any:
    """The library that speaks HTTP."""
    try:
        import httpx
    except ImportError as error:
        raise MissingExtra("the client needs httpx: pip install 'duelist[service]'") from error
    return httpx


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _question(found: dict[str, Any]) -> Question:
    return Question(**{name: value for name, value in found.items() if name in Question._fields})


def _page(found: dict[str, Any]) -> Page:
    return Page(**{**found, "ranking": tuple(found["ranking"]), "arms": tuple(found.get("arms", ()))})


def _verdict(found: dict[str, Any]) -> str:
    """What became of one event."""
    if found["rejected"]:
        raise BadInput(found["reason"])
    return next(name for name in ("accepted", "repeated", "late", "unknown", "ignored") if found[name])
