"""duelist serve: live experiments over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve_command(
    journal: Annotated[str | None, typer.Option(help="Where events are kept; sqlite:///duelist.db unless set.")] = None,
    host: Annotated[str | None, typer.Option(help="127.0.0.1 unless set; others need tokens.")] = None,
    port: Annotated[int | None, typer.Option(help="8080 unless set; 0 for any that is free.")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with settings.")] = None,
) -> None:
    """Serve live experiments over HTTP.

    Settings come from the file, the environment (DUELIST_JOURNAL, DUELIST_PORT, DUELIST_ADMIN_TOKEN, ...) and these
    options; the later wins.
    """
    from duelist.service.serve import serve

    serve(config, {"journal": journal, "host": host, "port": port})
