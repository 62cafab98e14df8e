"""The pages people look at: the files of web/ and plotly's own, as they are. All data comes from the HTTP API.

Nothing here knows an experiment: a page is the same for everybody, and its scripts ask /v1 with the token that the
visitor typed, if tokens are on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

FOLDER = Path(__file__).parent / "web"
KINDS = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Page(NamedTuple):
    """A file at an address."""

    path: str
    file: str
    policy: str = POLICY  # what the browser may load and run there


PAGES = (Page("/", "index.html"),)


def site_routes() -> list[BaseRoute]:
    """Every page, and what pages are made of under /assets."""
    pages = [Route(page.path, _page(page), methods=["GET"]) for page in PAGES]
    return [*pages, Route("/assets/{file}", _asset, methods=["GET"])]


def _page(page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        return _file(request, FOLDER / page.file, page.policy)

    return serve


def page_file(request: Request, name: str, policy: str) -> Response:
    """A page that is served elsewhere, with a policy of its own."""
    return _file(request, FOLDER / name, policy)


async def _asset(request: Request) -> Response:
    name = request.path_params["file"]
    if name == "plotly.min.js":
        return _plotly()
    known = {path.name for path in FOLDER.iterdir() if path.suffix in KINDS and path.suffix != ".html"}
    if name not in known:
        return Response("there is no such file\n", 404, media_type="text/plain")
    return _file(request, FOLDER / name, POLICY)


def _file(request: Request, path: Path, policy: str) -> Response:
    body = path.read_bytes()
    tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
        "ETag": tag,
    }
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=KINDS[path.suffix])


def _plotly() -> Response:
    """Plotly's script, from its installed package."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        return Response("charts need plotly: pip install 'duelist[service]'\n", 404, media_type="text/plain")
    path = Path(found.origin).parent / "package_data" / "plotly.min.js"
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "max-age=86400"}
    return FileResponse(path, media_type="text/javascript", headers=headers)
