"""Things that can be chosen by name, one registry a family."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar, cast

from duelist.core.errors import BadInput, UnknownName
from duelist.core.parameters import Parameter, check_settings, meant, parameters_of

T = TypeVar("T")

# Where each family registers what it has. Looked up when the first of a family is needed, so that
# a spec that comes out of a file, or from another process, finds its family.
HOMES = {
    "policy": "duelist.dueling.policies",
    "environment": "duelist.dueling.environments",
    "learner": "duelist.online.learners",
    "drift": "duelist.online.intents",
    "method": "duelist.interleaving",
    "clicks": "duelist.clicks",
    "ranker": "duelist.offline.rankers",
}
FAMILIES: dict[str, Registry[Any]] = {}


class Entry(NamedTuple):
    """What makes a thing, and which of its parameters the name fixes."""

    maker: Any
    fixed: Mapping[str, Any]


class Registry(Generic[T]):
    """Names of one family. Its home is imported at the first look-up and registers its own."""

    def __init__(self, family: str, home: str = "") -> None:
        self.family, self.home = family, home or HOMES[family]
        self.known: dict[str, Entry] = {}
        self.elsewhere: dict[str, str] = {}  # the module that registers a name
        FAMILIES[family] = self

    def add(self, name: str, maker: T, **fixed: Any) -> None:
        """Register a maker; the same definition may be registered again (a notebook cell)."""
        old = self.known.get(name)
        if old is not None and _origin(old.maker) != _origin(maker):
            raise BadInput(f"{self.family} {name!r} is already defined by {_origin(old.maker)}; choose another name")
        self.known[name] = Entry(maker, fixed)

    def later(self, module: str, *names: str) -> None:
        """Names that `module` registers; it is imported when one of them is asked for."""
        self.elsewhere |= dict.fromkeys(names, module)

    def get(self, name: str) -> T:
        """What makes the thing called `name`; "module:Name" is imported from the user's own module."""
        return cast(T, self.entry(name).maker)

    def entry(self, name: str) -> Entry:
        """The maker, and what the name fixes."""
        importlib.import_module(self.home)
        if ":" in str(name):
            return self._load(name)
        if name not in self.known and name in self.elsewhere:
            importlib.import_module(self.elsewhere[name])
        if name not in self.known:
            raise UnknownName(f"unknown {self.family} {name!r}{meant(name, self)}. Known: {', '.join(self)}")
        return self.known[name]

    def parameters(self, name: str, given: Mapping[str, Any] | None = None) -> dict[str, Parameter]:
        """What may be set of the thing called `name`; it may depend on what is `given` (which policy another holds)."""
        maker, fixed = self.entry(name)
        resolve = getattr(maker, "resolve", None)
        known = parameters_of(resolve(given or {}) if resolve else maker)
        return {n: p for n, p in known.items() if n not in fixed}

    def make(self, name: str, *args: Any, **settings: Any) -> Any:
        """The thing called `name`, made with checked parameters; others go to the maker as they are."""
        maker, fixed = self.entry(name)
        return maker(*args, **fixed, **settings)

    def check(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """`given` in the types of the parameters, or an error before anything is made."""
        return check_settings(name, self.parameters(name, given), given)

    def name_of(self, thing: Any) -> str:
        """The name of something that makes things of this family, or of a thing made."""
        importlib.import_module(self.home)
        name = next((n for n, entry in self.known.items() if entry.maker is thing), getattr(thing, "name", None))
        if not isinstance(name, str) or name not in self.known:
            raise BadInput(f"{thing!r} is no {self.family}; known by name: {', '.join(self)}")
        return name

    def __iter__(self) -> Iterator[str]:
        importlib.import_module(self.home)
        return iter(sorted({*self.known, *self.elsewhere}))

    def _load(self, path: str) -> Entry:
        module, _, attribute = path.partition(":")
        named_like_it = module in self.known and self.known[module].maker.__module__ == module
        if module in [*self] and not named_like_it:
            raise BadInput(f"{path!r}: parameters are written {module}:NAME=VALUE,NAME=VALUE")
        try:
            thing = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise UnknownName(f"cannot load {self.family} {path!r}: {error}") from error
        for entry in self.known.values():
            if entry.maker is thing:
                return entry
        raise UnknownName(f"{path!r} is not a {self.family}")


def find_family(family: str) -> Registry[Any]:
    """The registry of a family.

    >>> "rucb" in list(find_family("policy"))
    True
    """
    if family in HOMES:
        importlib.import_module(HOMES[family])
    if family not in FAMILIES:
        raise UnknownName(f"unknown family {family!r}{meant(family, HOMES)}. Known: {', '.join(HOMES)}")
    return FAMILIES[family]


def _origin(thing: object) -> str:
    return f"{thing.__module__}.{getattr(thing, '__qualname__', thing)}"
