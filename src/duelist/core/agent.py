"""What can be asked and told: all that policies and learners share about being alive.

An algorithm writes `choose` and `update`. Here is the rest, once: its name and parameters, its luck, its
compiled code, what was asked and not yet told, its form as JSON, and how one agent holds another.

Two ways to use one:

- `ask` and `tell` (written by Policy and Learner) remember what is open, so that nothing is told twice.
- `draw` and `apply` remember nothing: for those who keep a journal of their own. Luck is handed to `draw`,
  and what `apply` learns depends on what was applied alone, whatever was drawn in between.
"""

from __future__ import annotations

import inspect
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from duelist.core.compile import once, plain
from duelist.core.disk import replace_file
from duelist.core.errors import AlreadyTold, BadInput, DuelError
from duelist.core.memory import Declared, Holds
from duelist.core.parameters import Parameter, check_settings
from duelist.core.record import read_record, reading, write_record
from duelist.core.registry import Registry
from duelist.core.seeds import check_seed
from duelist.core.spec import Spec

SCHEMA = 2  # of the JSON form
MAX_OPEN = 100_000


class Live(NamedTuple):
    """The machine code behind `choose` and `update`, for arguments of the types that live calls pass."""

    choose: Any
    update: Any


class Agent(Declared):
    """Base of policies and learners."""

    registry: ClassVar[Registry[Any]]
    name: ClassVar[str] = ""  # on the command line; made from the class name when empty
    asks: ClassVar[str] = "value"  # what it is asked for, in error messages
    foreign: ClassVar[type[DuelError]] = DuelError  # errors for what it did not ask, or asked too long ago
    expired: ClassVar[type[DuelError]] = DuelError
    kernels = ("reset", "choose", "update")
    reserved = Declared.reserved | {"rng", "told", "asked", "max_open", "spec", "registry", "name", "asks"}

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        if abstract:
            return
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        cls.registry.add(cls.name, cls)
        cls._document()

    def __new__(cls, size: Any = None, /, **given: Any) -> Self:
        return object.__new__(cls.resolve(given, size))

    def __init__(self, size: int, parameters: Mapping[str, Any], seed: Any, max_open: int) -> None:
        who = type(self).__name__
        settings = dict(parameters)
        if isinstance(settings.get("base"), type):
            settings["base"] = self.registry.name_of(settings["base"])
        super().__init__(size, check_settings(who, self.parameters(), settings))
        if not isinstance(max_open, int) or max_open < 1:
            raise BadInput(f"{who}: max_open must be a whole number of at least 1, not {max_open!r}")
        self.max_open = max_open
        self.rng = np.random.default_rng(check_seed(who, seed))
        self.asked = self.told = 0
        self._open: dict[str, Any] = {}  # by id, oldest first
        self._closed: dict[str, str] = {}  # what became of the last ones: told or expired
        plain_start(type(self))(self.memory, self.rng)

    # Identity.

    @property
    def spec(self) -> Spec:
        """Its name and all its parameters, as data."""
        return Spec(self.registry.family, self.name, self.parameter_values())

    @classmethod
    def class_spec(cls) -> Spec:
        """The spec of a class that nothing was set of yet: its name, and what it holds if that was chosen."""
        chosen = "base" in cls.fields and cls.registry.get(cls.name) is not cls
        held = {"base": cls.fields["base"].default} if chosen else {}
        return Spec(cls.registry.family, cls.name, held)

    def identity(self) -> dict[str, Any]:
        """What its constructor needs beside parameters: arms, or features."""
        raise TypeError(f"{type(self).__name__} has no identity")

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value}" for name, value in self.parameter_values().items())
        size = f"{self.sized_by}={getattr(self, self.sized_by)}"
        return f"{type(self).__name__}({size}{settings}): {self.told} told, {len(self._open)} open"

    @classmethod
    def _document(cls) -> None:
        """Let `inspect.signature` and `help` show the parameters, which are declared and not arguments."""
        init = inspect.signature(cls.__init__).parameters.values()
        own = [p for p in init if p.name != "self" and p.kind is not p.VAR_KEYWORD]
        known = cls.parameters()
        for name, declared in known.items():
            default = inspect.Parameter.empty if declared.required else declared.default
            kind = type(declared.default)
            own.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind))
        cls.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
        if known and cls.__doc__:
            lines = [f"        {name}: {declared.help}" for name, declared in known.items()]
            cls.__doc__ = cls.__doc__.rstrip() + "\n\n    Parameters:\n" + "\n".join(lines) + "\n    "

    # Holding another agent: a class that declares the parameter `base` holds whichever the user names.

    @classmethod
    def resolve(cls, given: Mapping[str, Any], size: Any = None) -> type[Self]:
        """The class that runs with these parameters: compiled code depends on what is held, and goes by class.

        `size` is the number of arms or features, where it is known and right: it is checked later.
        """
        base = given.get("base")
        if base is None or "base" not in cls.fields:
            return cls
        return cls.over(cls.base_class(base))

    @classmethod
    @once
    def over(cls, base: type[Agent], name: str = "") -> type[Self]:
        """This class around `base`: a subclass with the same text, and the same name unless given, that holds it.

        It is made at run time, once for each base, because `fields` are what a class compiles from. Nobody
        needs to name it: agents are stored and pickled by their spec.
        """
        if set(cls.held().values()) == {base} and not name:
            return cls
        held = {name: Holds(base) for name, f in cls.fields.items() if isinstance(f, Holds) and _is_agent(f.part)}
        declared = cls.fields["base"]
        named = Parameter(base.name, declared.help, family=declared.family)
        space: dict[str, Any] = {
            **held,
            "base": named,
            "__doc__": cls.__doc__,
            "__module__": cls.__module__,
            "name": name or cls.name,
        }
        space["_written"] = cls.written()
        return type(f"{cls.__name__}_{base.__name__}", (cls,), space, abstract=True)

    @classmethod
    def written(cls) -> type[Agent]:
        """The class as somebody wrote it, of one that `over` made; itself otherwise."""
        found: type[Agent] = vars(cls).get("_written", cls)
        return found

    @classmethod
    def base_class(cls, base: Any) -> type[Agent]:
        found = cls.registry.get(base) if isinstance(base, str) else base
        if not (isinstance(found, type) and issubclass(found, Agent) and found.registry is cls.registry):
            raise BadInput(f"base must be a {cls.registry.family}'s name or class, not {base!r}")
        return found

    # Open and told.

    def _issue(self, id: str | None) -> str:
        """A new id: the caller's, or a random one that no other process will ever issue."""
        if id is None:
            return secrets.token_urlsafe(12)
        if not isinstance(id, str) or not id or id in self._open or id in self._closed:
            raise BadInput(f"an id must be a text that was not used before, not {id!r}")
        return id

    def _remember(self, id: str, value: Any) -> None:
        self.asked += 1
        self._open[id] = value
        if len(self._open) > self.max_open:
            self._close(next(iter(self._open)), "expired")

    def _close(self, id: str, how: str) -> None:
        del self._open[id]
        self._closed[id] = how
        if len(self._closed) > self.max_open:
            del self._closed[next(iter(self._closed))]

    def _refuse(self, id: str) -> DuelError:
        """Why something with this id, which is not open, cannot be told."""
        if self._closed.get(id) == "told":
            return AlreadyTold(f"{self.asks} {id!r} was told before")
        if id in self._closed:
            return self.expired(f"{self.asks} {id!r} expired: more than max_open={self.max_open} were opened since")
        return self.foreign(f"{self.asks} {id!r} was not asked from this {self.name}, or was told or expired long ago")

    # Compiled code.

    def warm_up(self) -> Self:
        """Compile what `ask` and `tell` need, so that the first visitor does not wait for it."""
        self.live()
        return self

    def live(self) -> Live:
        """The machine code of this class; compiled, or read from the cache on disk, at its first use."""
        found = LIVE.get(type(self))
        if found is None:
            found = LIVE[type(self)] = self._compile()
        return found

    def _compile(self) -> Live:
        raise TypeError(f"{type(self).__name__} has no live code")

    # As a value.

    def record(self) -> dict[str, Any]:
        """Everything needed to go on, the generator and what is open included, as plain values and arrays."""
        return {
            "schema": SCHEMA,
            "spec": self.spec.to_dict(),
            **self.identity(),
            "max_open": self.max_open,
            "asked": self.asked,
            "told": self.told,
            "open": {number: list(value) for number, value in self._open.items()},
            "closed": dict(self._closed),
            "tables": {name: array.copy() for name, array in self.tables().items()},
            "generator": self.rng.bit_generator.state,
        }

    def to_json(self) -> str:
        """Everything needed to go on, as text."""
        return write_record(self.record(), f"this {self.registry.family}")

    @classmethod
    def from_json(cls, record: str | bytes | Mapping[str, Any]) -> Self:
        """The agent that `to_json` (or `record`) described; it continues identically."""
        what = f"a {cls.registry.family}"
        data = read_record(record, what, SCHEMA)
        with reading(what):
            spec = Spec.read(cls.registry.family, data["spec"])
        kind = cls.registry.get(spec.name)
        if not issubclass(kind, cls):
            raise BadInput(f"this JSON holds the {cls.registry.family} {spec.name!r}, not a {cls.__name__}")
        with reading(what):
            agent: Self = kind.revive(data, spec)
            for name, array in agent.tables().items():
                array[...] = data["tables"][name]
            agent.rng.bit_generator.state = data["generator"]
            agent.asked, agent.told = data["asked"], data["told"]
            agent._closed = dict(data["closed"])
        return agent

    def save(self, path: str | Path) -> None:
        """Keep it in a file: whoever reads that sees the old state or the new one, whatever happens meanwhile."""
        replace_file(Path(path), self.to_json().encode())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """What `save` kept.

        >>> import tempfile
        >>> from duelist import RUCB
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     RUCB(n_arms=3, seed=1).save(f"{folder}/policy.json")
        ...     RUCB.load(f"{folder}/policy.json")
        RUCB(n_arms=3, alpha=0.51): 0 told, 0 open
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise BadInput(f"{str(path)!r} cannot be read: {error.strerror}") from None
        try:
            return cls.from_json(data)
        except BadInput as error:
            cut = "" if data.rstrip().endswith(b"}") else f"; it ends after {len(data)} bytes, in the middle"
            raise BadInput(f"{str(path)!r}: {error}{cut}") from None

    @classmethod
    def revive(cls, data: Mapping[str, Any], spec: Spec) -> Self:
        """One as it was made, with what was open."""
        raise TypeError(f"{cls.__name__} cannot be revived")

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (self.registry.family, self.record())


LIVE: dict[type[Agent], Live] = {}


def _revive(family: str, record: dict[str, Any]) -> Agent:
    from duelist.core.registry import find_family

    kind = find_family(family).get(record["spec"]["name"])
    agent: Agent = kind.from_json(record)
    return agent


def _is_agent(part: type[Declared]) -> bool:
    return issubclass(part, Agent)


@once
def plain_start(kind: type[Agent]) -> Any:
    """`start` as plain Python: it runs once, which is not worth compiling."""
    return plain(kind.method("start", plain))
