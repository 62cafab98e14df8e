"""Who may do what: tokens that read, write or administer. Only their hashes are kept, and compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from duelist.service.errors import Refused

ROLES = ("read", "write", "admin")  # each may do what those before it may
NOBODY = "local"  # who changes experiments where there are no tokens

Headers = Iterable[tuple[bytes, bytes]]


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token as it is stored."""

    name: str  # stands in the journal beside what it changed
    role: Literal["read", "write", "admin"]
    hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


def hash_token(secret: str) -> str:
    """What is stored of a token: its SHA-256, as `printf %s TOKEN | sha256sum` prints it.

    >>> hash_token("secret")[:16]
    '2bb80d537b1da3e3'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "db.example")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Doorkeeper:
    """Knows the tokens."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = [(bytes.fromhex(token.hash), ROLES.index(token.role), token.name) for token in tokens]

    def check(self, headers: Headers, role: str) -> str:
        """The name of whoever asks; an error if they may not."""
        if not self.tokens or not role:
            return NOBODY
        given = next((value for name, value in headers if name == b"authorization"), b"")
        kind, _, secret = given.partition(b" ")
        if kind.lower() != b"bearer" or not secret:
            raise Refused(401, "unauthorized", "this needs a header 'Authorization: Bearer TOKEN'")
        hashed = hashlib.sha256(secret.strip()).digest()
        found: tuple[int, str] | None = None
        for known, rank, name in self.tokens:  # all of them, so that time tells nothing
            if hmac.compare_digest(known, hashed):
                found = rank, name
        if found is None:
            raise Refused(401, "unauthorized", "this token is not known here")
        if found[0] < ROLES.index(role):
            raise Refused(403, "forbidden", f"this needs a token of role {role!r}, and yours is {ROLES[found[0]]!r}")
        return found[1]
