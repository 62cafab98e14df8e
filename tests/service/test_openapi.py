"""The document says what the service does: schemathesis makes requests of it and finds no contradiction."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from duelist.service.app import App
from duelist.service.openapi import openapi
from duelist.service.routes import ROUTES
from duelist.service.settings import Settings

from .helpers import ARMS, ONE, PAIR, RANKINGS, WEIGHTS

QUIET = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
)


HTTP = httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A service with experiments in it, in a thread."""
    config = uvicorn.Config(App(Settings(journal="memory://", compile_apart=False)), port=0, log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    for definition in (ARMS, PAIR, WEIGHTS):
        HTTP.post(f"{address}/v1/experiments", json=definition).raise_for_status()
        HTTP.post(f"{address}/v1/experiments/{definition['name']}/start").raise_for_status()
    HTTP.post(f"{address}{ONE}/interleave", json={"rankings": RANKINGS}).raise_for_status()
    yield address
    server.should_exit = True
    thread.join(10)


def test_every_route_is_in_the_document() -> None:
    paths = openapi()["paths"]
    assert {(route.method.lower(), route.path) for route in ROUTES} == {
        (method, path) for path, methods in paths.items() for method in methods
    }


OPERATIONS = [f"{route.method} {route.path}" for route in ROUTES if not route.path.endswith(("/stop", "/stream"))]
MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)


def document() -> dict[str, Any]:
    """The document, with names of experiments that are there, mostly."""
    made = openapi()
    for methods in made["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path":
                    parameter["schema"] = {"enum": ["search", "pair", "weights", "none"]}
    return made


@pytest.mark.parametrize("operation", OPERATIONS)
def test_schemathesis_finds_no_contradiction(url: str, operation: str) -> None:
    method, path = operation.split()
    schema = schemathesis.openapi.from_dict(document())
    schema.config.update(base_url=url)
    slow = path == "/v1/experiments" or path.endswith("versions")  # what is defined is rehearsed
    plain = "{name}" not in path and method == "GET"  # nothing can be wrong with it
    tried, ways = list[str](), MODES[: 1 if plain else 2]
    for mode in ways:
        cases = schema[path][method].as_strategy(generation_mode=mode)

        @seed(1)
        @settings(QUIET, max_examples=5 if slow else 15, phases=[Phase.generate])
        @given(case=cases)
        def check(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(checks=[*CHECKS])
            tried.append(case.path)

        check()
        assert tried, mode  # something was sent, and nothing contradicted the document
        tried.clear()


@seed(1)
@settings(QUIET, max_examples=200)
@given(body=st.binary(max_size=200) | st.text(alphabet='[]{}",:0123456789.-eEtrufalsn \\"dimposention', max_size=200))
def test_no_bytes_are_too_strange_for_the_reader_of_events(url: str, body: bytes | str) -> None:
    answer = HTTP.post(f"{url}/v1/events", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400, 413, 422), answer.text
