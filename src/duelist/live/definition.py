"""What an experiment is: a small document, checked before anything runs, and never changed once it is running."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from duelist.core.errors import BadInput
from duelist.core.spec import Spec
from duelist.evidence.weights import FEATURES
from duelist.interleaving.method import Method, make_method
from duelist.live.contents import Contents, check_contents

KINDS = ("pair", "arms", "multileave", "weights")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MAX_ARMS, MAX_LENGTH, MAX_FEATURES = 1_000, 1_000, 10_000


def _clicks() -> dict[str, float]:
    return {"click": 1.0}


class Session(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When an impression is closed, in seconds: then its clicks are credited, and never change again."""

    timeout: float = 1800.0  # after it was shown
    grace: float = 60.0  # after its last click; 0 to wait for the timeout
    next: bool = True  # when the same user is shown the next list


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When an experiment ends by itself."""

    rule: Literal["hand", "evidence", "certain", "budget"] = "hand"
    alpha: float = 0.05  # evidence: the chance of a wrong winner, however often one looks
    budget: int = 0  # impressions or duels


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An experiment as data.

    >>> search = Definition.read({"name": "search", "kind": "arms", "arms": ["bm25", "ltr"], "policy": "rucb"})
    >>> search.default, search.session.timeout
    ('bm25', 1800.0)
    """

    name: str
    kind: Literal["pair", "arms", "multileave", "weights"]
    arms: tuple[str, ...] = ()
    features: int | tuple[str, ...] = 0  # weights: how many, or their names
    policy: str = "auto"  # arms
    learner: str = "pdgd"  # weights
    parameters: dict[str, Any] = {}  # of the policy or learner
    method: str = "team-draft"  # of interleaving
    length: int = 10  # documents on a page, unless a request says otherwise
    credit: dict[str, float] = msgspec.field(default_factory=_clicks)  # of an action, times its value
    click_weights: tuple[float, ...] = ()  # learned weights of click features, instead of counting clicks
    session: Session = Session()
    silence: Literal["skip", "tie"] = "skip"  # what a list without a click means to a policy
    share: float = 1.0  # of users that take part
    holdout: float = 0.0  # of users that never do
    default: str = ""  # the arm for everybody else; the first one unless given
    shadow: bool = False  # draw and journal, but show the default
    floor: float = 0.0  # of the duels, for each arm, whatever the policy wants
    stop: Stop = Stop()
    seed: int = 0  # of what is learnt with luck; never of what is shown
    # What came later is left out of the document where it is not given: older definitions stay what they were.
    contents: Contents | msgspec.UnsetType = msgspec.UNSET  # arms: what people who vote see
    target: Literal["best", "order"] | msgspec.UnsetType = msgspec.UNSET  # what votes are to find; best

    @classmethod
    def read(cls, given: Mapping[str, Any] | Definition) -> Definition:
        """A definition from a document, checked; an error names the field, the bad value and the allowed ones."""
        if isinstance(given, Definition):
            return given
        try:
            made = msgspec.convert(dict(given), cls)
        except msgspec.ValidationError as error:
            raise BadInput(f"not a definition: {error}") from None
        if not made.default and made.arms:
            made = msgspec.structs.replace(made, default=made.arms[0])
        made.check()
        return made

    def document(self) -> dict[str, Any]:
        """The whole of it, as plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    @property
    def digest(self) -> str:
        """The same for the same definition."""
        return hashlib.blake2b(msgspec.json.encode(self, order="sorted"), digest_size=8).hexdigest()

    @property
    def n_features(self) -> int:
        """How many features a document has."""
        return self.features if isinstance(self.features, int) else len(self.features)

    @property
    def agent(self) -> Spec:
        """The policy or learner, parameters included."""
        family = "learner" if self.kind == "weights" else "policy"
        spec = Spec.read(family, self.learner if self.kind == "weights" else self.policy)
        return Spec(family, spec.name, {**spec.parameters, **self.parameters})

    def interleaver(self) -> Method:
        """The method that makes lists."""
        return make_method(self.method)

    def check(self) -> None:
        """Raise BadInput for what msgspec cannot see."""
        if not NAME.fullmatch(self.name):
            raise BadInput(f"name must be letters, digits, '.', '_' and '-', at most 100, not {self.name!r}")
        self._check_numbers()
        if (self.contents or self.target) and (self.kind != "arms" or not self.contents):
            raise BadInput("contents are for kind 'arms', and target for arms with contents")
        if self.kind == "weights":
            self._check_weights()
        else:
            self._check_arms()
            method = self.interleaver()
            if method.only_two and self.kind == "multileave" and len(self.arms) > 2:
                raise BadInput(f"method: {method.name} combines two rankings, and there are {len(self.arms)} arms")
        unknown = [action for action, worth in self.credit.items() if not action or not abs(worth) < float("inf")]
        if unknown or not self.credit:
            raise BadInput(f"credit must name at least one action with a finite worth, not {self.credit!r}")
        if self.click_weights and (len(self.click_weights) != len(FEATURES) or self.kind in ("multileave", "weights")):
            raise BadInput(f"click_weights are {len(FEATURES)} numbers for a pair or arms, not {self.click_weights!r}")

    def _check_numbers(self) -> None:
        timeout, grace = self.session.timeout, self.session.grace
        limits: dict[str, tuple[float, float, float]] = {
            "share": (self.share, 0, 1),
            "holdout": (self.holdout, 0, 1),
            "floor": (self.floor, 0, 1 / max(2, len(self.arms))),
            "session.timeout": (timeout, 1e-3, 1e8),
            "session.grace": (grace, 0, timeout),
            "stop.alpha": (self.stop.alpha, 1e-9, 0.5),
            "stop.budget": (self.stop.budget, 1 if self.stop.rule == "budget" else 0, 2**53),
            "length": (self.length, 1, MAX_LENGTH),
            "seed": (self.seed, 0, 2**63 - 1),
        }
        for name, (value, low, high) in limits.items():
            if not low <= value <= high:
                raise BadInput(f"{name} must be from {low:g} to {high:g}, not {value!r}")

    def _check_arms(self) -> None:
        least = f"{self.kind} needs "
        if self.kind == "pair" and len(self.arms) != 2:
            raise BadInput(f"{least}exactly two arms, not {list(self.arms)!r}")
        if not 2 <= len(self.arms) <= MAX_ARMS or len({*self.arms}) != len(self.arms) or not all(self.arms):
            raise BadInput(f"{least}from 2 to {MAX_ARMS} arms with different names, not {list(self.arms)[:20]!r}")
        if self.default not in self.arms:
            raise BadInput(f"default must be one of the arms {list(self.arms)[:20]!r}, not {self.default!r}")
        if self.kind == "arms":
            policy = self.agent.make(len(self.arms))  # whatever is wrong with the parameters is said now
            if self.contents:
                self._check_contents(policy.lessons())
        elif self.parameters:
            raise BadInput(f"{self.kind} has no policy, and parameters {self.parameters!r} mean nothing")
        if self.stop.rule == "certain" and self.kind != "arms":
            raise BadInput("stop.rule 'certain' is for kind 'arms', whose policy says when it is; try 'evidence'")

    def _check_contents(self, lessons: str) -> None:
        assert not isinstance(self.contents, msgspec.UnsetType)
        check_contents(self.contents, self.arms)
        if lessons == "drawn":
            raise BadInput(
                f"policy: {self.agent.name} weighs outcomes by the probabilities it drew arms with, and people are not "
                "asked about an arm and itself, nor twice about the same two; with contents take d-ts, rmed1 or rucb"
            )
        if self.shadow:
            raise BadInput("shadow shows everybody the default, and contents are there to be voted on")

    def _check_weights(self) -> None:
        if self.arms or not 1 <= self.n_features <= MAX_FEATURES:
            raise BadInput(f"weights needs features, from 1 to {MAX_FEATURES}, and no arms")
        if self.stop.rule in ("evidence", "certain"):
            raise BadInput(f"stop.rule of weights must be 'hand' or 'budget', not {self.stop.rule!r}")
        self.agent.make(self.n_features)
