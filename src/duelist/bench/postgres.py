"""A PostgreSQL server of one's own: started in a temporary folder, killed, and started again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from duelist.core.errors import MissingExtra

try:
    import psycopg
except ImportError:
    raise MissingExtra("a PostgreSQL server needs psycopg to talk to: pip install 'duelist[postgres]'") from None

NOBODY = 65534


def programs() -> Path | None:
    """The folder with initdb and postgres of the latest version there is."""
    homes = Path("/usr/lib/postgresql").glob("*/bin")
    found = sorted((home for home in homes if (home / "initdb").is_file()), key=lambda home: float(home.parent.name))
    on_path = shutil.which("initdb")
    return found[-1] if found else Path(os.path.realpath(on_path)).parent if on_path else None


def status(stat: Path) -> list[str]:
    """The state of a process, its parent, and more; nothing when it is gone."""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except OSError:
        return []


def runs(process: int) -> bool:
    """Whether a process is there, and no ghost."""
    return status(Path(f"/proc/{process}/stat"))[:1] not in ([], ["Z"])


class Postgres:
    """Listens on a socket in its folder alone. As it refuses to run as root, it runs as nobody then."""

    def __init__(self, folder: Path, fsync: bool = False) -> None:
        self.fsync = fsync
        home = programs()
        if home is None:
            raise MissingExtra("a PostgreSQL server needs initdb in /usr/lib/postgresql/*/bin or on PATH")
        self.home, self.folder = home, folder
        self.process: subprocess.Popen[Any] | None = None
        self.who: dict[str, Any] = {}
        if os.getuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
            self.who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        make: list[Path | str] = [
            home / "initdb",
            "-D",
            folder / "data",
            "-U",
            "duelist",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "-N",
        ]
        subprocess.run(make, check=True, capture_output=True, cwd=folder, **self.who)

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://duelist:geheim@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        deadline = time.monotonic() + 30
        while not self._answers():
            if self.process is None or self.process.poll() is not None:  # or children of a killed one still end
                self._launch()
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.05)

    def kill(self) -> None:
        """kill -9 of the server and of all that it started, and wait until they are gone."""
        family = self.family()[1:]
        self._end(signal.SIGKILL)
        for child in family:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while any(map(runs, family)) and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self) -> None:
        """End it in peace."""
        self._end(signal.SIGINT)  # "fast": connections are cut, nothing is lost

    def new_database(self, name: str) -> str:
        """The address of an empty one."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

    def _launch(self) -> None:
        # Without fsync: the machine stays up, so what a killed server has written is there all the same.
        fsync = "fsync=on" if self.fsync else "fsync=off"
        settings = ["-c", "listen_addresses=", "-c", fsync, "-k", str(self.folder)]
        with (self.folder / "log").open("ab") as log:
            program: list[Path | str] = [self.home / "postgres", "-D", self.folder / "data", *settings]
            self.process = subprocess.Popen(program, cwd=self.folder, stdout=log, stderr=log, **self.who)

    def family(self) -> list[int]:
        """Its process, and all that it started."""
        if self.process is None:
            return []
        parents = {int(stat.parent.name): status(stat) for stat in Path("/proc").glob("[0-9]*/stat")}
        return [self.process.pid, *(who for who, found in parents.items() if found[1:2] == [str(self.process.pid)])]

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url()).close()
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, how: signal.Signals) -> None:
        if self.process:
            self.process.send_signal(how)
            self.process.wait(20)
            self.process = None


@contextmanager
def running_postgres(fsync: bool = False) -> Iterator[Postgres]:
    """A server in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="duelist-") as folder:  # short: the name of a socket may have 107 signs
        postgres = Postgres(Path(folder), fsync)
        postgres.start()
        try:
            yield postgres
        finally:
            postgres.stop()
