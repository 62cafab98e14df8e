"""A state as bytes, and back: msgpack with raw arrays. The same state gives the same bytes."""

from __future__ import annotations

import platform
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import duelist
from duelist.core.compile import kernel
from duelist.core.digest import digest
from duelist.core.errors import BadInput
from duelist.core.registry import find_family
from duelist.live.definition import Definition
from duelist.live.state import State

SCHEMA = 1
ARRAY, LARGE = 1, 2  # msgpack's own types of ours


def pack(value: Any) -> bytes:
    """Plain values and arrays as bytes.

    >>> unpack(pack({"table": np.arange(3), "state": 2**100}))
    {'table': array([0, 1, 2]), 'state': 1267650600228229401496703205376}
    """
    return msgspec.msgpack.encode(_narrow(value), enc_hook=_encode)


def unpack(body: bytes) -> Any:
    """What `pack` was given; tuples come back as lists."""
    return msgspec.msgpack.decode(body, ext_hook=_decode)


def _narrow(value: Any) -> Any:
    """Generators have numbers that msgpack has no room for."""
    if isinstance(value, dict):
        return {key: _narrow(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_narrow(each) for each in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return msgspec.msgpack.Ext(LARGE, str(value).encode())
    return value


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        head = [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes()]
        return msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode(head))
    if isinstance(value, np.generic):
        return value.item()
    raise BadInput(f"a snapshot has no form for {value!r}")


def _decode(kind: int, body: memoryview) -> Any:
    if kind == LARGE:
        return int(bytes(body))
    dtype, shape, data = msgspec.msgpack.decode(body)
    return np.frombuffer(data, dtype).reshape(shape).copy()


def code_of(definition: Definition) -> str:
    """A digest of the code that folds an experiment: kernels, numpy, numba, the processor.

    Another code may come to other last bits, so a snapshot of one is never loaded silently by another.
    """
    agent = ""
    if definition.kind in ("arms", "weights"):
        spec = definition.agent
        agent = _agent(spec.family, spec.name, spec.parameters.get("base"))
    return f"{SCHEMA}-{_shared()}-{agent}-{_machine()}"


@cache
def _shared() -> str:
    """Of the text of everything that a fold is made of, beside policies and learners."""
    text, home = blake2b(digest_size=6), Path(duelist.__file__).parent
    for room in ("live", "evidence", "interleaving"):
        for file in sorted((home / room).rglob("*.py")):
            text.update(file.read_bytes())
    return text.hexdigest()


@cache
def _agent(family: str, name: str, base: Any) -> str:
    given = {"base": base} if base is not None else {}
    kind = find_family(family).get(name).resolve(given)
    return digest(*(kernel(kind.method(each, kernel)) for each in ("choose", "update")))


@cache
def _machine() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            flags = next((line for line in lines if line.startswith("flags")), "")
    except OSError:
        flags = platform.processor()
    return blake2b(f"{platform.machine()} {flags}".encode(), digest_size=6).hexdigest()


def state_hash(state: State) -> str:
    """Equal for replicas that applied the same events. Who a user is, is left out: erasing one changes nothing."""
    record = state.record()
    record["evidence"] = {
        "wins": record["evidence"]["wins"],
        "pairs": [[first, second, each["sums"]] for first, second, each in record["evidence"]["pairs"]],
    }
    for opened in record["impressions"]["open"]:
        opened[3] = b""
    if "asked" in record:
        record["asked"] = sorted(asked for _, asked in record["asked"])
    return blake2b(pack(record), digest_size=16).hexdigest()
