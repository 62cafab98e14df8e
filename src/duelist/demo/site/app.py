"""The search site as an ASGI application. What people click goes to the service like everybody's clicks."""

from __future__ import annotations

import secrets
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from duelist.core.errors import DuelistError
from duelist.demo.experiments import ARMS, DRIFTING
from duelist.demo.run import Demo
from duelist.demo.site.pages import CHOICES, ROOT, document_page, link, problem_page, results_page
from duelist.demo.site.results import search
from duelist.demo.tastes import find_taste
from duelist.search.engine import RANKERS

COOKIE = "duelist-visitor"
LONGEST, LARGEST = 200, 10_000  # characters of a query, bytes of a form
HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}
FILES = {"style.css": "text/css", "script.js": "text/javascript"}


class Site:
    """The routes, over a demo that is under way."""

    def __init__(self, demo: Demo) -> None:
        self.demo, self.crowd = demo, demo.crowd
        self.engine, self.client = demo.crowd.world.engine, demo.crowd.client

    def app(self) -> Starlette:
        """The application; all of it is below /search."""
        routes = [
            Route(ROOT, self.results),
            Route(f"{ROOT}/open", self.open),
            Route(f"{ROOT}/page", self.document),
            Route(f"{ROOT}/state", self.tell_state),
            Route(f"{ROOT}/control", self.control, methods=["POST"]),
            *(Route(f"{ROOT}/{name}", self.file) for name in FILES),
        ]
        handlers = {HTTPException: self.not_here, DuelistError: self.failed}
        return Starlette(routes=routes, exception_handlers=handlers)  # type: ignore[arg-type]

    def state(self) -> dict[str, Any]:
        """What the strip says."""
        crowd, standings = self.crowd, self.demo.standings()
        return {
            "visitors": f"{crowd.visitors:,}",
            "speed": "paused" if crowd.pace.paused else f"{crowd.pace.rate:g}",
            "taste": find_taste(crowd.need.taste).says,
            ARMS: standings[ARMS],
            DRIFTING: standings[DRIFTING],
            "right": RANKERS[crowd.need.truth.best],
            "paused": crowd.pace.paused,
        }

    async def results(self, request: Request) -> Response:
        """A page of results."""
        query, by = _query(request)
        user = request.cookies.get(COOKIE, "")[:100] or secrets.token_hex(8)
        shown = await search(self.crowd, query, by, f"person {user}")
        answer = self._page(results_page(shown, self.state()))
        answer.set_cookie(COOKIE, user, path=ROOT, httponly=True, samesite="lax")
        return answer

    async def open(self, request: Request) -> Response:
        """A click: reported to the service, and then the page that was clicked."""
        query, by = _query(request)
        name = request.query_params.get("document", "")
        if name not in self.engine.by_name:
            raise HTTPException(404)
        await self.client[by].click(request.query_params.get("list", "")[:40], document=name)
        return RedirectResponse(link("/page", name=name, q=query or None, by=by), 303, HEADERS)

    async def document(self, request: Request) -> Response:
        """One document."""
        document = self.engine.by_name.get(request.query_params.get("name", ""))
        if document is None:
            raise HTTPException(404)
        return self._page(document_page(document, *_query(request), self.state()))

    async def tell_state(self, request: Request) -> Response:
        """The strip as values, for the script."""
        return JSONResponse(self.state(), headers=HEADERS)

    async def control(self, request: Request) -> Response:
        """Faster, slower, a pause, another taste. Pages of other sites may not."""
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HTTPException(403)
        given = parse_qs((await _body(request)).decode("utf-8", "replace"))
        what = given.get("do", [""])[0]
        if what == "pause":
            self.crowd.pace.paused = not self.crowd.pace.paused
        elif what in ("faster", "slower"):
            self.crowd.pace.step(1 if what == "faster" else -1)
        elif what == "taste":
            self.crowd.change_taste()
        else:
            raise HTTPException(422)
        if "application/json" in request.headers.get("accept", ""):
            return await self.tell_state(request)
        back = given.get("back", [""])[0]
        return RedirectResponse(back if back == ROOT or back.startswith(f"{ROOT}?") else ROOT, 303, HEADERS)

    async def file(self, request: Request) -> Response:
        """The style and the script."""
        name = request.url.path.rpartition("/")[2]
        return Response((files(__package__) / name).read_bytes(), 200, HEADERS, FILES[name])

    async def not_here(self, request: Request, error: HTTPException) -> Response:
        """An answer to what cannot be done."""
        said = {403: "Only this site may do that.", 422: "There is no such button.", 413: "That is too much."}
        problem = said.get(error.status_code, "There is no such page.")
        return self._page(problem_page(problem, self.state()), error.status_code)

    async def failed(self, request: Request, error: DuelistError) -> Response:
        """The service refused, or is away."""
        return self._page(problem_page(f"The service says: {error}", self.state()), 503)

    def _page(self, html: str, status: int = 200) -> Response:
        return HTMLResponse(html, status, HEADERS)


def _query(request: Request) -> tuple[str, str]:
    """The query and the experiment that a request names."""
    by = request.query_params.get("by", ARMS)
    return request.query_params.get("q", "").strip()[:LONGEST], by if by in CHOICES else ARMS


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise HTTPException(413)
    return body
