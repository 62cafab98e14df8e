"""The K-armed dueling policy: written once, run live or inside a compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self, SupportsFloat, SupportsIndex, overload

import numpy as np

from duelist.core.agent import MAX_OPEN, Agent, Live
from duelist.core.compile import kernel, rebind, specialise
from duelist.core.errors import BadInput, ExpiredDuel, ForeignDuel
from duelist.core.record import frozen, read_record, reading, write_record
from duelist.core.registry import Registry
from duelist.core.spec import Spec
from duelist.dueling.answers import ANSWERS, Certainty, rank_by_wins
from duelist.dueling.checks import check_arms, check_outcome, listed
from duelist.dueling.counts import PairCounts

SCHEMA = 1  # of a duel's JSON form
LEARNS = {
    "all": "each counts as if it had been asked here",
    "fitting": "those count that fit where the policy stands; the others are taken in and ignored",
    "drawn": "none: it weighs outcomes by the probabilities it drew arms with, and others drew these",
}
VIEWS = ("strong", "weak", "copeland", "borda", "none")
POLICIES: Registry[type[Policy]] = Registry("policy")


class Duel(NamedTuple):
    """A pair of arms shown once, with all that its update will need.

    >>> duel = Duel(left="bm25", right="vector", t=1, id="7")
    >>> Duel.from_json(duel.to_json()) == duel
    True
    """

    left: Any  # an arm: its number inside kernels, its name in a live duel that has names
    right: Any
    t: int  # one more than the number of tells when the duel was asked
    left_p: float = 1.0  # probability with which the left arm was drawn, where that matters
    right_p: float = 1.0
    id: Any = ""  # set by ask; inside kernels a number that means nothing

    def to_json(self) -> str:
        """The duel as text; its arms must be text, numbers, true, false, null or tuples of these."""
        return write_record({"schema": SCHEMA, **self._asdict()}, f"the duel {tuple(self)}")

    @classmethod
    def from_json(cls, record: str | bytes | Mapping[str, Any]) -> Duel:
        """What `to_json` wrote."""
        data = dict(read_record(record, "a duel", SCHEMA))
        del data["schema"]
        with reading("a duel"):
            return cls(**{name: frozen(value) for name, value in data.items()})


@kernel
def whole_duel(left: int, right: int, t: int, left_p: float = 1.0, right_p: float = 1.0) -> Duel:
    """`Duel` for compiled code: numba would leave out the fields that have their default."""
    return Duel(left, right, t, left_p, right_p, 0)


class Policy(Agent, abstract=True):
    """Chooses pairs of arms to duel and learns from who won.

    An algorithm declares its parameters and arrays and writes `choose`, `update` and
    `best_arm`. Inside `choose`, `update` and `start` only what numba compiles may be
    used, and `self` has the declared fields and `n_arms`, nothing else. `choose`
    changes nothing that a second `choose` would notice: progress is made by `update`.
    """

    registry = POLICIES
    asks, foreign, expired = "duel", ForeignDuel, ExpiredDuel
    answers: ClassVar[str] = "arm"  # what it finds, one of ANSWERS
    learns: ClassVar[str] = "fitting"  # what it does with duels made elsewhere, one of LEARNS
    view: ClassVar[str] = "strong"  # the regret that stops growing, one of VIEWS
    reserved = Agent.reserved | {"arms", "numbers", "met"}

    def __init_subclass__(cls, abstract: bool = False) -> None:
        for fact, known in (("view", VIEWS), ("answers", ANSWERS)):
            if (said := getattr(cls, fact)) not in known:
                raise BadInput(f"{cls.__name__}: {fact} must be one of {', '.join(known)}, not {said!r}")
        super().__init_subclass__(abstract)

    def __new__(
        cls, n_arms: SupportsIndex | None = None, *, arms: Sequence[Hashable] | None = None, **given: Any
    ) -> Self:
        return object.__new__(cls.resolve(given, n_arms if arms is None else len(arms)))

    def __init__(
        self,
        n_arms: SupportsIndex | None = None,
        *,
        arms: Sequence[Hashable] | None = None,
        seed: SupportsIndex | np.random.SeedSequence | None = None,
        max_open: int = MAX_OPEN,
        **parameters: Any,
    ) -> None:
        self.arms: Sequence[Any] = check_arms(type(self).__name__, n_arms, arms)
        self.numbers = {arm: number for number, arm in enumerate(self.arms)}
        super().__init__(len(self.arms), parameters, seed, max_open)
        self._spare = np.random.default_rng(0)
        self.met = PairCounts()  # what was told or applied here; a simulation's loop does without

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

    def rank_arms(self) -> Sequence[int]:
        """The numbers of all arms, the best first; by what was told, unless a policy knows better. Plain Python."""
        return rank_by_wins(self.met.table(self.n_arms), int(self.best_arm()))

    # Used by everybody.

    @overload
    def ask(self, id: str | None = None) -> Duel: ...

    @overload
    def ask(self, *, n: int) -> list[Duel]: ...

    def ask(self, id: str | None = None, *, n: int | None = None) -> Duel | list[Duel]:
        """The next pair to show. Many duels may be open at once; an id of your own must be new.

        With `n`, a list of so many for judges who work side by side: of pairs that nobody judges yet, where the policy
        draws such, and never an arm with itself. It is shorter, or empty, if the policy is settled.

        >>> from duelist import RUCB
        >>> batch = RUCB(arms=["a", "b", "c", "d"], seed=1).ask(n=6)
        >>> len({frozenset((duel.left, duel.right)) for duel in batch})
        6
        """
        if n is not None:
            from duelist.dueling.batch import ask_batch  # which stands on this module

            return ask_batch(self, n)
        number = self._issue(id)
        drawn = self._choose(self.rng)
        self._remember(number, drawn)
        return self._named(drawn, number)

    def open_duel(self, duel: Duel, id: str | None = None) -> Duel:
        """A duel that was drawn, with an id: from now on it can be told."""
        number = self._issue(id)
        self._remember(number, self._numbered(duel))
        return duel._replace(id=number)

    def open_duels(self) -> list[Duel]:
        """What was asked and not yet told, oldest first."""
        return [self._named(drawn, number) for number, drawn in self._open.items()]

    def tell(self, duel: Duel | str, outcome: SupportsFloat | None = None, *, winner: Any = None) -> None:
        """Report how `duel`, or the open one of this id, ended: an outcome from 0 to 1 (1: left won), or the winner."""
        if isinstance(duel, str):
            if duel not in self._open:
                raise self._refuse(duel)
            duel = self._named(self._open[duel], duel)
        drawn = self._find(duel)
        value = check_outcome(duel, outcome, winner)
        self.live().update(self.memory, drawn, value, self.told + 1, self.rng)
        self.met.add(drawn.left, drawn.right, value)
        self._close(duel.id, "told")
        self.told += 1

    def draw(self, luck: np.random.Generator) -> Duel:
        """A pair to show, drawn with the caller's luck. Nobody remembers it: it has no id, and goes to `apply`.

        >>> from duelist import RUCB
        >>> policy = RUCB(arms=["old", "new"], seed=1)
        >>> duel = policy.draw(np.random.default_rng(0))
        >>> policy.apply(duel, winner=duel.left)
        >>> policy.told, policy.asked
        (1, 0)
        """
        return self._named(self._choose(luck), "")

    def apply(self, duel: Duel, outcome: SupportsFloat | None = None, *, winner: Any = None) -> None:
        """Learn from a duel that was drawn here or elsewhere, open or not.

        What is learnt depends on the duels applied alone, and drawing after it changes nothing.
        """
        value = check_outcome(_check_duel(duel), outcome, winner)
        numbered = self._numbered(duel)
        self._settle()  # no more to do, but after a `tell`
        self.live().update(self.memory, numbered, value, self.told + 1, self.rng)
        self.met.add(numbered.left, numbered.right, value)
        self.told += 1
        self._settle()

    def learn(self, duels: Iterable[Sequence[Any]], share: float = 1.0) -> int:
        """Learn from duels made elsewhere, rows (left, right, outcome); how many. `learns` says what that means.

        Of duels that may no longer hold (another year, another country) take a `share`: each is learnt with this
        probability, which is how counts are discounted without breaking what a policy makes of them.

        >>> from duelist import RUCB
        >>> policy = RUCB(arms=["old", "new", "newer"], seed=1)
        >>> policy.learn([("newer", "old", 1.0)] * 20 + [("newer", "new", 0.8)] * 20)
        40
        >>> policy.best(), policy.told
        ('newer', 40)
        """
        kind = self.lessons()
        if kind == "drawn":
            raise BadInput(f"{self.name} learns no duels made elsewhere, {LEARNS[kind]}")
        if not 0 < share <= 1:
            raise BadInput(f"share must be above 0 and at most 1, not {share!r}")
        count = 0
        for left, right, outcome in duels:
            if share < 1 and self.rng.random() >= share:
                continue
            self.apply(Duel(left, right, self.told + 1), outcome)
            count += 1
        return count

    def with_arms(self, arms: Sequence[Hashable], seed: SupportsIndex | None = None) -> Self:
        """A policy of the same kind for other arms, which knows all that this one was told of those that stay.

        Open duels stay behind. Only for policies that learn all duels made elsewhere: others live by their rounds.

        >>> from duelist import RUCB
        >>> policy = RUCB(arms=["old", "new"], seed=1)
        >>> _ = policy.learn([("new", "old", 1.0)] * 9)
        >>> policy.with_arms(["new", "old", "newest"]).met.table(3)[0].tolist()
        [0.0, 9.0, 0.0]
        """
        if self.lessons() != "all":
            raise BadInput(f"{self.name} cannot change its arms: of duels made elsewhere, {LEARNS[self.lessons()]}")
        other = type(self)(arms=arms, seed=seed, max_open=self.max_open, **self.parameter_values())
        named = ((self.arms[low], self.arms[high], outcome) for low, high, outcome in self.met.duels_again())
        other.learn(row for row in named if row[0] in other.numbers and row[1] in other.numbers)
        return other

    @classmethod
    def lessons(cls) -> str:
        """`learns`, or what it holds learns if that is less."""
        held = [part.lessons() for part in cls.held().values() if issubclass(part, Policy)]
        return max([cls.learns, *held], key=list(LEARNS).index)

    def best(self) -> Any:
        """The arm to use if one had to be used now."""
        return self.arms[int(self.best_arm())]

    def ranking(self) -> tuple[Any, ...]:
        """All arms, the best first, if they had to be put in order now.

        >>> from duelist import RUCB
        >>> policy = RUCB(arms=["old", "new", "newer"], seed=1)
        >>> _ = policy.learn([("newer", "old", 1.0), ("newer", "new", 1.0), ("new", "old", 1.0)])
        >>> policy.ranking(), policy.top(2)
        (('newer', 'new', 'old'), ('newer', 'new'))
        """
        return tuple(self.arms[arm] for arm in self.rank_arms())

    def top(self, k: int) -> tuple[Any, ...]:
        """The k arms to use if so many had to be used now, the best first."""
        if not 1 <= k <= self.n_arms:
            raise BadInput(f"k must be from 1 to {self.n_arms}, not {k!r}")
        return self.ranking()[:k]

    def certain(self, confidence: float | None = None, target: str = "condorcet", k: int = 1) -> Certainty | None:
        """The answer, once it holds with this confidence; None before, or if there is never one.

        It comes from the counts of the duels told here, so that every policy has it, at every look. `target` is one of
        condorcet, copeland, borda, top-k (with `k`) and ranking; of these two the arm is a tuple of arms. Where
        preferences change it speaks of the average over the duels that each pair had, and not of now. Without a
        confidence: what the algorithm itself is sure of, which only some ever are.

        >>> from duelist import RUCB
        >>> policy = RUCB(arms=["old", "new"], seed=1)
        >>> while policy.certain(0.95) is None:
        ...     policy.tell(policy.ask(), winner="new")
        >>> policy.certain(0.95)
        Certainty(arm='new', confidence=0.95, duels=10)
        """
        if confidence is None:
            return self.own_certainty()
        from duelist.evidence.winners import SETS, sure_winner  # scipy: not for those who never ask

        found = sure_winner(self.met.table(self.n_arms), confidence, target, k)
        if found is None:
            return None
        arms = tuple(self.arms[arm] for arm in found)
        return Certainty(arms if target in SETS else arms[0], confidence, self.met.duels)

    def duels_needed(self, confidence: float = 0.95, target: str = "condorcet", k: int = 1) -> float:
        """About how many more duels make it certain, well spent and with rates as they were seen; may be infinite."""
        from duelist.evidence.winners import duels_needed

        return duels_needed(self.met.table(self.n_arms), confidence, target, k)

    def own_certainty(self) -> Certainty | None:
        """What the algorithm itself is sure of; for those that stop by themselves."""
        return None

    def identity(self) -> dict[str, Any]:
        return {"n_arms": self.n_arms} if isinstance(self.arms, range) else {"arms": list(self.arms)}

    def record(self) -> dict[str, Any]:
        return super().record() | {"met": self.met.record()}

    @classmethod
    def revive(cls, data: Mapping[str, Any], spec: Spec) -> Self:
        size = {"arms": [frozen(arm) for arm in data["arms"]]} if "arms" in data else {"n_arms": data["n_arms"]}
        policy = cls(**size, seed=0, max_open=data["max_open"], **spec.parameters)
        policy._open = {key: Duel(*duel) for key, duel in data["open"].items()}
        policy.met = PairCounts(data.get("met", ()))
        return policy

    @classmethod
    def method(cls, name: str, convert: Callable[[Any], Any]) -> Any:
        # An algorithm writes Duel(left, right, t). Numba makes a tuple of the fields given and knows no
        # defaults, so inside a kernel the name Duel means `whole_duel`.
        found = super().method(name, convert)
        return rebind(found, {n: whole_duel for n, value in found.__globals__.items() if value is Duel})

    def _choose(self, luck: np.random.Generator) -> Duel:
        drawn = self.live().choose(self.memory, self.told + 1, luck)
        return Duel(int(drawn.left), int(drawn.right), int(drawn.t), float(drawn.left_p), float(drawn.right_p), 0)

    def _settle(self) -> None:
        """Derive what a policy derives when it chooses. That takes no luck: what it chooses here is thrown away."""
        self.live().choose(self.memory, self.told + 1, self._spare)

    def _named(self, drawn: Duel, id: str) -> Duel:
        left, right = self.arms[drawn.left], self.arms[drawn.right]
        return Duel(left, right, drawn.t, drawn.left_p, drawn.right_p, id)

    def _numbered(self, duel: Duel) -> Duel:
        left, right = self._number(duel, duel.left), self._number(duel, duel.right)
        return Duel(left, right, int(duel.t), float(duel.left_p), float(duel.right_p), 0)

    def _number(self, duel: Duel, arm: Any) -> int:
        if not isinstance(arm, Hashable) or arm not in self.numbers:
            raise ForeignDuel(f"duel {duel.id!r} has the unknown arm {arm!r}; known arms: {listed(self.arms)}")
        return self.numbers[arm]

    def _find(self, duel: Duel) -> Duel:
        """The open duel that `duel` is, with its arms as numbers."""
        drawn: Duel | None = self._open.get(_check_duel(duel).id)
        if drawn is not None and duel == self._named(drawn, duel.id):
            return drawn
        for arm in (duel.left, duel.right):
            self._number(duel, arm)
        if drawn is not None:
            raise ForeignDuel(f"duel {duel.id!r} was asked as {self._named(drawn, duel.id)}, not as {duel}")
        raise self._refuse(duel.id)

    def _compile(self) -> Live:
        kind, duel = type(self), Duel(0, 1, 1, 1.0, 1.0, 0)
        choose = specialise(_ask, {"choose": kind.method("choose", kernel)}, kind.name, releasing=True)
        update = specialise(_tell, {"update": kind.method("update", kernel)}, kind.name, releasing=True)
        return Live(choose.entry(self.memory, 1, self.rng), update.entry(self.memory, duel, 1.0, 1, self.rng))


def _check_duel(duel: Any) -> Duel:
    if not isinstance(duel, Duel):
        raise BadInput(f"a duel that was asked or drawn is needed, not {duel!r}")
    return duel


# The kernels of a policy, bound when its class is compiled.


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
