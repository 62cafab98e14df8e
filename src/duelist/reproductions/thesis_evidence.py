"""Yue's thesis, chapter 7: the numbers in its text that can be computed again, slips included."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from duelist.evidence.weights import click_features
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row, exactly, printed

# Table 7.1: weights learned by the inverse rank test on the arXiv's gold standard.
LEARNED = (
    *(0.056693, 0.020917, 0.052410, 0.083463, 0.118568, 0.149682, 0.004950),  # 1 to 5b
    *(0.063423, 0.000303, 0.015217, 0.018800, -0.00419, 0.067362, 0.033067),  # 6a to 6g
)
MISSING = (
    "Not all agree, and the thesis is at fault. 7.2: for w = (1, 0) the rule that gives its 280 queries for w = (1, 1) "
    "(a two-sided t-test at .05 that succeeds every second time) gives 92, not 150. 7.4.1: 800 samples instead of "
    "1200 are 33 % fewer; 50 % is what 1200 are more than 800. Figures 7.2 to 7.4 and Table 7.2 come from click logs "
    "of arXiv.org that are not public."
)
CRITICAL = float(special.ndtri(0.975))


def examples() -> list[tuple[str, str, float]]:
    """The four queries of 7.4.2: what they are, the printed delta, ours."""
    teams = (0, 1, 0)
    described = [
        ("single click at rank 1", "0.062", click_features([0], teams)),
        ("single click at rank 3", "0.211", click_features([2], teams)),
        ("the same with a download", "0.285", click_features([2], teams, downloads=[2])),
        ("rank 1, then the other's rank 2 in bold", "-0.002", click_features([0, 1], teams, bold_title={1: 1.0})),
    ]
    return [(name, text, float(features @ LEARNED)) for name, text, features in described]


def session_moments(last: float, other: float) -> tuple[float, float]:
    """Mean and variance of a session's delta in 7.2: one last click that is right in 60 %, two that are coins.

    >>> [round(moment, 2) for moment in session_moments(1, 1)]
    [0.2, 2.96]
    """
    return 0.2 * last, last**2 * (1 - 0.2**2) + 2 * other**2


def queries_for_half_power(mean: float, variance: float) -> float:
    """Queries after which the test at .05, two-sided, succeeds every second time."""
    return CRITICAL**2 * variance / mean**2


def power_of_coins(queries: int, share: float) -> float:
    """The exact power of the z-test at .05 when each query is won with probability `share`."""
    wins = np.arange(queries + 1)
    mean = 2 * wins / queries - 1
    rejects = np.abs(mean) * math.sqrt(queries) > CRITICAL * np.sqrt(1 - mean**2)
    chances = np.exp(
        special.gammaln(queries + 1)
        - special.gammaln(wins + 1)
        - special.gammaln(queries - wins + 1)
        + wins * math.log(share)
        + (queries - wins) * math.log(1 - share)
    )
    return float(chances[rejects].sum())


def run(setting: Setting) -> Report:
    """Table 7.1's examples, the sample sizes of 7.2 and the saving of 7.4.1."""
    rows = [Row(f"Table 7.1, {name}", printed(text, "section 7.4.2"), exactly(ours)) for name, text, ours in examples()]
    for weights, value in (((1, 1), 280.0), ((1, 0), 150.0)):
        rounded = Reference("published", "section 7.2", value, tolerance=5.0, reason="a round number")
        queries = queries_for_half_power(*session_moments(*weights))
        rows.append(Row(f"7.2, queries for w = {weights}", rounded, exactly(queries)))
    rows.append(Row("7.2, w = (1, 0): power at 150 queries", OBSERVATION, exactly(power_of_coins(150, 0.6))))
    rows.append(
        Row("7.4.1, improvement from 1200 to 800 samples", printed("0.50", "section 7.4.1"), exactly(1 - 800 / 1200))
    )
    setting.advance(1)
    return Report(rows, p_value_chart())


def p_value_chart() -> Lines:
    """How the p-value of the expected delta falls with queries in the example of 7.2."""
    queries = np.arange(10, 501, 5)
    lines = []
    for weights in ((1, 1), (1, 0)):
        mean, variance = session_moments(*weights)
        p_values = 2 * special.ndtr(-mean * np.sqrt(queries / variance))
        lines.append(Series(f"w = {weights}", queries, p_values))
    lines.append(Series("0.05", queries, np.full(len(queries), 0.05)))
    title = "thesis 7.2: clicks that say nothing cost queries"
    return Lines([Panel("p-value of the expected delta", lines, True)], "queries", title, x_logarithmic=False)


EVIDENCE = Reproduction(*listed("thesis-7.1"), MISSING, code=run, steps=1)
