"""What pages ask for. Every answer is made of aggregates: none reads the journal from its beginning."""

from __future__ import annotations

import inspect
from typing import Any
from urllib.parse import parse_qs

import msgspec

from duelist.core.errors import DuelistError
from duelist.core.registry import find_family
from duelist.live.definition import Definition
from duelist.live.kinds import make_state
from duelist.service import schemas, view_schemas
from duelist.service.endpoints import Call, Reply
from duelist.service.errors import Refused, failure_of
from duelist.service.rehearsal import read_definition
from duelist.service.service import Service
from duelist.service.stream import changes, check_room

EVENT_STREAM = b"text/event-stream"


async def listing(service: Service, call: Call) -> schemas.Listing:
    await service.catch_up()
    names, summary = service.experiments.names(), service.views.summary
    # One by one, so that nobody waits for all of them.
    return schemas.Listing(await service.aside(lambda: [schemas.Summary(**summary(name)) for name in names]))


async def insight(service: Service, call: Call) -> Any:
    await service.catch_up()
    return await service.aside(lambda: service.views.insight(call.name))


async def history(service: Service, call: Call) -> Any:
    await service.catch_up()
    return await service.aside(lambda: service.views.history(call.name))


async def impressions(service: Service, call: Call) -> Any:
    await service.catch_up()
    return {"impressions": await service.aside(lambda: service.views.recent(call.name))}


async def explain(service: Service, call: Call) -> Any:
    found = parse_qs(call.query.decode("latin-1")).get("id", [])
    if len(found) != 1:
        raise Refused(422, "invalid", "id must be given once: that of a list or a duel", "id")
    await service.catch_up()
    return await service.aside(lambda: service.views.explain(call.name, found[0]))


async def check(service: Service, call: Call) -> view_schemas.Checked:
    """As `define` would check it, without defining anything; what is wrong is an answer and no failure."""

    def look() -> view_schemas.Checked:
        try:
            given = msgspec.convert(call.given.definition, Definition)
            definition = read_definition(msgspec.to_builtins(given))
            make_state(0, definition, 0, service.experiments.journal.get)
        except (msgspec.ValidationError, DuelistError) as error:
            return view_schemas.Checked(error=failure_of(error, Definition.__struct_fields__).error.error)
        known = service.experiments.fold.current(definition.name) is not None
        return view_schemas.Checked(definition, known=known)

    await service.catch_up()
    return await service.aside(look)


async def choices(service: Service, call: Call) -> view_schemas.Choices:
    return view_schemas.Choices(*(_choices(family) for family in ("policy", "learner", "method")))


def _choices(family: str) -> list[view_schemas.Choice]:
    """The names of a family, with the first line of what is written about each."""
    registry = find_family(family)
    found = []
    for name in registry:
        about = (inspect.getdoc(registry.get(name)) or "").partition("\n")[0]
        found.append(view_schemas.Choice(name, about))
    return found


async def stream(service: Service, call: Call) -> Reply:
    check_room(service)
    return Reply(changes(service), kind=EVENT_STREAM)
