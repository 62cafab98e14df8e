"""Rankers trained on labelled data, and how to choose, compare and export them.

Names are looked up at first use: scikit-learn and piqp (the extra `offline`) load only when needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duelist.offline.average_precision import SVMMap
    from duelist.offline.baselines import BoostedTrees
    from duelist.offline.binning import PiecewiseConstant
    from duelist.offline.classification import SVMAcc
    from duelist.offline.comparison import PairedTest, compare
    from duelist.offline.ndcg import SVMNdcg
    from duelist.offline.ordinal import SVMDecomposition, SVMOrdinal
    from duelist.offline.pairwise import SVMPairwise
    from duelist.offline.precision_at import SVMPrecision
    from duelist.offline.ranker import Untrained
    from duelist.offline.rankers import Fitted, fit_best, make_ranker
    from duelist.offline.reciprocal_rank import SVMMrr
    from duelist.offline.roc_area import SVMRoc
    from duelist.offline.structural import Plane, Planes, Solution, solve

HOMES = {
    "average_precision": ("SVMMap",),
    "baselines": ("BoostedTrees",),
    "binning": ("PiecewiseConstant",),
    "classification": ("SVMAcc",),
    "comparison": ("PairedTest", "compare"),
    "ndcg": ("SVMNdcg",),
    "ordinal": ("SVMDecomposition", "SVMOrdinal"),
    "pairwise": ("SVMPairwise",),
    "precision_at": ("SVMPrecision",),
    "ranker": ("Untrained",),
    "rankers": ("Fitted", "fit_best", "make_ranker"),
    "reciprocal_rank": ("SVMMrr",),
    "roc_area": ("SVMRoc",),
    "structural": ("Plane", "Planes", "Solution", "solve"),
}

__all__ = [
    "BoostedTrees",
    "Fitted",
    "PairedTest",
    "PiecewiseConstant",
    "Plane",
    "Planes",
    "SVMAcc",
    "SVMDecomposition",
    "SVMMap",
    "SVMMrr",
    "SVMNdcg",
    "SVMOrdinal",
    "SVMPairwise",
    "SVMPrecision",
    "SVMRoc",
    "Solution",
    "Untrained",
    "compare",
    "fit_best",
    "make_ranker",
    "solve",
]


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"duelist.offline.{home}"), name)
    raise AttributeError(f"module 'duelist.offline' has no attribute {name!r}")
