"""duelist demo: a search site whose visitors are simulated, and rankers that compete for them."""

from __future__ import annotations

from typing import Annotated

import typer


def demo_command(
    visitors: Annotated[int | None, typer.Option(min=1, help="How many come; 3,000 where nobody looks.")] = None,
    headless: Annotated[bool, typer.Option("--headless", help="Serve no site: let visitors come, and end.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Headless, with the result as JSON.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the visitors.")] = 0,
    taste: Annotated[str, typer.Option(help="What they look for at first: names or overviews.")] = "overviews",
    change_after: Annotated[int | None, typer.Option(min=1, help="Visitors until their taste changes.")] = None,
    speed: Annotated[float, typer.Option(min=0.1, max=100, help="Visitors a second, to begin with.")] = 20.0,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the site; 0 for any that is free.")] = 0,
    journal: Annotated[str | None, typer.Option(help="Where events are kept; a temporary one unless set.")] = None,
    browser: Annotated[bool | None, typer.Option("--browser/--no-browser", help="Open one, or only serve.")] = None,
) -> None:
    """Watch rankers compete for the visitors of a little search site.

    Serves the site, over Python's own documentation, with the service behind it, and sends simulated visitors there
    until you press Ctrl-C. Without a terminal or a display it runs headless and ends, unless you say --no-browser.
    """
    from duelist.demo.options import Options
    from duelist.demo.start import start

    options = Options(visitors, seed, taste, change_after, journal, port, speed)
    start(options, headless, json, browser)
