"""The OpenAPI 3.1 document, made of the routes and their schemas."""

from __future__ import annotations

from typing import Any

import msgspec

from duelist import __version__
from duelist.service.endpoints import MOST_LINES, Route
from duelist.service.errors import Error
from duelist.service.routes import ROUTES
from duelist.service.schemas import Event, Events

REF = "#/components/schemas/{name}"
MEANINGS = {
    400: "not JSON",
    401: "a token is needed, or not known",
    403: "this token may not do it",
    404: "no such experiment, list or duel",
    409: "in the way of what is there",
    413: "too large",
    422: "a field that cannot be used",
    429: "a limit is reached",
    503: "try again later",
}
JSON = "application/json"


def openapi() -> dict[str, Any]:
    """The whole document.

    >>> sorted(openapi()["paths"])[:2]
    ['/healthz', '/metrics']
    """
    taken = [route.takes for route in ROUTES if route.takes not in (None, bytes)]
    kinds = [*taken, *(route.answers for route in ROUTES if route.answers), Event, Events, Error]
    schemas, components = msgspec.json.schema_components(dict.fromkeys(kinds), ref_template=REF)
    found = dict(zip(dict.fromkeys(kinds), schemas, strict=True))
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, found)
    return {
        "openapi": "3.1.0",
        "info": {"title": "duelist", "version": __version__, "description": "Experiments that live, over HTTP."},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(route: Route, schemas: dict[Any, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"summary": route.summary, "operationId": _operation_id(route), "responses": {}}
    if route.role:
        made["security"] = [{"token": []}, {}]
    if "{name}" in route.path:
        name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        made["parameters"] = [name]
    if route.path.endswith("/explain"):
        made["parameters"].append({"name": "id", "in": "query", "required": True, "schema": {"type": "string"}})
    if route.path.endswith("/events") and route.method == "GET":
        made["parameters"] += [_number("after", 0, 2**62), _number("limit", 1, MOST_LINES)]
    if route.takes is not None:
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": _body(route, schemas)}}}
    for status in route.status:
        made["responses"][str(status)] = {"description": "done", "content": _content(route, schemas)}
    for status, meaning in MEANINGS.items():
        made["responses"][str(status)] = {"description": meaning, "content": {JSON: {"schema": schemas[Error]}}}
    return made


def _operation_id(route: Route) -> str:
    words = [part for part in route.path.split("/") if part not in ("", "v1", "{name}")]
    return "_".join([route.method.lower(), *words, *(["one"] if "{name}" in route.path else [])])


def _number(name: str, least: int, most: int) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": "integer", "minimum": least, "maximum": most}}


def _body(route: Route, schemas: dict[Any, Any]) -> Any:
    if route.takes is bytes:
        return {"anyOf": [schemas[Event], {"type": "array", "items": schemas[Event]}, schemas[Events]]}
    return schemas[route.takes]


def _content(route: Route, schemas: dict[Any, Any]) -> dict[str, Any]:
    if route.answers is not None:
        return {JSON: {"schema": schemas[route.answers]}}
    kinds = {"events": "application/jsonl", "stream": "text/event-stream"}
    return {kinds.get(route.path.rpartition("/")[2], "text/plain"): {"schema": {"type": "string"}}}
