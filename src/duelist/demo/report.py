"""What came of a demo: as values for JSON, and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duelist.demo.crowd import Crowd
from duelist.demo.experiments import ARMS, DRIFTING, WEIGHTS
from duelist.demo.standing import CONFIDENCE, Watch
from duelist.present.tables import Table
from duelist.search.engine import RANKERS

Statuses = Mapping[str, Mapping[str, Any]]  # by the name of the experiment


def summary_of(crowd: Crowd, watch: Watch, statuses: Statuses, seconds: float) -> dict[str, Any]:
    """The numbers of a demo. `right` is the ranker that these visitors really prefer, and `regret` is exact."""
    status, truth, latest = statuses[ARMS], crowd.need.truth, watch.latest
    assert latest is not None
    found = watch.found or latest
    return {
        "best": status["best"],
        "certain": watch.found is not None,
        "visitors": crowd.visitors,
        "duels": status["counts"]["learnt"],
        "regret": round(crowd.ledgers[ARMS].regret, 3),
        "evidence": {
            "confidence": CONFIDENCE,
            "winner": found.leader if watch.found else None,
            "after": watch.found_after,
            "beaten": list(found.beaten),
            "pairs": status["pairs"],
        },
        "seconds": round(seconds, 1),
        "right": RANKERS[truth.best],
        "taste": crowd.need.taste,
        "documents": len(crowd.world.engine.documents),
        "drifting": {"best": statuses[DRIFTING]["best"], "regret": round(crowd.ledgers[DRIFTING].regret, 3)},
        "weights": dict(zip(RANKERS, (round(w, 3) for w in statuses[WEIGHTS]["weights"]), strict=True)),
    }


def table_of(summary: Mapping[str, Any], crowd: Crowd, status: Mapping[str, Any]) -> Table:
    """The rankers, those that visitors really prefer first, with how often each was shown."""
    truth = crowd.need.truth
    shown = {arm["name"]: arm["shown"] for arm in status["arms"]}
    order = sorted(range(len(RANKERS)), key=lambda place: -truth.preference[place].sum())
    rows = [
        [
            RANKERS[place],
            f"{shown.get(RANKERS[place], 0):,}",
            f"{summary['weights'][RANKERS[place]]:.2f}",
            "" if place == truth.best else f"{100 * truth.preference[truth.best, place]:.0f} %",
        ]
        for place in order
    ]
    certainly = f"certainly (from visitor {summary['evidence']['after']:,} on)" if summary["certain"] else "probably"
    cost = f"Regret: as if {summary['regret']:.0f} lists had gone to waste; "
    notes = [
        f"{summary['visitors']:,} visitors searched {summary['documents']:,} pages of Python's documentation.",
        f"Learnt: {summary['best']} is {certainly} the best; the truth: {summary['right']}.",
        cost + f"{summary['drifting']['regret']:.0f} by the policy that forgets.",
    ]
    return Table(["ranker", "lists", "weight", "loses to the best"], rows, notes)
