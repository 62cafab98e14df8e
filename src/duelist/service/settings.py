"""How a service is set up: a TOML file, then the environment (DUELIST_PORT=...), then the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from duelist.core.errors import BadInput
from duelist.service.auth import ROLES, Token, hash_token, is_loopback

Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be set.

    >>> read_settings(environment={"DUELIST_PORT": "9000"}).port
    9000
    """

    journal: str = "sqlite:///duelist.db"
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8080
    tokens: tuple[Token, ...] = ()
    max_body: Count = 4_000_000  # bytes of a request
    max_events: Count = 1_000  # of one request
    max_experiments: Count = 10_000
    max_open: Count = 1_000_000  # lists and duels of an experiment that may still be clicked or told
    waiting: Count = 20_000  # events that may wait for the journal; beyond, 503
    tick: Seconds = 1.0  # between looks at what is due
    snapshot_seconds: Seconds = 10.0
    snapshot_events: Count = 10_000
    stop_seconds: Count = 30  # for requests under way when the service is to stop
    log: Literal["debug", "info", "warning", "error"] = "info"
    access_log: bool = False  # a line a request
    compile_apart: bool = True  # compile in a process of its own, so that nobody else waits

    def check(self) -> Settings:
        """Itself, unless it would let anybody in."""
        if not is_loopback(self.host) and not self.tokens:
            raise BadInput(
                f"host {self.host!r} can be reached from elsewhere, and there are no tokens: anybody could change "
                "experiments. Set DUELIST_ADMIN_TOKEN and DUELIST_WRITE_TOKEN, or bind to 127.0.0.1"
            )
        return self


def read_settings(
    config: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings of a file, the environment and the command line; the later wins."""
    environment = environment or {}
    values = _read_file(config) if config else {}
    for name in Settings.__struct_fields__:
        if name != "tokens" and (text := environment.get(f"DUELIST_{name.upper()}")):
            values[name] = text
    values |= {name: value for name, value in (given or {}).items() if value is not None}
    tokens = [*values.get("tokens", ())]
    for role in ROLES:
        if secret := environment.get(f"DUELIST_{role.upper()}_TOKEN"):
            tokens.append({"name": role, "role": role, "hash": hash_token(secret)})
    try:
        return msgspec.convert({**values, "tokens": tokens}, Settings, strict=False).check()
    except msgspec.ValidationError as error:
        raise BadInput(f"bad settings: {error}") from None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"settings {str(path)!r} cannot be read: {error}") from None
