"""Yue's thesis, Tables 3.1 to 3.4 and the examples of section 2.3: which measure prefers which ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.data import average_precision, reciprocal_rank, roc_area
from duelist.lab.reproduction import Report, Reproduction, Row, Setting

# Labels of the documents from the top; the second hypothesis of each table is the first upside down.
ROC_TOY: tuple[int, ...] = (1, 0, 0, 0, 0, 1, 1, 0)  # Table 3.1
ACCURACY_TOY: tuple[int, ...] = (1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0)  # Table 3.3
FIRST, SECOND = (0, 1, 0, 1, 0), (1, 0, 0, 0, 1)  # (2.11) and (2.12)


def best_accuracy(labels: Sequence[int]) -> float:
    """The highest accuracy of calling everything above some threshold relevant.

    >>> best_accuracy([1, 1, 0, 1])
    0.75
    """
    correct = [sum(labels[:cut]) + labels[cut:].count(0) for cut in range(len(labels) + 1)]
    return max(correct) / len(labels)


def exact(cell: str, published: float, value: float) -> Row:
    """A number without error; it agrees when it rounds to the printed one."""
    digits = len(f"{published:g}".partition(".")[2])
    return Row(cell, published, value, value, value, bool(round(value, digits) == published))


def run(setting: Setting) -> Report:
    rows = [
        exact("2.3, average precision of (2.11)", 0.5, average_precision(FIRST)),
        exact("2.3, average precision of (2.12)", 0.7, average_precision(SECOND)),
        exact("2.3, reciprocal rank of (2.11)", 0.5, reciprocal_rank(FIRST)),
        exact("2.3, reciprocal rank of (2.12)", 1.0, reciprocal_rank(SECOND)),
    ]
    for name, labels, printed in (("h1", ROC_TOY, (0.59, 0.47)), ("h2", ROC_TOY[::-1], (0.51, 0.53))):
        rows.append(exact(f"Table 3.2, {name}: MAP", printed[0], average_precision(labels)))
        rows.append(exact(f"Table 3.2, {name}: ROC-area", printed[1], roc_area(labels)))
    for name, labels, printed in (("h1", ACCURACY_TOY, (0.56, 0.64)), ("h2", ACCURACY_TOY[::-1], (0.51, 0.73))):
        rows.append(exact(f"Table 3.4, {name}: MAP", printed[0], average_precision(labels)))
        rows.append(exact(f"Table 3.4, {name}: best accuracy", printed[1], best_accuracy(labels)))
    setting.advance(1)
    return Report(rows, draw)


def draw(path: Path) -> Any:
    """Precision at each rank: MAP is its mean over the relevant documents."""
    panels = []
    for table, labels in (("Table 3.1", ROC_TOY), ("Table 3.3", ACCURACY_TOY)):
        places = np.arange(1, len(labels) + 1)
        lines = [
            Series(name, places, np.cumsum(ranking) / places)
            for name, ranking in (("h1", labels), ("h2", labels[::-1]))
        ]
        panels.append((f"{table}: precision", lines, False))
    return draw_lines(panels, "rank", "Rankings that MAP and another measure judge differently", path, False)


MEASURES = Reproduction(
    "thesis-3.2",
    "thesis Tables 3.1 to 3.4 and the examples of 2.3",
    "Nothing is missing: all numbers are exact.",
    1,
    run,
)
