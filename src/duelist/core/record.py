"""Values as JSON text: one way to write them and one way to read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from duelist.core.errors import BadInput


def write_record(record: Mapping[str, Any], what: str) -> str:
    """A record as text. Arrays and numpy's numbers become lists and numbers; not every object has a form."""
    try:
        return json.dumps(record, default=_plain, allow_nan=False)
    except (TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"JSON has no form for all of {what}: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, range):
        return list(value)
    raise TypeError(f"{value!r} is none of text, number, true, false, null, list and mapping")


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turns what goes wrong with a record into an error that says what it is not."""
    try:
        yield
    except KeyError as error:
        raise BadInput(f"not the JSON of {what}: it has no {error}") from None
    except BadInput:
        raise
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadInput(f"not the JSON of {what}: {error}") from None


def read_record(record: str | bytes | Mapping[str, Any], what: str, schema: int) -> Mapping[str, Any]:
    """The record in a text, or the record itself; it must be of this schema."""
    with reading(what):
        data = record if isinstance(record, Mapping) else json.loads(record)
    found = data.get("schema") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or found != schema:
        raise BadInput(f"not the JSON of {what} of schema {schema}: schema is {found!r}")
    return data


def frozen(value: Any) -> Any:
    """The same with tuples for lists, as it was before JSON."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value
