"""Starting the demo: for people who look, for a pipe, or for a program that wants numbers."""

from __future__ import annotations

import json
import os
import sys

from duelist.core.errors import MissingExtra
from duelist.core.progress import progress_bar
from duelist.demo.options import FEW, Options


def start(options: Options, headless: bool, as_json: bool, browser: bool | None) -> None:
    """Serve until Ctrl-C, or run headless and end where that is wanted or nobody could look."""
    try:
        import httpx  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra(f"the demo needs {error.name}: pip install 'duelist[service]'") from error
    from duelist.demo.tastes import find_taste

    find_taste(options.taste)
    if headless or as_json or (browser is not False and not somebody_looks()):
        _headless(options, as_json, said=headless or as_json)
    else:
        from duelist.demo.show import show

        show(options, open_browser=browser is not False)


def somebody_looks() -> bool:
    """Whether there is a terminal, and a display to open a browser on."""
    display = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.stdout.isatty() and bool(display)


def _headless(options: Options, as_json: bool, said: bool) -> None:
    from duelist.demo.run import Demo, run_headless
    from duelist.present.tables import show as print_table

    seen = 0
    with progress_bar("visitors", options.visitors or FEW) as advance:

        def progress(demo: Demo) -> None:
            nonlocal seen
            advance(demo.crowd.visitors - seen)
            seen = demo.crowd.visitors

        result = run_headless(options, progress)
    if as_json:
        print(json.dumps(result.summary(), indent=2))
        return
    print_table("Five rankers of a little search site, and what its visitors taught them", result.table())
    if not said:
        print("\n`duelist demo --no-browser` serves the site, with its dashboard, for you to look at.")
