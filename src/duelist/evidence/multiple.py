"""Several comparisons at once: corrections, so that many looks for a winner do not invent one.

The default of the analysis is `e_bonferroni`: the chance of even one false winner stays below
alpha, at any look and however the comparisons depend on each other. `holm` does the same for
p-values. `e_benjamini_hochberg` promises less (of the winners named, at most a share alpha is
false on average) and finds more when there are many rankers.

They are written here because no library that is needed anyway has them: scipy corrects p-values by Benjamini and
Hochberg or Yekutieli alone; statsmodels, which has Holm's five lines, brings pandas with it; neither knows e-values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats
from duelist.evidence.deltas import check_share


def holm(p_values: Any) -> Floats:
    """Holm's adjusted p-values, in the order given: reject those of at most alpha.

    >>> holm([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    values = _vector(p_values, "p-value")
    if (values > 1).any():
        raise BadInput(f"a p-value must be at most 1, not {values.max()}")
    order = np.argsort(values)
    steps = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(steps))
    return adjusted


def e_bonferroni(e_values: Any) -> Floats:
    """E-values divided by their number: reject those of at least 1/alpha.

    >>> e_bonferroni([90, 30, 3]).tolist()
    [30.0, 10.0, 1.0]
    """
    values = _vector(e_values, "e-value")
    return values / max(1, len(values))


def e_benjamini_hochberg(e_values: Any, alpha: float = 0.05) -> Flags:
    """Which to reject so that at most a share alpha of the rejected is false, on average.

    The k largest are rejected, for the largest k whose k-th e-value is at least number / (alpha k)
    (Wang and Ramdas. False discovery rate control with e-values. JRSS B 2022).

    >>> e_benjamini_hochberg([90, 30, 3]).tolist()
    [True, True, False]
    """
    values = _vector(e_values, "e-value")
    check_share("alpha", alpha)
    ordered = np.sort(values)[::-1]
    enough = np.flatnonzero(ordered * alpha * np.arange(1, len(values) + 1) >= len(values))
    return values >= ordered[enough[-1]] if len(enough) else np.zeros(len(values), np.bool_)


def _vector(values: Any, what: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not (array >= 0).all():
        raise BadInput(f"every {what} must be a number of at least 0, in one row; not {values!r}")
    return array
