"""Clicks without the bias of positions: what a fitted model mends where one ranker has the better places, and what not.

Users look at position r with probability r^-0.8. Of each two slots `new` has the upper one with some probability: one
half where coins are fair. No ranker is better, but in the last rows, where its documents are twice as attractive.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress

import numpy as np

from duelist.analysis.credits import credits_of
from duelist.analysis.debiased import STRENGTH, debiased_clicks
from duelist.analysis.outcomes import Outcome
from duelist.clicks.gather import impressions_of
from duelist.clicks.impressions import Impressions
from duelist.clicks.records import Log, Record
from duelist.core.memory import Floats
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import HALF, OBSERVATION, Reference, Row

EXPERIMENTS, IMPRESSIONS = 2000, 600
QUERIES, SLOTS = 12, 8
NAMES = tuple(map(str, range(SLOTS)))  # of documents
LOOKED_AT = 1 / np.arange(1, SLOTS + 1) ** 0.8
FAIR, UNFAIR, HIDING = 0.5, 0.8, 0.2  # with which `new` has the upper slot


def visits(number: int, seed: int, upper: float, better: float = 1.0) -> Log:
    """Lists and clicks; the documents of `new` attract `better` times as much as they would.

    >>> log = visits(3, seed=1, upper=1.0)
    >>> log.records[0].teams, [record.clicks for record in log.records]
    ((0, 1, 0, 1, 0, 1, 0, 1), [(3,), (4,), (1, 3)])
    """
    luck = np.random.default_rng(seed)
    attraction = luck.beta(1, 3, (QUERIES, SLOTS)) * 0.7
    attraction[:, : SLOTS // 2] *= better  # of the documents of `new`, which come first
    queries = luck.integers(0, QUERIES, number)
    teams = ((np.arange(SLOTS) % 2)[None, :] ^ (luck.random(number) >= upper)[:, None]).astype(int)
    order = np.empty((number, SLOTS), int)
    for team in (0, 1):
        mine = np.tile(np.arange(SLOTS // 2) + team * SLOTS // 2, (number, 1))
        order[teams == team] = luck.permuted(mine, axis=1).ravel()
    clicked = luck.random(order.shape) < attraction[queries[:, None], order] * LOOKED_AT
    rows = zip(queries.tolist(), order.tolist(), clicked.tolist(), teams.tolist(), strict=True)
    return Log(
        tuple(
            Record(
                *(str(i), f"u{i}", f"q{query}", 1.7e9 + i, tuple(map(NAMES.__getitem__, shown))),
                *(tuple(compress(range(SLOTS), clicks)), ("new", "old"), tuple(owners)),
            )
            for i, (query, shown, clicks, owners) in enumerate(rows)
        )
    )


def true_ratio(seed: int, better: float = 1.0) -> float:
    """Of what the documents of both would earn if all were looked at."""
    attraction = np.random.default_rng(seed).beta(1, 3, (QUERIES, SLOTS))
    return float(better * attraction[:, : SLOTS // 2].sum() / attraction[:, SLOTS // 2 :].sum())


def z_and_ratio(log: Log | Impressions, outcome: str) -> tuple[float, float]:
    """How far the mean preference is from 0, in standard errors, and what `new` earned over what `old` did."""
    impressions = impressions_of(log) if isinstance(log, Log) else log
    credit = credits_of(impressions, Outcome.read(outcome)).credit
    delta = credit[:, 0] - credit[:, 1]
    return float(delta.mean() / delta.std() * np.sqrt(len(delta))), float(credit[:, 0].sum() / credit[:, 1].sum())


def both(log: Log) -> Iterator[tuple[float, float]]:
    """By clicks, and by debiased ones."""
    impressions = impressions_of(log)
    return (z_and_ratio(impressions, outcome) for outcome in ("clicks", debiased_clicks(log.records)))


def nulls(upper: float, experiments: int) -> Floats:
    """The z of clicks and of debiased clicks in experiments without a difference."""
    logs = (visits(IMPRESSIONS, seed, upper, 1 / true_ratio(seed)) for seed in range(experiments))
    return np.array([[z for z, _ in both(log)] for log in logs])


def run(setting: Setting) -> Report:
    """Experiments without a difference, with fair coins and with others; and a difference that positions hide."""
    experiments = 100 if setting.quick else EXPERIMENTS
    rows, found = list[Row](), dict[float, Floats]()
    for upper, references in ((FAIR, (PROMISED, PROMISED)), (UNFAIR, (BIASED, OBSERVATION))):
        found[upper] = nulls(upper, experiments)
        for name, z, reference in zip(("clicks", "debiased"), found[upper].T, references, strict=True):
            what = f"{name}, upper slot {upper:g}"
            rows.append(Row(f"called different, {what}", reference, mean_of(np.abs(z) > HALF)))
            rows.append(Row(f"mean z, {what}", CENTRED if name == "debiased" else OBSERVATION, mean_of(z)))
        setting.advance(1)
    truth = [true_ratio(seed, 2.0) for seed in range(max(20, experiments // 10))]
    logs = (visits(5 * IMPRESSIONS, seed, HIDING, 2.0) for seed in range(len(truth)))
    seen = np.array([[ratio for _, ratio in both(log)] for log in logs]) / np.array(truth)[:, None]
    rows.append(Row("ratio of the rankers over the true one, clicks, upper slot 0.2", OBSERVATION, mean_of(seen[:, 0])))
    rows.append(Row("the same, debiased", NEARER, mean_of(seen[:, 1])))
    setting.advance(1)
    return Report(rows, z_chart(found[UNFAIR]))


def z_chart(found: Floats) -> Lines:
    """How z is distributed where one ranker has the better places."""
    places = np.linspace(-4, 8, 121)
    lines = [
        Series(name, places, np.searchsorted(np.sort(z), places) / len(z))
        for name, z in zip(("clicks", "debiased"), found.T, strict=True)
    ]
    title = "No difference, but the upper slot of two in 80 % of lists"
    return Lines([Panel("share of experiments below", lines)], "z", title, x_logarithmic=False)


PROMISED = Reference(
    "claim", "a test at 5 % calls equal rankers different in 5 % of experiments", below=0.05, refutable=True
)
BIASED = Reference("claim", "docs/evidence.md: clicks say who had the better places", above=0.05)
CENTRED = Reference(
    *("claim", "docs/evidence.md: the bias is gone"),
    above=-0.25,
    below=0.25,
    refutable=True,
    reason="a quarter of a standard error",
)
NEARER = Reference("claim", "docs/evidence.md: nearer the truth", above=0.85, below=1.15, reason="within 15 %")
DEBIASED = Reproduction(
    *listed("debiased"),
    f"No paper. The prior of the fit is worth {STRENGTH:g} impressions; the error of the fit itself is in no interval.",
    code=run,
    steps=3,
)
