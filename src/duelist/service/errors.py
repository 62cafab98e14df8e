"""Every error as an answer: {"error": {"code", "message", "field"}} with a status that says whose fault it is."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Collection
from typing import NamedTuple

import msgspec

from duelist.core.errors import (
    AlreadyDefined,
    BadInput,
    CannotStore,
    DuelError,
    DuelistError,
    Overloaded,
    UnknownName,
)

LOG = logging.getLogger("duelist.service")
RETRY = 1  # seconds
KINDS: tuple[tuple[type[Exception], int, str], ...] = (  # the first that fits
    (Overloaded, 503, "overloaded"),
    (CannotStore, 503, "journal"),
    (UnknownName, 404, "not_found"),
    (AlreadyDefined, 409, "conflict"),
    (DuelError, 409, "conflict"),
    (BadInput, 422, "invalid"),
)
PLACE = re.compile(r"(?:unknown|required) field `(.+?)`| - at `(?:key in )?\$\.?(.*?)`$")
FIRST = re.compile(r"[a-z_.]+(?=[ :])")


class Refused(DuelistError):
    """A request that the service itself refuses."""

    def __init__(self, status: int, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.field = status, code, field


class Fault(msgspec.Struct):
    """What went wrong."""

    code: str
    message: str
    field: str | None = None  # of the request, where it is one field's fault


class Error(msgspec.Struct):
    """The answer to a request that failed."""

    error: Fault


class Failure(NamedTuple):
    """An error, ready to be sent."""

    status: int
    error: Error
    headers: list[tuple[bytes, bytes]]


def failure_of(error: BaseException, fields: Collection[str] = ()) -> Failure:
    """An error as an answer; `fields` are those of the request, to find the one at fault.

    >>> failure = failure_of(BadInput("length must be from 1 to 1000, not 0"), ["length"])
    >>> failure.status, failure.error.error.code, failure.error.error.field
    (422, 'invalid', 'length')
    """
    fault, status = _fault_of(error, fields)
    headers = []
    if status in (429, 503):
        headers = [(b"retry-after", b"%d" % RETRY)]
    elif status == 401:
        headers = [(b"www-authenticate", b"Bearer")]
    return Failure(status, Error(fault), headers)


def _fault_of(error: BaseException, fields: Collection[str]) -> tuple[Fault, int]:
    if isinstance(error, Refused):
        return Fault(error.code, str(error), error.field), error.status
    if isinstance(error, msgspec.ValidationError):
        found = PLACE.search(str(error))
        return Fault("invalid", str(error), (found[1] or found[2] or None) if found else None), 422
    if isinstance(error, msgspec.DecodeError | RecursionError):
        return Fault("malformed", f"the body is not JSON: {error}"), 400
    for kind, status, code in KINDS:
        if isinstance(error, kind):
            return Fault(code, str(error), _field_in(str(error), fields)), status
    reference = secrets.token_hex(6)
    LOG.error("unexpected", exc_info=error, extra={"reference": reference})
    return Fault("internal", f"something unexpected happened; the log has it under {reference}"), 503


def _field_in(message: str, fields: Collection[str]) -> str | None:
    """Our messages begin with the field they speak of."""
    found = FIRST.match(message)
    return found[0] if found and found[0].partition(".")[0] in fields else None
