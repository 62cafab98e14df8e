"""A vote from a file in one command: the service, an experiment in it, and the board at the end."""

from __future__ import annotations

import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import uvicorn

from duelist.core.errors import AlreadyDefined, BadInput
from duelist.live import open_experiments
from duelist.live.definition import Definition
from duelist.live.told import read_journal
from duelist.ranking import leaderboard
from duelist.service.app import App
from duelist.service.auth import is_loopback
from duelist.service.ballot import POLICIES, experiment_name, read_ballot
from duelist.service.logs import set_up
from duelist.service.settings import Settings, read_settings
from duelist.service.voting import PRIOR


def run_vote(
    file: Path, target: str, markdown: bool, journal: Path | None, host: str | None, port: int | None, browse: bool
) -> None:
    """Serve a vote until Ctrl-C, then say what it came to."""
    if target not in POLICIES:
        raise BadInput(f"target must be one of {', '.join(POLICIES)}, not {target!r}")
    ballot = read_ballot(file, markdown)
    definition = ballot.definition(experiment_name(file), target)
    kept = journal or file.with_suffix(".duelist.db")
    if {*"?#"} & {*str(kept)}:  # which mean something in the address of a journal
        raise BadInput(f"votes cannot be kept in {str(kept)!r}, because of ? or #; name another file by --journal")
    given = {"journal": f"sqlite:///{kept}", "host": host, "port": port, "log": "warning"}
    settings = read_settings(None, os.environ, given)
    with closing(_listen(settings)) as listening, suppress(KeyboardInterrupt):
        _begin(settings.journal, definition, kept, file)
        set_up(settings.log)
        address = f"http://{{}}:{listening.getsockname()[1]}/vote/{definition.name}"
        app = App(settings, ballot.files)
        config = uvicorn.Config(app, access_log=False, log_config=None, server_header=False)
        server = _Announced(config, lambda: _announce(address, settings, kept, browse))
        app.service.leaving = lambda: server.should_exit  # an open dashboard must not keep it from ending
        server.run(sockets=[listening])
    _sum_up(settings.journal, definition.name, kept)


class _Announced(uvicorn.Server):
    """A server that says when it can be visited."""

    def __init__(self, config: uvicorn.Config, then: Callable[[], None]) -> None:
        super().__init__(config)
        self.then = then

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self.then()


def _listen(settings: Settings) -> socket.socket:
    """Take the port first: a voter is known by the address of the page, so it does not wander to another one."""
    made = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
    except OSError as error:
        made.close()
        raise BadInput(f"port {settings.port} of {settings.host!r} cannot be had: {error}; try --port") from None
    return made


def _begin(journal: str, definition: Definition, kept: Path, file: Path) -> None:
    """Define and start the experiment, unless it is there."""
    with open_experiments(journal) as experiments:
        try:
            experiment = experiments.define(definition)
        except AlreadyDefined:
            raise BadInput(
                f"{str(kept)!r} has votes on other contents, or for another target, than {str(file)!r} has now; "
                "move it away, or name another one by --journal"
            ) from None
        if experiments.state(definition.name).phase in ("draft", "paused"):
            experiment.start()


def _announce(address: str, settings: Settings, kept: Path, browse: bool) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    here = address.format({"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host))
    print(f"Vote at    {here}")
    if is_loopback(settings.host):
        print("Others     start it with --host 0.0.0.0 and DUELIST_ADMIN_TOKEN, DUELIST_WRITE_TOKEN set to secrets")
    else:
        print(f"Others     {address.format(socket.gethostname())}, with the write token")
    print(f"Votes      are kept in {kept}\nCtrl-C     ends it, and shows the leaderboard", flush=True)
    if browse:
        threading.Thread(target=webbrowser.open, args=[here], daemon=True).start()


def _sum_up(journal: str, name: str, kept: Path) -> None:
    try:
        print(f"\n{leaderboard(read_journal(journal, name), kind='always-valid', prior=PRIOR)}\n")
    except BadInput:
        print("\nNobody has voted yet.\n")
    more = f"duelist rank {journal} --kind always-valid --pairs"
    print(f"The votes are in {kept}. The same command goes on; `{more}` says more.")
