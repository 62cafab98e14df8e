"""The K-armed dueling policy: written once, run live or inside a compiled loop."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from duelist.core.compile import kernel, once, plain, rebind, specialise
from duelist.core.errors import AlreadyTold, BadInput, ExpiredDuel, ForeignDuel
from duelist.core.memory import Declared
from duelist.core.registry import Registry

SCHEMA = 1  # of the JSON form
VIEWS = ("strong", "weak", "copeland", "borda", "none")
POLICIES: Registry[type[Policy]] = Registry("policy", "duelist.dueling.policies")


class Duel(NamedTuple):
    """A pair of arms shown once, with all that its update will need.

    >>> Duel(left=0, right=3, t=1)._replace(left="bm25", right="vector").left
    'bm25'
    """

    left: Any  # an arm: its number inside kernels, its name in a live duel that has names
    right: Any
    t: int  # one more than the number of tells when the duel was asked
    left_p: float = 1.0  # probability with which the left arm was drawn, where that matters
    right_p: float = 1.0
    id: int = 0  # set by ask


@kernel
def whole_duel(left: int, right: int, t: int, left_p: float = 1.0, right_p: float = 1.0) -> Duel:
    """`Duel` for compiled code: numba would leave out the fields that have their default."""
    return Duel(left, right, t, left_p, right_p, 0)


class Certainty(NamedTuple):
    """An arm that is the best with probability `confidence`, and the duels it took to know."""

    arm: Any
    confidence: float
    duels: int


class Policy(Declared):
    """Chooses pairs of arms to duel and learns from who won.

    An algorithm declares its parameters and arrays and writes `choose`, `update` and
    `best_arm`. Inside `choose`, `update` and `start` only what numba compiles may be
    used, and `self` has the declared fields and `n_arms`, nothing else. `choose`
    changes nothing that a second `choose` would notice: progress is made by `update`.
    """

    name: ClassVar[str] = ""  # on the command line; made from the class name when empty
    view: ClassVar[str] = "strong"  # the regret that stops growing, one of VIEWS
    kernels = ("reset", "choose", "update")
    reserved = Declared.reserved | {"arms", "numbers", "rng", "told", "asked", "max_open"}

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        if abstract:
            return
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        if cls.view not in VIEWS:
            raise BadInput(f"{cls.__name__}: view must be one of {', '.join(VIEWS)}, not {cls.view!r}")
        POLICIES.add(cls.name, cls)

    def __init__(
        self,
        n_arms: int | None = None,
        *,
        arms: Sequence[Hashable] | None = None,
        seed: int | np.random.SeedSequence | None = None,
        max_open: int = 100_000,
        **parameters: Any,
    ) -> None:
        who = type(self).__name__
        known = self.parameters()
        if unknown := sorted(parameters.keys() - known.keys()):
            allowed = ", ".join(known) or "none"
            raise BadInput(f"{who} has no parameter {unknown[0]!r}; its parameters: {allowed}")
        self.arms: Sequence[Any] = _check_arms(who, n_arms, arms)
        self.numbers = {arm: number for number, arm in enumerate(self.arms)}
        if not isinstance(max_open, int) or max_open < 1:
            raise BadInput(f"{who}: max_open must be a whole number of at least 1, not {max_open!r}")
        super().__init__(len(self.arms), parameters)
        self.max_open = max_open
        sequence = _check_seed(who, seed)
        self.rng = np.random.default_rng(sequence)
        self.asked = self.told = 0
        self._first_id = _first_id(sequence, self.name, self.arms, self.parameter_values())
        self._open: dict[int, Duel] = {}  # by id, oldest first; arms as numbers
        self._expired: dict[int, None] = {}
        _plain_start(type(self))(self.memory, self.rng)

    # Written by each algorithm.

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        """The next duel; `t` is one more than the number of tells so far."""
        raise TypeError(f"{type(self).__name__} has no choose")

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        """Learn from the outcome of `duel`, which may have been chosen long ago."""
        raise TypeError(f"{type(self).__name__} has no update")

    def best_arm(self) -> int:
        """The number of the arm to use if one had to be used now; runs as plain Python."""
        raise TypeError(f"{type(self).__name__} has no best_arm")

    # Used by everybody.

    def ask(self) -> Duel:
        """The next pair to show. Many duels may be open at once."""
        drawn = _live(self).choose(self.memory, self.told + 1, self.rng)
        self.asked += 1
        number = self._first_id + self.asked
        duel = Duel(int(drawn.left), int(drawn.right), int(drawn.t), float(drawn.left_p), float(drawn.right_p), number)
        self._open[number] = duel
        if len(self._open) > self.max_open:
            self._expire()
        return duel._replace(left=self.arms[duel.left], right=self.arms[duel.right])

    def tell(self, duel: Duel, outcome: float | None = None, *, winner: Any = None) -> None:
        """Report how `duel` ended: an outcome from 0 to 1 (1: the left arm won), or the winner."""
        drawn = self._find(duel)
        value = _check_outcome(duel, outcome, winner)
        _live(self).update(self.memory, drawn, value, self.told + 1, self.rng)
        del self._open[drawn.id]
        self.told += 1

    def best(self) -> Any:
        """The arm to use if one had to be used now."""
        return self.arms[int(self.best_arm())]

    def to_json(self) -> str:
        """Everything needed to go on, the generator and the open duels included."""
        named = not isinstance(self.arms, range)
        return json.dumps(
            {
                "schema": SCHEMA,
                "policy": self.name,
                "arms": list(self.arms) if named else self.n_arms,
                "parameters": self.parameter_values(),
                "told": self.told,
                "asked": self.asked,
                "first_id": self._first_id,
                "max_open": self.max_open,
                "open": [list(duel) for duel in self._open.values()],
                "expired": list(self._expired),
                "tables": {name: array.tolist() for name, array in self.tables().items()},
                "generator": self.rng.bit_generator.state,
            },
            allow_nan=False,
        )

    @classmethod
    def from_json(cls, record: str | bytes | Mapping[str, Any]) -> Self:
        """The policy that `to_json` described; it continues identically."""
        try:
            data = record if isinstance(record, Mapping) else json.loads(record)
        except ValueError as error:
            raise BadInput(f"not the JSON of a policy: {error}") from None
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            schema = data.get("schema") if isinstance(data, Mapping) else None
            raise BadInput(f"not the JSON of a policy of schema {SCHEMA}: schema is {schema!r}")
        kind = POLICIES.get(data["policy"])
        if not issubclass(kind, cls):
            raise BadInput(f"this JSON holds the policy {data['policy']!r}, not a {cls.__name__}")
        arms = {"n_arms" if isinstance(data["arms"], int) else "arms": data["arms"]}
        policy = kind(**arms, seed=0, max_open=data["max_open"], **data["parameters"])
        for name, array in policy.tables().items():
            array[...] = data["tables"][name]
        policy.rng.bit_generator.state = data["generator"]
        policy.told, policy.asked, policy._first_id = data["told"], data["asked"], data["first_id"]
        policy._open = {duel[-1]: Duel(*duel) for duel in data["open"]}
        policy._expired = dict.fromkeys(data["expired"])
        return policy

    @classmethod
    def facts(cls) -> dict[str, Any]:
        """What the docstring and the declaration say: a row of the table of policies."""
        summary, _, rest = (cls.__doc__ or "").strip().partition("\n")
        notes = dict.fromkeys(("needs", "horizon", "regret", "departs", "ties"), "")
        key = ""
        for line in map(str.strip, rest.splitlines()):
            label, colon, text = line.partition(": ")
            if colon and label.lower() in notes:
                key, notes[label.lower()] = label.lower(), text
            elif key and line:
                notes[key] += " " + line
            else:
                key = ""
        parameters = {
            n: {"default": p.default, "help": p.help, "required": p.required} for n, p in cls.parameters().items()
        }
        return {"policy": cls.name, "summary": summary, "view": cls.view, **notes, "parameters": parameters}

    @classmethod
    def method(cls, name: str, convert: Callable[[Any], Any]) -> Any:
        found = super().method(name, convert)
        return rebind(found, {n: whole_duel for n, value in found.__globals__.items() if value is Duel})

    @classmethod
    def resolve(cls, parameters: Mapping[str, Any]) -> type[Policy]:
        """The class that takes these parameters; a policy that holds another depends on which."""
        return cls

    def certain(self) -> Certainty | None:
        """The answer, once it holds with the confidence asked for; None before, or if there is never one."""
        return None

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value}" for name, value in self.parameter_values().items())
        return f"{type(self).__name__}(n_arms={self.n_arms}{settings}): {self.told} told, {len(self._open)} open"

    def _find(self, duel: Duel) -> Duel:
        """The open duel that `duel` is, with its arms as numbers."""
        if not isinstance(duel, Duel):
            raise BadInput(f"tell needs a duel that ask returned, not {duel!r}")
        drawn = self._open.get(duel.id)
        if drawn is not None and duel == drawn._replace(left=self.arms[drawn.left], right=self.arms[drawn.right]):
            return drawn
        for arm in (duel.left, duel.right):
            if arm not in self.numbers:
                raise ForeignDuel(f"duel {duel.id} has the unknown arm {arm!r}; known arms: {_listed(self.arms)}")
        if duel.id in self._expired:
            raise ExpiredDuel(
                f"duel {duel.id} expired: more than max_open={self.max_open} newer duels were opened since"
            )
        if drawn is None and 0 < duel.id - self._first_id <= self.asked:
            raise AlreadyTold(f"duel {duel.id} between {duel.left!r} and {duel.right!r} was told before")
        raise ForeignDuel(f"duel {duel.id} between {duel.left!r} and {duel.right!r} was not asked from this policy")

    def _expire(self) -> None:
        """Drop the oldest open duel, and remember as many dropped ones as may be open."""
        oldest = next(iter(self._open))
        del self._open[oldest]
        self._expired[oldest] = None
        if len(self._expired) > self.max_open:
            del self._expired[next(iter(self._expired))]


def _check_arms(who: str, n_arms: int | None, arms: Sequence[Hashable] | None) -> Sequence[Any]:
    if (n_arms is None) == (arms is None):
        raise BadInput(f"{who} needs either n_arms, a whole number of at least 2, or arms, a list of names")
    if arms is None:
        if not isinstance(n_arms, int | np.integer) or isinstance(n_arms, bool) or n_arms < 2:
            raise BadInput(f"{who}: n_arms must be a whole number of at least 2, not {n_arms!r}")
        return range(int(n_arms))
    names = list(arms)
    if len(names) < 2:
        raise BadInput(f"{who}: arms must be at least 2 names, not {names!r}")
    if repeated := [name for i, name in enumerate(names) if name in names[:i]]:
        raise BadInput(f"{who}: arms must differ, but {repeated[0]!r} comes twice")
    return names


def _check_seed(who: str, seed: Any) -> np.random.SeedSequence:
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if seed is not None and (not isinstance(seed, int | np.integer) or seed < 0):
        raise BadInput(f"{who}: seed must be a whole number of at least 0 or None, not {seed!r}")
    return np.random.SeedSequence(seed)


def _check_outcome(duel: Duel, outcome: float | None, winner: Any) -> float:
    if (outcome is None) == (winner is None):
        raise BadInput("tell needs either an outcome from 0 to 1 or winner=arm")
    if outcome is None:
        if winner not in (duel.left, duel.right):
            raise BadInput(f"the winner must be {duel.left!r} or {duel.right!r}, not {winner!r}")
        return 1.0 if winner == duel.left else 0.0
    try:
        value = float(outcome)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise BadInput(f"an outcome must be a number from 0 (right wins) to 1 (left wins), not {outcome!r}")
    return value


def _first_id(sequence: np.random.SeedSequence, *identity: Any) -> int:
    """Where the ids of one policy begin, so that another policy's duel is recognised.

    The same seed gives the same ids, as everything else. Ids stay below 2^53, which
    is as far as JSON numbers are safe everywhere: 8 billion duels a policy, and two
    policies share a prefix with odds of one in a million.
    """
    text = repr((sequence.entropy, sequence.spawn_key, identity))
    prefix = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 12
    return prefix << 33


def _listed(arms: Sequence[Any]) -> str:
    shown = ", ".join(repr(arm) for arm in arms[:10])
    return shown if len(arms) <= 10 else f"{shown}, ... ({len(arms)} in all)"


# The two kernels of a live policy, compiled at the first use of its class.


def choose(memory: Any, t: int, rng: np.random.Generator) -> Duel:
    """Bound to the policy's kernel."""
    raise TypeError("unbound")


def update(memory: Any, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
    """Bound to the policy's kernel."""
    raise TypeError("unbound")


def reset(memory: Any, rng: np.random.Generator) -> None:
    """Bound to the policy's kernel."""
    raise TypeError("unbound")


def _ask(memory: Any, t: int, rng: np.random.Generator) -> Duel:
    return choose(memory, t, rng)


def _tell(memory: Any, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
    update(memory, duel, outcome, t, rng)


class Live(NamedTuple):
    """The machine code behind ask and tell."""

    choose: Any
    update: Any


_LIVE: dict[type[Policy], Live] = {}


def _live(policy: Policy) -> Live:
    kind = type(policy)
    if kind not in _LIVE:
        choose = specialise(_ask, {"choose": kind.method("choose", kernel)})
        update = specialise(_tell, {"update": kind.method("update", kernel)})
        duel = Duel(0, 1, 1, 1.0, 1.0, 0)
        _LIVE[kind] = Live(
            choose.entry(policy.memory, 1, policy.rng), update.entry(policy.memory, duel, 1.0, 1, policy.rng)
        )
    return _LIVE[kind]


@once
def _plain_start(policy: type[Policy]) -> Any:
    return plain(policy.method("start", plain))
