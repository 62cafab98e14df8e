"""What tests of every part share."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import shutil
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import uvicorn

from duelist.core.errors import MissingExtra
from duelist.core.garbage import collecting_seldom

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route

    from duelist.bench.nats import Cluster
    from duelist.bench.postgres import Postgres

REPOSITORY = Path(__file__).parents[1]
# Whole contracts, simulations that have to be long, and everything that starts other processes or trains rankers.
SLOW = (
    "test_contract",
    "test_compile",
    "test_examples",
    "test_specs",
    "test_figures",
    "tests/core/test_disk",
    "tests/core/test_generator",
    "tests/core/test_sampling",
    "tests/clicks/test_spool",
    "tests/interleaving/test_paging",
    "tests/live/test_list_rows",
    "tests/bench",
    "tests/cli",
    "tests/demo",
    "tests/offline",
    "tests/online/continuous",
    "tests/reproductions",
    "tests/service/test_processes",
    "tests/service/test_openapi",
    "tests/service/test_disk",
    "tests/service/test_fuzz",
    "tests/service/test_dashboard",
    "tests/service/test_routes",
    "tests/service/test_site",
    "tests/service/test_vote",
    "tests/service/test_views",
    "tests/service/test_page",
    "tests/analysis/test_analysis",
    "tests/analysis/test_health",
    "tests/analysis/test_measures",
    "tests/dueling/test_cuda",
    "tests/online/test_cuda",
    "tests/evidence/test_power",
    "tests/evidence/test_winners",
    "tests/live/test_processes",
    "tests/service/test_hosts",
    "tests/storage/test_failover",
    "tests/storage/test_jetstream",
    "tests/storage/test_postgres",
    "tests/sweeps/test_cluster",
    "tests/sweeps/test_gpus",
    "tests/sweeps/test_local",
    "tests/test_readme",
    "tests/testing",
    "tests/dueling/policies",
)


# What waits for servers, browsers and disks comes first: one process is busy with it, and the others have the cores.
# At the end all of them would wait.
WAITING = ("tests/service/", "tests/storage/", "tests/client/")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the collector of garbage what is imported: a tenth of the time that this takes."""
    with collecting_seldom():
        return (yield)


def pytest_collection_finish() -> None:
    """Spare it what was collected of tests: a tenth of the time of what runs after it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _collected_once() -> Iterator[None]:
    """A service that stops hands all that is frozen back, and the next one to start looks through it, for a second.

    Here that is done once a file, so that what somebody left open is still noticed.
    """
    stopped: list[bool] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "unfreeze", lambda: stopped.append(True))
        yield
    if stopped:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What `make quick` leaves out is not even imported."""
    asked: str = config.option.markexpr
    return True if asked == "not slow" and is_slow(collection_path.as_posix()) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put in order, and mark what `make quick` leaves out."""
    items.sort(key=lambda item: not item.nodeid.startswith(WAITING))
    for item in items:
        if is_slow(item.nodeid):
            item.add_marker(pytest.mark.slow)


def is_slow(place: str) -> bool:
    return any(part in place for part in SLOW)


@pytest.fixture
def data() -> Callable[[str], Path]:
    """Finds a file of the shared data, which is not committed; without it the test is skipped."""
    folder = Path(os.environ.get("DUELIST_DATA", REPOSITORY.parent / "shared" / "data"))

    def find(name: str) -> Path:
        if not (folder / name).is_file():
            pytest.skip(f"needs {folder / name}; DUELIST_DATA names the folder")
        return folder / name

    return find


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL server for all tests; without its programs they are skipped."""
    try:
        from duelist.bench.postgres import running_postgres

        with running_postgres() as server:
            yield server
    except MissingExtra as error:
        pytest.skip(str(error))
    except PermissionError as error:
        pytest.skip(f"PostgreSQL does not run as root, and this root may not become somebody else: {error}")


NUMBERS = itertools.count()


@pytest.fixture
def empty(postgres: Postgres) -> Callable[[], str]:
    """Makes empty databases; each gives its address."""
    return lambda: postgres.new_database(f"journal{next(NUMBERS)}")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three NATS servers for one file of tests; without the program they are skipped."""
    try:
        from duelist.bench.nats import running_cluster

        with running_cluster() as made:
            yield made
    except MissingExtra as error:
        pytest.skip(str(error))


@pytest.fixture
def stream(cluster: Cluster) -> str:
    """The address of an empty journal on them."""
    cluster.start()  # whoever a test has killed
    return cluster.url(f"journal{next(NUMBERS)}")


@pytest.fixture(scope="session")
def threaded() -> Callable[..., AbstractContextManager[str]]:
    """Runs services in threads of this process, on free ports; each block gives an address."""
    from duelist.service.app import App
    from duelist.service.settings import Settings

    @contextmanager
    def serve(**given: Any) -> Iterator[str]:
        app = App(Settings(**{"journal": "memory://", "compile_apart": False, **given}))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        thread.join(60)

    return serve


PATIENCE = 60_000  # milliseconds: a machine may be busy; what is waited for comes or does not
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Every window would load what its address bar may show, though it has none, and every page a process for a next one:
# half of all that the browser does.
UNSEEN = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "SpareRendererForSitePerProcess")
# What playwright leaves out itself: the browser heeds the last such list only.
LEFT_OUT = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"),
    *("HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"),
    *("PreconnectToSearch", "TcpPortRandomizationWin"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's chromium, without a window; without one the test is skipped.

    Playwright keeps an event loop running in this thread, so that asyncio.run fails while it is open: it is opened for
    one file of tests, and such a file has no other asynchronous tests.
    """
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no browser: apt-get install chromium, and this test runs")
    with sync_playwright() as playwright:
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        without = f"--disable-features={','.join(UNSEEN + LEFT_OUT)}"
        opened = playwright.chromium.launch(executable_path=program, args=[*root, without])
        try:
            yield opened
        finally:
            opened.close()


class Visit:
    """Opens pages and notes what goes wrong on them: errors, warnings, requests that leave the machine."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.expected: tuple[str, ...] = ()  # parts of messages that a test provokes on purpose
        self.said: list[str] = []
        self.contexts: list[BrowserContext] = []

    def __call__(self, url: str, **context: Any) -> Page:
        """A page in a context of its own (`color_scheme="dark"`, `viewport={"width": 390, "height": 800}`)."""
        self.contexts.append(self.browser.new_context(**context))
        self.contexts[-1].set_default_timeout(PATIENCE)
        page = self.contexts[-1].new_page()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.route("**/*", self._let_through)
        page.goto(url)
        return page

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(message.text)

    def _let_through(self, route: Route) -> None:
        if urlsplit(route.request.url).hostname in ("127.0.0.1", None):
            return route.continue_()
        self.said.append(f"a request left the machine: {route.request.url}")
        return route.abort()

    def wrong(self) -> list[str]:
        """All that no test expected."""
        return [text for text in self.said if not any(part in text for part in self.expected)]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens pages in a browser; the test fails if anything went wrong on one of them."""
    visit = Visit(browser)
    yield visit
    for context in visit.contexts:
        context.close()
    assert visit.wrong() == []
