"""What each route does. A handler gets the service and a call, and returns an answer of schemas.py, or a Reply."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import msgspec

from duelist.live import events
from duelist.live.events import DUEL, EVERYWHERE, body_of, view_of
from duelist.live.state import State
from duelist.service import schemas
from duelist.service.clicks import read_events
from duelist.service.errors import LOG, Refused
from duelist.service.rehearsal import read_definition
from duelist.service.service import Service
from duelist.storage.journal import CHUNK, Event

MOST_LINES = 100_000


class Call(NamedTuple):
    """A request, as far as a handler cares."""

    name: str  # of the experiment, where the address has one
    given: Any  # the body, of the route's schema
    by: str
    query: bytes = b""


class Reply(NamedTuple):
    """An answer that is not simply 200 with JSON."""

    body: Any  # of schemas.py, bytes, or chunks that come one after the other
    status: int = 200
    kind: bytes = b"application/json"


Handler = Callable[[Service, Call], Awaitable[Any]]


class Route(NamedTuple):
    """A line of the contract."""

    method: str
    path: str
    role: str  # who may; empty for everybody
    handler: Handler
    summary: str
    takes: Any = None  # the schema of the body; bytes for a body that the handler reads itself
    answers: Any = None  # the schema of the answer
    status: tuple[int, ...] = (200,)


# Experiments.


async def define(service: Service, call: Call) -> Reply:
    definition = read_definition(msgspec.to_builtins(call.given))
    state, new = await service.define(definition, call.by, None)
    return Reply(_standing(state), 201 if new else 200)


async def new_version(service: Service, call: Call) -> Reply:
    given = msgspec.to_builtins(call.given) | {"name": call.name}
    if call.given.name not in ("", call.name):
        raise Refused(422, "invalid", f"name must be {call.name!r} as in the address", "name")
    warm = given.pop("warm")
    state, new = await service.define(read_definition(given), call.by, warm)
    return Reply(_standing(state), 201 if new else 200)


def step(verb: str) -> Handler:
    """Start, pause or stop."""

    async def handler(service: Service, call: Call) -> schemas.Standing:
        state = await service.carry_out(lambda: service.experiments.plan_step(call.name, verb, call.by))
        LOG.info(verb, extra={"experiment": call.name, "by": call.by})
        return _standing(state)

    return handler


def _standing(state: State) -> schemas.Standing:
    return schemas.Standing(state.definition.name, state.version, state.phase)


async def status(service: Service, call: Call) -> Any:
    await service.catch_up()
    return await service.aside(lambda: service.experiments.status(call.name))


# Verbs.


async def ask(service: Service, call: Call) -> schemas.Asked:
    given: schemas.Ask = call.given
    asked = await service.carry_out(
        lambda: service.verbs_to_draw(call.name).ask(given.user, given.key, given.allowed)  # type: ignore[arg-type]
    )
    return schemas.Asked(*asked)


async def tell(service: Service, call: Call) -> schemas.Told:
    given: schemas.Tell = call.given
    told = await service.carry_out(lambda: service.verbs(call.name).tell(given.id, given.winner, given.outcome))
    return schemas.Told(*told)


async def interleave(service: Service, call: Call) -> schemas.Page:
    given: schemas.Interleave = call.given
    page = await service.carry_out(
        lambda: service.verbs_to_draw(call.name).interleave(
            given.rankings,
            given.user,  # type: ignore[arg-type]
            given.query,
            given.of,
            given.length,
            given.page,
            given.key,
        )
    )
    return schemas.Page(*page)


async def rank(service: Service, call: Call) -> schemas.Ranking:
    given: schemas.Rank = call.given
    documents = [(document.id, document.features) for document in given.documents]
    page = await service.carry_out(
        lambda: service.verbs_to_draw(call.name).rank(
            documents,
            given.user,  # type: ignore[arg-type]
            given.query,
            given.length,
            given.key,
        )
    )
    return schemas.Ranking(page.id, page.ranking)


async def take_events(service: Service, call: Call) -> schemas.Tally:
    found, tally = read_events(call.given, service.settings.max_events)
    return await service.carry_out(lambda: service.clicks.plan(found, tally))  # type: ignore[no-any-return]


async def forget(service: Service, call: Call) -> schemas.Forgotten:
    events = await service.door.run(lambda: service.experiments.forget(call.given.user))
    LOG.info("forgot", extra={"events": events, "by": call.by})
    return schemas.Forgotten(events)


# Events as lines.


async def lines(service: Service, call: Call) -> Reply:
    asked = parse_qs(call.query.decode("latin-1"), keep_blank_values=True)
    after, limit = (_whole(asked, name, least, most) for name, least, most in LIMITS)
    await service.catch_up()
    service.experiments.state(call.name)
    numbers = {*service.experiments.fold.versions[call.name]}
    return Reply(_chunks(service, numbers, after, limit or 1000), kind=b"application/jsonl")


LIMITS = (("after", 0, 2**62), ("limit", 1, MOST_LINES))


def _whole(asked: dict[str, list[str]], name: str, least: int, most: int) -> int:
    texts = asked.get(name, [])
    if not texts:
        return 0
    if len(texts) != 1 or not texts[0].isdecimal() or len(texts[0]) > 19 or not least <= int(texts[0]) <= most:
        raise Refused(422, "invalid", f"{name} must be a whole number from {least} to {most}, not {texts[-1]!r}", name)
    return int(texts[0])


async def _chunks(service: Service, numbers: set[int], after: int, left: int) -> AsyncIterator[bytes]:
    while left > 0:
        chunk = await service.aside(lambda: service.experiments.journal.read(after, CHUNK))  # noqa: B023
        if not chunk:
            return
        mine = [event for event in chunk if event.experiment in numbers or event.seq in numbers][:left]
        left -= len(mine)
        after = chunk[-1].seq
        yield b"".join(_line(event) for event in mine)


def _line(event: Event) -> bytes:
    body: Any = body_of(event) if event.body else None
    if event.kind == events.DRAWN:
        plain = body._asdict() | (view_of(event)._asdict() if len(event.body) > DUEL.size else {})
    elif event.kind == events.TOLD:
        plain = {"of": body[0], "outcome": body[1]}
    else:
        plain = {name: msgspec.to_builtins(getattr(body, name)) for name in body.__struct_fields__}
    experiment = event.seq if event.experiment == EVERYWHERE else event.experiment
    line = {"seq": event.seq, "at": event.at, "kind": event.kind, "version": experiment, "user": event.user.hex()}
    return schemas.ENCODER.encode({**line, "body": plain}) + b"\n"


# The service itself.


async def alive(service: Service, call: Call) -> schemas.Health:
    return schemas.Health("ok", service.experiments.fold.seq if service.ready else 0)


async def readiness(service: Service, call: Call) -> schemas.Health:
    if not service.ready:
        raise Refused(503, "starting", "the journal is being folded")
    await service.catch_up()
    return schemas.Health("ok", service.experiments.fold.seq)


async def metrics(service: Service, call: Call) -> Reply:
    await service.catch_up()
    service.metrics.waiting, service.metrics.commits = service.door.waiting, service.door.commits
    page = await service.aside(lambda: service.metrics.page(service.experiments))
    return Reply(page, kind=b"text/plain; version=0.0.4; charset=utf-8")
