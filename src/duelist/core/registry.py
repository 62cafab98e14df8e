"""Find things by the name people type."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator
from typing import Generic, TypeVar

from duelist.core.errors import BadInput, UnknownName

T = TypeVar("T")


class Registry(Generic[T]):
    """Names of one family. `home` is imported at the first look-up and registers its own."""

    def __init__(self, family: str, home: str) -> None:
        self.family, self.home = family, home
        self.known: dict[str, T] = {}

    def add(self, name: str, thing: T) -> None:
        """Register `thing`; the same definition may be registered again (a notebook cell)."""
        old = self.known.get(name)
        if old is not None and _origin(old) != _origin(thing):
            raise BadInput(f"{self.family} {name!r} is already defined by {_origin(old)}; choose another name")
        self.known[name] = thing

    def get(self, name: str) -> T:
        """The thing called `name`; "module:Name" is imported from the user's own module."""
        importlib.import_module(self.home)
        if ":" in name:
            return self._load(name)
        if name not in self.known:
            close = difflib.get_close_matches(name, self.known, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise UnknownName(f"unknown {self.family} {name!r}.{hint} Known: {', '.join(sorted(self.known))}")
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        importlib.import_module(self.home)
        return iter(sorted(self.known))

    def _load(self, path: str) -> T:
        module, _, attribute = path.partition(":")
        try:
            thing: T = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise UnknownName(f"cannot load {self.family} {path!r}: {error}") from error
        if thing not in self.known.values():
            raise UnknownName(f"{path!r} is not a {self.family}")
        return thing


def _origin(thing: object) -> str:
    return f"{thing.__module__}.{getattr(thing, '__qualname__', thing)}"
