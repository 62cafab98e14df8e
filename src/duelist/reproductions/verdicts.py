"""One rule for every row of every report: what a number of ours is held against, and whether it agrees.

- *published*: a number that a paper prints, by its place.
- *independent*: a number of another implementation; which one, and of how many runs.
- *claim*: a sentence by its place, in a paper or in a page of ours, which sets limits.
- *observation*: nothing to agree with, and no verdict.

Two numbers agree when they differ by no more than chance allows, 3.5 standard errors of their difference, and
a tolerance that is stated with its reason: to be too good is as wrong as to be too bad. A claim holds when the
whole 95 % interval of ours keeps its limits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.intervals import Interval
from duelist.present.tables import Table

NUMBERS = ("published", "independent")
KINDS = (*NUMBERS, "claim", "observation")
HALF = 1.96  # standard errors in half a 95 % interval
# Reports have dozens of rows. With 3.5, one in two thousand that are right is called wrong.
CHANCE = 3.5


@dataclass(frozen=True)
class Reference:
    """What a number of ours is held against.

    >>> Reference("published", "Table 1", 0.465, tolerance=0.035, reason="its own noise").text
    '0.465 ± 0.035'
    >>> Reference("claim", "section 5.2", below=1).text
    'below 1'
    """

    kind: str
    source: str
    value: float | None = None
    error: float = 0.0  # half the 95 % interval of the value
    above: float = -math.inf  # limits of a claim
    below: float = math.inf
    refutable: bool = False  # a claim of no difference: it fails only where our whole interval is beyond a limit
    tolerance: float = 0.0
    reason: str = ""  # of the tolerance, or of the limits where the sentence has no number

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInput(f"a reference is one of {', '.join(KINDS)}, not {self.kind!r}")
        if (self.kind in NUMBERS) != (self.value is not None):
            raise BadInput(f"{', '.join(NUMBERS)} references have a value and others have none, not {self}")
        if (self.kind == "claim") != (math.isfinite(self.above) or math.isfinite(self.below)):
            raise BadInput(f"claims have a limit and others have none, not {self}")
        if self.tolerance and not self.reason:
            raise BadInput(f"a tolerance needs a reason; {self} has none")

    @property
    def text(self) -> str:
        """The number with its tolerance, or the limits in words."""
        if self.value is not None:
            return _number(self.value) + (f" ± {self.tolerance:g}" if self.tolerance else "")
        least, most = ("not below", "not above") if self.refutable else ("above", "below")
        limits = [f"{least} {self.above:.3g}"] * math.isfinite(self.above)
        limits += [f"{most} {self.below:.3g}"] * math.isfinite(self.below)
        return " and ".join(limits)


OBSERVATION = Reference("observation", "")


@dataclass(frozen=True)
class Row:
    """One number of ours with its 95 % interval, beside what it is held against.

    >>> Row("regret", Reference("independent", "C++, 30 runs", 100.0, error=4.0), Interval(106.0, 103.0, 109.0)).agrees
    True
    >>> Row("ratio", Reference("claim", "section 5.2", below=1), Interval(1.067, 1.057, 1.077)).agrees
    False
    """

    cell: str
    reference: Reference
    ours: Interval

    @property
    def agrees(self) -> bool | None:
        """The verdict; None for an observation."""
        if self.reference.kind == "observation":
            return None
        return keeps(self.reference, self.ours) if self.reference.kind == "claim" else abs(self.apart) <= CHANCE

    @property
    def apart(self) -> float:
        """How far ours is from the number, beyond the tolerance, in standard errors of the difference."""
        theirs = self.reference
        if theirs.value is None:
            return math.nan
        difference = float(self.ours.mean) - theirs.value
        # The side of our interval that faces the number: an interval need not be symmetric.
        half = float(self.ours.mean - self.ours.low if difference > 0 else self.ours.high - self.ours.mean)
        beyond = math.copysign(max(0.0, abs(difference) - theirs.tolerance), difference)
        together = math.hypot(half, theirs.error) / HALF
        return beyond / together if together else math.copysign(math.inf, beyond) if beyond else 0.0

    def summary(self) -> dict[str, Any]:
        """For JSON; an unknown limit is None."""
        theirs, (mean, low, high) = self.reference, (_finite(number) for number in self.ours)
        return {
            "cell": self.cell,
            "kind": theirs.kind,
            "source": theirs.source,
            "reference": theirs.value,
            "reference_error": theirs.error if theirs.value is not None else None,
            "above": _finite(theirs.above),
            "below": _finite(theirs.below),
            "tolerance": theirs.tolerance,
            "reason": theirs.reason,
            "ours": mean,
            "low": low,
            "high": high,
            "agrees": self.agrees,
        }


def keeps(claim: Reference, ours: Interval) -> bool:
    """Whether our interval keeps the limits of a claim."""
    low, high = (ours.high, ours.low) if claim.refutable else (ours.low, ours.high)
    return bool(low > claim.above and high < claim.below)


def exactly(value: float) -> Interval:
    """A number that was computed and has no error."""
    return Interval(float(value), float(value), float(value))


def printed(text: str, source: str) -> Reference:
    """A published number that was rounded to the digits it is printed with.

    >>> Row("MAP", printed("0.59", "Table 3.2"), exactly(0.587)).agrees
    True
    """
    rounding = 0.5 * 10.0 ** -len(text.partition(".")[2])
    return Reference("published", source, float(text), tolerance=rounding, reason="rounded as printed")


def rows_table(rows: Sequence[Row]) -> Table:
    """The rows, and below them what they are held against."""
    words = {True: "yes", False: "NO", None: "-"}
    lines = []
    for row in rows:
        ours = f"{_number(row.ours.mean)} [{_number(row.ours.low)}, {_number(row.ours.high)}]"
        lines.append([row.cell, row.reference.kind, row.reference.text, ours, words[row.agrees]])
    return Table(["cell", "kind", "reference", "ours [95 %]", "agrees"], lines, _sources(rows))


def _sources(rows: Sequence[Row]) -> list[str]:
    """Every source and every reason once."""
    found: dict[str, None] = {}
    for reference in (row.reference for row in rows):
        if reference.source:
            found[f"{reference.kind}: {reference.source}"] = None
        if reference.reason:
            found[
                f"{reference.text if reference.value is None else f'± {reference.tolerance:g}'}: {reference.reason}"
            ] = None
    return list(found)


def _number(value: float) -> str:
    return f"{value:.{3 if abs(value) < 10 else 0}f}"


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
