"""How a log is analysed, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from duelist.analysis.guardrails import OWN, Guardrail
from duelist.analysis.losses import MOST
from duelist.analysis.outcomes import Outcome
from duelist.analysis.segments import QUERIES
from duelist.core.errors import BadInput
from duelist.evidence.deltas import check_share

UNITS = ("user", "query")


@dataclass(frozen=True)
class Settings:
    """How a log is analysed."""

    alpha: float = 0.05
    window: float | None = None  # hours; None: users count for as long as the log lasts
    unit: str = "user"
    ended: bool = False
    seed: int = 0
    cap: float | None = None  # of preferences by the first outcome
    outcomes: tuple[str, ...] = ("clicks",)
    attribution: float | None = None  # hours after which a click counts no more
    segments: tuple[str, ...] = ()
    guardrails: tuple[str, ...] = ()
    most_lost: float = MOST
    most: int | None = None  # impressions of a user; those with more are left out
    caps: tuple[str, ...] = ()  # of other outcomes, as purchase:value=200

    def check(self) -> Settings:
        """The same, if it makes sense; what is asked for twice is asked once, and shares its level with nobody."""
        check_share("alpha", self.alpha)
        check_share("most_lost", self.most_lost)
        for name in ("window", "attribution"):
            if getattr(self, name) is not None and not getattr(self, name) >= 0:
                raise BadInput(f"{name} must be at least 0 hours, not {getattr(self, name)!r}")
        if self.unit not in UNITS:
            raise BadInput(f"unit must be one of {', '.join(UNITS)}, not {self.unit!r}")
        if self.most is not None and self.most < 1:
            raise BadInput(f"most must be at least 1 impression of a user, not {self.most!r}")
        if not self.outcomes:
            raise BadInput("at least one outcome is needed, as clicks")
        self.capped()
        outcomes: dict[Outcome, str] = {}
        for text in self.outcomes:
            outcomes.setdefault(Outcome.read(text), text)
        segments, guardrails = (tuple(dict.fromkeys(names)) for names in (self.segments, self.guardrails))
        return replace(self, outcomes=tuple(outcomes.values()), segments=segments, guardrails=guardrails)

    def capped(self) -> dict[Outcome, float]:
        """The outcomes that have a cap.

        >>> Settings(outcomes=("clicks", "purchase:value"), caps=("purchase=200",)).capped().values()
        dict_values([200.0])
        """
        outcomes = [Outcome.read(text) for text in self.outcomes]
        caps = {} if self.cap is None else {outcomes[0]: self.cap}
        for text in self.caps:
            name, _, amount = text.rpartition("=")
            mine = [outcome for outcome in outcomes if name == str(outcome)]
            mine = mine or [outcome for outcome in outcomes if name == outcome.action]
            try:
                caps |= dict.fromkeys(mine[-1:], float(amount))
            except ValueError:
                raise BadInput(f"a cap is an outcome and a number, as purchase:value=200, not {text!r}") from None
            if not mine:
                raise BadInput(f"a cap for {name!r}, but the outcomes are {', '.join(self.outcomes)}")
        for outcome, cap in caps.items():
            if not 0 < cap < math.inf:
                raise BadInput(f"the cap of {outcome} must be a finite number above 0, not {cap!r}")
        return caps

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a log that it needs beyond the usual ones."""
        rails = [Guardrail.read(text).column for text in self.guardrails]
        return tuple(dict.fromkeys(n for n in (*self.segments, *rails) if n not in (QUERIES, *OWN)))


DEFAULT = Settings()
