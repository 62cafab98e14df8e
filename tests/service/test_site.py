"""Pages in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from .helpers import server

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server(tmp_path_factory.mktemp("site") / "live.db") as running:
        yield running.url


def test_an_empty_service_says_so(url: str, visit: Visit) -> None:
    expect(visit(url).get_by_text("There is no experiment yet.")).to_be_visible()


def test_every_page_has_a_strict_policy_and_unknown_files_are_404(url: str) -> None:
    answer = httpx.get(url)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert httpx.get(url, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    for name in ("nothing.js", "..%2Fsite.py", "index.html"):
        assert httpx.get(f"{url}/assets/{name}").status_code == 404
    assert len(httpx.get(f"{url}/assets/plotly.min.js").content) > 1_000_000
