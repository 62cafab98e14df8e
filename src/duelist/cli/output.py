"""What commands share when they have results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from duelist.core.named import tell_apart


def labels_of(results: Sequence[Any]) -> list[str]:
    """A text for each result that tells its policy or learner apart from the others."""
    return tell_apart([result.spec for result in results])


def print_summaries(results: Sequence[Any], curves: bool = False) -> None:
    """The results as JSON, each with its label; with their curves if those are asked for."""
    print_json([{"label": label, **r.summary(curves)} for label, r in zip(labels_of(results), results, strict=True)])


def print_json(summaries: Sequence[dict[str, Any]]) -> None:
    """One object, or a list of several."""
    print(json.dumps(summaries if len(summaries) > 1 else summaries[0], indent=2))
