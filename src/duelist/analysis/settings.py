"""How a log is analysed, as data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from duelist.analysis.guardrails import OWN, Guardrail
from duelist.analysis.losses import MOST
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
    cap: float | None = None
    outcomes: tuple[str, ...] = ("clicks",)
    attribution: float | None = None  # hours after which a click counts no more
    segments: tuple[str, ...] = ()
    guardrails: tuple[str, ...] = ()
    most_lost: float = MOST
    most: int | None = None  # impressions of a user; those with more are left out

    def check(self) -> Settings:
        """The same, if it makes sense."""
        check_share("alpha", self.alpha)
        check_share("most_lost", self.most_lost)
        for name in ("window", "attribution"):
            if getattr(self, name) is not None and not getattr(self, name) >= 0:
                raise BadInput(f"{name} must be at least 0 hours, not {getattr(self, name)!r}")
        if self.unit not in UNITS:
            raise BadInput(f"unit must be one of {', '.join(UNITS)}, not {self.unit!r}")
        if not self.outcomes:
            raise BadInput("at least one outcome is needed, as clicks")
        return replace(self, window=24.0) if self.window is None and self.cap is not None else self

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a log that it needs beyond the usual ones."""
        rails = [Guardrail.read(text).column for text in self.guardrails]
        return tuple(dict.fromkeys(n for n in (*self.segments, *rails) if n not in (QUERIES, *OWN)))


DEFAULT = Settings()
