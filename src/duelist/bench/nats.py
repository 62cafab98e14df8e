"""A NATS cluster of one's own: three nodes on this machine, with JetStream, killed and started again one by one."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from duelist.bench.servers import free_port
from duelist.core.errors import MissingExtra

NODES = 3
PATIENCE = 180.0  # seconds for a node to begin, find the others and have what they have
TRIES = 5  # a port that was free may be taken meanwhile


class Node:
    """One server of a cluster, in a folder of its own."""

    def __init__(self, number: int, folder: Path) -> None:
        self.name, self.folder = f"n{number}", folder / f"n{number}"
        self.folder.mkdir()
        self.port, self.route, self.monitor = free_port(), free_port(), free_port()
        self.process: subprocess.Popen[Any] | None = None

    def configure(self, routes: list[str]) -> None:
        """Write its settings: where it listens, and where the others are."""
        settings = {
            "server_name": self.name,
            "listen": f"127.0.0.1:{self.port}",
            "http": f"127.0.0.1:{self.monitor}",
            "jetstream": {
                "store_dir": str(self.folder / "data"),
                "max_file_store": 8 << 30,
                "max_memory_store": 1 << 26,
            },
            "cluster": {"name": "duelist", "listen": f"127.0.0.1:{self.route}", "routes": routes},
        }
        (self.folder / "settings.json").write_text(json.dumps(settings))

    def begin(self) -> None:
        """Start it; it is not ready yet."""
        with (self.folder / "log").open("ab") as log:
            command = [program(), "-c", str(self.folder / "settings.json")]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def end(self, how: signal.Signals) -> None:
        """Send a signal, and wait until it is gone."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def look(self, path: str) -> Any:
        """What it says of itself, or nothing."""
        try:
            with urlopen(f"http://127.0.0.1:{self.monitor}/{path}", timeout=5) as answer:
                return json.load(answer)
        except (URLError, OSError, ValueError):
            return None

    @property
    def ready(self) -> bool:
        """Whether it knows the leader, and has what the others have."""
        return (self.look("healthz") or {}).get("status") == "ok"


class Cluster:
    """Three nodes on 127.0.0.1."""

    def __init__(self, folder: Path) -> None:
        self.nodes = [Node(number, folder) for number in range(1, NODES + 1)]
        routes = [f"nats-route://127.0.0.1:{node.route}" for node in self.nodes]
        for node in self.nodes:
            node.configure(routes)

    def url(self, name: str, nodes: int = NODES) -> str:
        """The address of a journal."""
        return f"nats://{','.join(f'127.0.0.1:{node.port}' for node in self.nodes[:nodes])}/{name}"

    def start(self) -> None:
        """Start whoever does not run, and wait until all are ready."""
        for node in self.nodes:
            if node.process is None:
                node.begin()
        deadline = time.monotonic() + PATIENCE
        while not all(node.ready for node in self.nodes):
            ended = [node for node in self.nodes if node.process is None or node.process.poll() is not None]
            if ended or time.monotonic() > deadline:
                which = (ended or self.nodes)[0]
                raise RuntimeError(f"{which.name} did not start: {(which.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def leader(self, name: str) -> Node:
        """The node that orders the events of a journal."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for node in self.nodes:
                found = _leader(node.look("jsz?streams=true") or {}, f"duelist-{name}")
                for other in self.nodes:
                    if other.name == found and other.process is not None:
                        return other
            time.sleep(0.05)
        raise RuntimeError(f"the stream of {name!r} has no leader")

    def processes(self) -> list[int]:
        """Of those that run."""
        return [node.process.pid for node in self.nodes if node.process is not None]

    def stop(self) -> None:
        """End all."""
        for node in self.nodes:
            node.end(signal.SIGKILL)


def _leader(said: Any, stream: str) -> str:
    for account in said.get("account_details") or ():
        for each in account.get("stream_detail") or ():
            if each["name"] == stream:
                return str(each.get("cluster", {}).get("leader", ""))
    return ""


def program() -> str:
    """The server's program."""
    found = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin:/usr/local/bin")
    if found is None:
        raise MissingExtra("a NATS cluster needs nats-server: apt-get install nats-server")
    return found


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A cluster in a folder that is gone afterwards."""
    program()
    for attempt in range(1, TRIES + 1):
        with TemporaryDirectory(prefix="duelist-") as folder:
            cluster = Cluster(Path(folder))
            try:
                cluster.start()
            except RuntimeError:
                cluster.stop()
                if attempt == TRIES:
                    raise
                continue
            try:
                yield cluster
            finally:
                cluster.stop()
            return
