"""What the service costs, beside a bare Starlette echo in the same run.

CPU is that of the server's process, and its ratio to the echo's is what carries over from one machine to another.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from duelist.bench.load import Measured, Says, Script, measure, request
from duelist.bench.servers import Server, ended, serving
from duelist.bench.stores import KINDS, check_kinds, running_store
from duelist.client import Client
from duelist.core.errors import BadInput, MissingExtra
from duelist.core.progress import progress_bar
from duelist.present.tables import Table

ENVIRONMENT = {"DUELIST_COMPILE_APART": "false"}  # nobody waits while experiments are defined
KINDS_OF_REQUESTS = 5
LISTS = 400  # that are clicked
LENGTH = 20
MANY = 100  # events of one request
TWO = "ask + tell, 2 servers"  # on one journal
GOALS = {"ask + tell": 2.6, "event": 2.3}  # times the echo's CPU a request
EVENTS_A_SECOND = 80_000
ARMS = ("bm25", "ltr", "vector", "dense", "hybrid", "old")
DOCUMENTS = [f"document {n}" for n in range(3 * LENGTH)]

# The least that a service on Starlette could do.
ECHO = """
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def echo(request):
    return Response(await request.body(), media_type="application/json")

app = Starlette(routes=[Route("/v1/experiments/{name}/ask", echo, methods=["POST"])])
uvicorn.run(app, port=0, access_log=False, log_level="info")
"""


def bench_service(
    seconds: float = 3.0, connections: int = 32, journals: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """A row for each journal and kind of request: how many a second, how long they waited, and CPU beside the echo's.

    The journals are sqlite, postgres and nats; by default all that can be started here.
    """
    if seconds <= 0 or connections < 1:
        raise BadInput(f"seconds and connections must be more than 0, not {seconds!r}, {connections!r}")
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra(f"the service needs {error.name}: pip install 'duelist[service]'") from error
    kinds = check_kinds(journals)
    with (
        TemporaryDirectory() as folder,
        ended(Server([sys.executable, "-c", ECHO], Path(folder, "echo.log"))) as echo,
        progress_bar("bench", len(kinds) * KINDS_OF_REQUESTS) as advance,
    ):
        return [row for kind in kinds for row in _measure(kind, echo.address(), seconds, connections, advance)]


def _measure(
    kind: str, echo: tuple[int, int], seconds: float, connections: int, advance: Callable[[int], None]
) -> Iterator[dict[str, Any]]:
    """The rows of one journal."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        store = stack.enter_context(running_store(kind, folder))
        service = stack.enter_context(serving(store.url, folder / "service.log", **ENVIRONMENT)).address()
        lists = _prepare(f"http://127.0.0.1:{service[0]}")
        scripts: list[tuple[str, Script, int]] = [
            ("ask + tell", _duels, 1),
            ("event", lambda n: _events(lists, n, connections, 1), 1),
            (f"{MANY} events", lambda n: _events(lists, n, connections, MANY), MANY),
            (f"interleave 2 x {LENGTH}", _lists, 1),
            (TWO, _duels, 1),
        ]
        busy = [service]
        for what, script, events in scripts:
            if what == TWO:  # last: beside another server that follows, one alone is slower
                another = serving(store.url, folder / "another.log", **ENVIRONMENT)
                busy.append(stack.enter_context(another).address())
            bare = measure([echo], _echo, seconds / 2, connections)
            before = store.cpu()
            found = measure(busy, script, seconds, connections)
            spent = store.cpu() - before
            advance(1)
            yield {"journal": kind, **_row(what, found, bare, events, spent)}


def _row(what: str, found: Measured, bare: Measured, events: int, spent: float) -> dict[str, Any]:
    return {
        "what": what,
        "requests_a_second": found.requests / found.seconds,
        "events_a_second": events * found.requests / found.seconds,
        "events_a_cpu_second": events * found.requests / found.cpu,
        "p50_ms": found.wait(0.5),
        "p99_ms": found.wait(0.99),
        "cpu_us": found.cpu_us,
        "echo_cpu_us": bare.cpu_us,
        "store_cpu_us": 1e6 * spent / found.requests,
        "ratio": found.cpu_us / bare.cpu_us,
        "goal": GOALS.get(what),
    }


def _prepare(url: str) -> list[str]:
    """Two experiments, warm, and lists to click on."""
    with Client(url, timeout=60) as client:
        duels = client.define({"name": "duels", "kind": "arms", "arms": ARMS, "policy": "rucb"})
        duels.start()
        pair = client.define({"name": "pair", "kind": "pair", "arms": ARMS[:2], "length": LENGTH})
        pair.start()
        rankings = {"bm25": DOCUMENTS[:LENGTH], "ltr": DOCUMENTS[LENGTH // 2 :][:LENGTH]}
        pages = [pair.interleave(rankings) for _ in range(LISTS)]
        pair.click(pages[0].id, position=0)
        duels.tell(duels.ask().id, outcome=1)
    return [str(page.id) for page in pages]


# What connections say.


def _echo(number: int) -> Says:
    whole = request("/v1/experiments/duels/ask", b'{"user":"user %d"}' % number)
    while True:
        yield whole


def _duels(number: int) -> Says:
    ask = request("/v1/experiments/duels/ask", b'{"user":"user %d"}' % number)
    while True:
        asked = msgspec.json.decode((yield ask))
        told = msgspec.json.encode({"id": asked["id"], "winner": min(asked["left"], asked["right"])})
        yield request("/v1/experiments/duels/tell", told)


def _events(lists: list[str], number: int, connections: int, many: int) -> Says:
    """Clicks, each on another document as long as there are others; the same ones come again later."""
    events = [
        b'{"impression":"%s","position":%d}' % (each.encode(), place)
        for place in range(LENGTH)
        for each in lists[number::connections]
    ]
    bodies = [b"[%s]" % b",".join((events * 2)[n : n + many]) for n in range(0, len(events), many)]
    whole = [request("/v1/events", body) for body in bodies]
    while True:
        for each in whole:  # noqa: UP028 - a list takes no answers
            yield each


def _lists(number: int) -> Says:
    rankings = {"bm25": DOCUMENTS[:LENGTH], "ltr": DOCUMENTS[LENGTH // 2 :][:LENGTH]}
    body = msgspec.json.encode({"user": f"user {number}", "query": "jazz", "rankings": rankings})
    whole = request("/v1/experiments/pair/interleave", body)
    while True:
        yield whole


def service_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a row."""
    lines = [
        [
            row["journal"],
            row["what"],
            f"{row['requests_a_second']:,.0f}",
            f"{row['events_a_second']:,.0f}",
            f"{row['p50_ms']:.1f}",
            f"{row['p99_ms']:.1f}",
            f"{row['cpu_us']:.0f}",
            f"{row['echo_cpu_us']:.0f}",
            f"{row['ratio']:.2f}",
            f"{row['goal']:g}" if row["goal"] and row["journal"] == "sqlite" else "",
            f"{row['store_cpu_us']:.0f}",
        ]
        for row in rows
    ]
    heads = [
        "journal",
        "what",
        "requests/s",
        "events/s",
        "p50 ms",
        "p99 ms",
        "CPU us",
        "echo's",
        "ratio",
        "goal",
        "store's",
    ]
    left = [kind for kind in KINDS if all(row["journal"] != kind for row in rows)]
    notes = [f"Left out: {', '.join(left)}."] if left else []
    return Table(heads, lines, notes, "CPU microseconds a request: the service, an echo, the store's own servers")
