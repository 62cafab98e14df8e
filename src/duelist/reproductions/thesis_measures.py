"""Yue's thesis, Tables 3.1 to 3.4 and the examples of section 2.3: which measure prefers which ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelist.data import average_precision, reciprocal_rank, roc_area
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.verdicts import Row, exactly, printed

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


def run(setting: Setting) -> Report:
    compared = [
        ("section 2.3", "average precision of (2.11)", "0.5", average_precision(FIRST)),
        ("section 2.3", "average precision of (2.12)", "0.7", average_precision(SECOND)),
        ("section 2.3", "reciprocal rank of (2.11)", "0.5", reciprocal_rank(FIRST)),
        ("section 2.3", "reciprocal rank of (2.12)", "1.0", reciprocal_rank(SECOND)),
    ]
    for name, labels, (first, second) in (("h1", ROC_TOY, ("0.59", "0.47")), ("h2", ROC_TOY[::-1], ("0.51", "0.53"))):
        compared.append(("Table 3.2", f"{name}: MAP", first, average_precision(labels)))
        compared.append(("Table 3.2", f"{name}: ROC-area", second, roc_area(labels)))
    for name, labels, (first, second) in (
        ("h1", ACCURACY_TOY, ("0.56", "0.64")),
        ("h2", ACCURACY_TOY[::-1], ("0.51", "0.73")),
    ):
        compared.append(("Table 3.4", f"{name}: MAP", first, average_precision(labels)))
        compared.append(("Table 3.4", f"{name}: best accuracy", second, best_accuracy(labels)))
    setting.advance(1)
    rows = [Row(f"{place}, {cell}", printed(text, place), exactly(ours)) for place, cell, text, ours in compared]
    return Report(rows, precision_chart())


def precision_chart() -> Lines:
    """Precision at each rank: MAP is its mean over the relevant documents."""
    panels = []
    for table, labels in (("Table 3.1", ROC_TOY), ("Table 3.3", ACCURACY_TOY)):
        places = np.arange(1, len(labels) + 1)
        lines = [
            Series(name, places, np.cumsum(ranking) / places)
            for name, ranking in (("h1", labels), ("h2", labels[::-1]))
        ]
        panels.append(Panel(f"{table}: precision", lines))
    return Lines(panels, "rank", "Rankings that MAP and another measure judge differently", x_logarithmic=False)


MEASURES = Reproduction(*listed("thesis-3.2"), "Nothing is missing: all numbers are exact.", code=run, steps=1)
