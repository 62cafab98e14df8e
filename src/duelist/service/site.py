"""The pages people look at: the files of web/ and plotly's own, as they are. All data comes from the HTTP API.

Nothing here knows an experiment: a page is the same for everybody, and its scripts ask /v1 with the token that the
visitor typed, if tokens are on.
"""

from __future__ import annotations

import base64
import hashlib
import re
from ast import literal_eval
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import Template
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
STYLE = re.compile(
    r"""createElement\("style"\)[^'"`]{0,40}"[0-9a-f]{64}"[^'"`]{0,40}textContent=('(?:[^'\\\n]|\\.)*')"""
)


class Page(NamedTuple):
    """A script at an address, in the frame that all pages of the dashboard share."""

    path: str
    script: str
    title: str
    charts: bool = False  # drawn by plotly

    def html(self) -> bytes:
        """The frame, filled in."""
        frame = Template((FOLDER / "dashboard.html").read_text(encoding="utf-8"))
        return frame.substitute(title=self.title, script=self.script).encode()


PAGES = (
    Page("/", "index.js", "Experiments"),
    Page("/compare", "compare.js", "Compare", charts=True),
    Page("/experiments/{name}", "experiment.js", "Experiment", charts=True),
    Page("/new", "new.js", "New experiment"),
)


def site_routes() -> list[BaseRoute]:
    """Every page, and what pages are made of under /assets."""
    pages = [Route(page.path, _page(page), methods=["GET"]) for page in PAGES]
    return [*pages, Route("/assets/{file}", _asset, methods=["GET"])]


def _page(page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        return _answer(request, page.html(), "text/html", chart_policy() if page.charts else POLICY)

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
    return _answer(request, path.read_bytes(), KINDS[path.suffix], policy)


def _answer(request: Request, body: bytes, kind: str, policy: str) -> Response:
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
    return Response(body, headers=headers, media_type=kind)


@cache
def chart_policy() -> str:
    """The policy of pages with charts: the styles that plotly itself brings are allowed too, by their hashes.

    It makes an empty style element, which it fills by script, and one with the rules of its maps. Nothing else has
    these hashes: what a visitor wrote is no more allowed than on other pages.

    >>> chart_policy().count("sha256-") >= 1, "unsafe" in chart_policy()
    (True, False)
    """
    path = plotly_script()
    text = "" if path is None else path.read_text(encoding="utf-8")
    styles = ["", *(literal_eval(quoted) for quoted in STYLE.findall(text))]
    hashes = [base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() for style in styles]
    allowed = " ".join(f"'sha256-{each}'" for each in dict.fromkeys(hashes))
    return POLICY.replace("style-src 'self'", f"style-src 'self' {allowed}")


def plotly_script() -> Path | None:
    """Plotly's script, of its installed package."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "package_data" / "plotly.min.js"


def _plotly() -> Response:
    path = plotly_script()
    if path is None:
        return Response("charts need plotly: pip install 'duelist[service]'\n", 404, media_type="text/plain")
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "max-age=86400"}
    return FileResponse(path, media_type="text/javascript", headers=headers)
