"""Starting the service: settings, logs, and the server around the application."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from duelist.core.errors import MissingExtra
from duelist.storage.journal import open_journal


def serve(config: Path | None, given: Mapping[str, Any]) -> None:
    """Serve until somebody says stop (SIGTERM, SIGINT); requests under way are answered, and a snapshot is saved."""
    try:
        import uvicorn

        from duelist.service.app import App
        from duelist.service.logs import set_up
        from duelist.service.settings import read_settings
    except ImportError as error:
        raise MissingExtra(f"the service needs {error.name}: pip install 'duelist[service]'") from error
    settings = read_settings(config, os.environ, given)
    open_journal(settings.journal).close()  # what is wrong with it is said now, in one sentence
    set_up(settings.log)
    app = App(settings)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            access_log=False,
            log_config=None,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=settings.stop_seconds,
        )
    )
    app.service.leaving = lambda: server.should_exit
    with suppress(KeyboardInterrupt):  # it has ended in order by then
        server.run()
    if not server.started:
        sys.exit(3)  # as uvicorn's own command says it
