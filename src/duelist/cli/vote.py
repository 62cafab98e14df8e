"""duelist vote: let people vote on what is in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def vote_command(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="Columns name, content; or prompt and one an arm.")],
    target: Annotated[str, typer.Option(help="What to find: best, or the order of all.")] = "best",
    markdown: Annotated[bool, typer.Option("--markdown", help="Read text as Markdown.")] = False,
    journal: Annotated[Path | None, typer.Option(help="Where votes are kept; FILE.duelist.db unless set.")] = None,
    host: Annotated[str | None, typer.Option(help="127.0.0.1 unless set; others need tokens, as serve does.")] = None,
    port: Annotated[int | None, typer.Option(help="8080 unless set; 0 for any that is free.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Let people vote on texts, images, links or answers, two at a time, until it is certain which is best."""
    from duelist.core.errors import MissingExtra

    try:
        from duelist.service.vote import run_vote
    except ImportError as error:
        raise MissingExtra(f"the service needs {error.name}: pip install 'duelist[service]'") from error
    run_vote(file, target, markdown, journal, host, port, browser)
