"""Outcomes without a difference, as unpleasant as they come: is the promise kept, and what does it cost?

Every experiment is watched every 25 users (or impressions, where users come back). A method may
name a winner in 5 % of those without a difference. The price is how many users it takes to find a real one in 80 % of
experiments, in units of what a planned z-test of known spread needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from duelist.core.intervals import Interval
from duelist.core.memory import Floats, Ints
from duelist.evidence.watch import CAPPED, first_alarms, looks_at, watch
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.returning import Crowd, first_winner, information, visit
from duelist.reproductions.returning_values import Shop, Values, differences_found, ever_named, false_winners
from duelist.reproductions.samples import mean_of, ratio_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

EXPERIMENTS = 2000
BROKEN = {"no start": 1.0, "a start of 50": 50.0}  # effective sizes that are too small
HIDDEN = "once in 50: 1 % x 100 against 50 % x 2"  # where no start helps
CELLS = 4_000_000  # experiments x users held in memory at once
PLANNED = 2.8016  # standard errors that an effect must have for 80 % power at 5 %
Luck = np.random.Generator
Shape = tuple[int, int]


@dataclass(frozen=True)
class Null:
    """Users' deltas of mean 0, and with a difference."""

    draw: Callable[[Luck, Shape, float], Floats]  # with an effect, 0 for none
    users: int  # that are watched
    effect: float = 0.0  # a real one, for the price; 0: none is measured
    bound: float | None = None
    signs: bool = False  # a win is as likely as a loss, so that the e-value has nothing to find

    def experiments(self, number: int, effect: float, seed: int) -> Iterator[Floats]:
        """Experiments x users, so many at once as fit."""
        luck, batch = np.random.default_rng(seed), max(1, CELLS // self.users)
        for begun in range(0, number, batch):
            yield self.draw(luck, (min(batch, number - begun), self.users), effect)


def coins(tied: float) -> Callable[[Luck, Shape, float], Floats]:
    """Wins and losses, the first with probability (1 + effect) / 2, of those who are not tied."""
    return lambda luck, shape, effect: np.where(
        luck.random(shape) < tied, 0.0, np.where(luck.random(shape) < (1 + effect) / 2, 1.0, -1.0)
    )


def buyers(large: float, price: float, many: float = 0.2, little: float = 5) -> Callable[[Luck, Shape, float], Floats]:
    """Few buy for much from the first, and many for little from the second."""
    return lambda luck, shape, effect: (
        np.where(luck.random(shape) < large + effect, price, 0.0) - np.where(luck.random(shape) < many, little, 0.0)
    )


def pareto(shape: float, share: float, other: float) -> Callable[[Luck, Shape, float], Floats]:
    """`share` of users spend a Pareto amount on the first, `other` of them its mean share on the second."""
    fixed = share * shape / (shape - 1) / other

    def draw(luck: Luck, size: Shape, effect: float) -> Floats:
        spent = np.where(luck.random(size) < share, 1 + luck.pareto(shape, size), 0.0)
        return np.asarray(spent * (1 + effect) - np.where(luck.random(size) < other, fixed, 0.0))

    return draw


def lognormal(luck: Luck, shape: Shape, effect: float) -> Floats:
    """Centred, and moved by the effect."""
    return np.asarray(luck.lognormal(0, 1, shape) - math.exp(0.5) + effect)


NULLS_OF = {
    "coin": Null(coins(0.0), 4000, 0.1, 1, signs=True),
    "90 % tied": Null(coins(0.9), 8000, 0.2, 1, signs=True),
    "99 % tied": Null(coins(0.99), 20_000, 0.4, 1, signs=True),
    "lognormal": Null(lognormal, 20_000, 0.108),
    "Pareto revenue": Null(pareto(2.5, 0.05, 0.25), 20_000, 0.5),
    "Pareto, endless variance": Null(pareto(1.5, 0.1, 0.3), 8000),
    "rare large: 2 % x 50": Null(buyers(0.02, 50), 10_000, 0.01, 50),
    "rarer: 1 % x 100": Null(buyers(0.01, 100), 10_000, 0.005, 100),
    # These had no part in choosing the start.
    "gamma": Null(lambda luck, shape, effect: luck.gamma(0.3, 1, shape) - 0.3, 8000),
    "5 % x 20 against 50 % x 2": Null(buyers(0.05, 20, 0.5, 2), 8000, bound=20),
    HIDDEN: Null(buyers(0.01, 100, 0.5, 2), 8000, bound=100),
}


def watched(null: Null, experiments: int, effect: float = 0.0, seed: int = 0) -> dict[str, Ints]:
    """After how many users each method first named a winner, in each experiment; 0: never.

    >>> found = watched(NULLS_OF["rare large: 2 % x 50"], 200)
    >>> [float((found[name] > 0).mean()) for name in ("z-test", "no start", "confidence sequence")]
    [0.65, 0.1, 0.005]
    """
    looks, found = looks_at(null.users), dict[str, list[Ints]]()
    for deltas in null.experiments(experiments, effect, seed):
        alarms = watch(deltas, looks, bound=null.bound)
        for name, start in BROKEN.items():
            alarms[name] = watch(deltas, looks, start=start)["confidence sequence"]
        for name, alarm in alarms.items():
            found.setdefault(name, []).append(first_alarms(alarm, looks))
    return {name: np.concatenate(parts) for name, parts in found.items()}


CROWDS = {
    "returning users": Crowd(heavy=False),
    "heavy users": Crowd(),
    "heavy users without taste": Crowd(taste=0.0),
    "regulars": Crowd(users=300, heavy=False, regular=True),
}


# Who comes back and buys: users or queries, how firm their tastes are, and what is bought.
BUYERS: dict[str, tuple[Crowd | int, float, Shop]] = {
    "heavy users, 2 % x 50": (Crowd(users=3000), 0.5, Shop(50, 0.02, 0.2)),
    "heavy users, once in 50": (Crowd(users=3000), 0.5, Shop(100, 0.01, 0.5)),
    "queries, 2 % x 50": (1000, 0.5, Shop(50, 0.02, 0.2)),
    "queries, once in 50": (1000, 0.5, Shop(100, 0.01, 0.5)),
    "queries, Pareto of endless variance cut at 20": (1000, 1.0, Shop(20, 0.05, 0.25, tail=1.5)),
}


def run(setting: Setting) -> Report:
    """All nulls, the price of each, and what windows lose."""
    experiments, crowds = (400, 100) if setting.quick else (EXPERIMENTS, EXPERIMENTS)
    rows, chart = list[Row](), dict[str, Ints]()
    for name, null in NULLS_OF.items():
        found = watched(null, experiments)
        for method in promising(null):
            hidden = name == HIDDEN and method == "confidence sequence"
            rows.append(Row(f"{method}, {name}", UNSEEN if hidden else PROMISED, share(found[method])))
        rows += [Row(f"{method}, {name}", OBSERVATION, share(found[method])) for method in BROKEN if not null.signs]
        rows += price_rows(name, null, experiments // 4)
        rows += value_rows(name, null, experiments // 8)
        chart = found if name == SHOWN else chart
        setting.advance(1)
    for name, crowd in CROWDS.items():
        luck = np.random.default_rng(0)
        firsts = np.array([first_winner(visit(luck, crowd)) for _ in range(crowds)])
        for method, column in zip(("confidence sequence", "e-value"), firsts.T, strict=True):
            rows.append(Row(f"{method}, {name}", PROMISED, share(column)))
        setting.advance(1)
    rows += kept_rows(max(50, crowds // 10))
    setting.advance(1)
    for name in BUYERS:
        rows += buyer_rows(name, crowds // 4)
        setting.advance(1)
    return Report(rows, alarm_chart(chart))


def value_rows(name: str, null: Null, experiments: int) -> list[Row]:
    """The same as values of actions, by what `analyze` says of them with their bound as a cap, and without one."""
    if null.bound is None or null.signs:
        return []
    rows = []
    users = np.arange(null.users)
    for what, window, cap in (
        ("with a cap", None, null.bound),
        ("with a cap and a window", 1.0, null.bound),
        ("without a cap", None, None),
    ):
        drawn = (row for part in null.experiments(experiments, 0.0, seed=4) for row in part)
        named = [ever_named(Values(users, users.astype(np.float64), row, cap), window) for row in drawn]
        rows.append(Row(f"analyze, values {what}, {name}", PROMISED, mean_of(np.array(named))))
    return rows


def buyer_rows(name: str, experiments: int) -> list[Row]:
    """Values of units that come back: false winners, and what totals find and keep against windows of a day."""
    totals, strangers = false_winners(*BUYERS[name], experiments)
    found, before, kept = differences_found(*BUYERS[name], experiments)
    return [
        Row(f"analyze, values with a cap, {name}", PROMISED, totals),
        Row(f"betting as if every impression were another's, {name}", OBSERVATION, strangers),
        Row(f"a difference found by totals, {name}", OBSERVATION, found),
        Row(f"a difference found in 24 hours, {name}", OBSERVATION, before),
        Row(f"information of totals over 24 hours, {name}", MORE, kept),
    ]


def promising(null: Null) -> list[str]:
    """Methods that promise something here."""
    return ["confidence sequence"] + ["e-value"] * null.signs + ["betting sequence", CAPPED] * (null.bound is not None)


def share(firsts: Ints) -> Interval:
    """Of experiments in which a winner was named."""
    return mean_of(firsts > 0)


def price_rows(name: str, null: Null, experiments: int) -> list[Row]:
    """Users that find a real difference in 80 % of experiments, over what a planned test needs."""
    if not null.effect:
        return []
    found = watched(null, experiments, null.effect, seed=1)
    sample = next(null.experiments(CELLS // null.users, null.effect, seed=2))
    planned = (PLANNED * sample.std() / sample.mean()) ** 2
    luck, rows = np.random.default_rng(0), []
    for method in promising(null):
        users = np.where(found[method] > 0, found[method], math.inf)
        drawn = users[luck.integers(len(users), size=(500, len(users)))]
        draws = np.quantile(drawn, 0.8, axis=1, method="higher") / planned
        value = float(np.quantile(users, 0.8, method="higher") / planned)
        rows.append(Row(f"price of the {method}, {name}", OBSERVATION, higher(value, draws)))
    return rows


def higher(value: float, draws: Floats) -> Interval:
    """A quantile with its interval, where some draws may be endless."""
    low, high = np.quantile(draws, (0.025, 0.975), method="higher")
    return Interval(value, float(low), float(high))


def kept_rows(experiments: int) -> list[Row]:
    """The information of windows and of weighed totals, of that of users' sums, in experiments with a difference."""
    rows = []
    for crowd in ("returning users", "heavy users"):
        luck = np.random.default_rng(3)
        found = [information(visit(luck, CROWDS[crowd], effect=0.15)) for _ in range(experiments)]
        kept = {name: np.array([each[name] for each in found]) for name in found[0]}
        for name in ("24 hours", "168 hours", "totals"):
            ratio = ratio_of(kept[name], kept["sums"], paired=True)
            rows.append(Row(f"information of {name}, {crowd}", MOST if name == "totals" else OBSERVATION, ratio))
    return rows


def alarm_chart(found: dict[str, Ints]) -> Lines:
    """False alarms against users, where large values are rare."""
    looks = looks_at(NULLS_OF[SHOWN].users)
    lines = []
    for name in ("z-test", "no start", "confidence sequence", "betting sequence"):
        alarmed = np.sort(found[name][found[name] > 0])
        lines.append(Series(name, looks, np.searchsorted(alarmed, looks, "right") / len(found[name])))
    lines.append(Series("promised", looks, np.full(len(looks), 0.05)))
    return Lines([Panel("share with a false alarm so far", lines)], "users", f"No difference: {SHOWN}")


SHOWN = "rarer: 1 % x 100"
PROMISED = Reference("claim", "a false winner ever, in at most 5 % of experiments", below=0.05, refutable=True)
UNSEEN = Reference("claim", "docs/evidence.md: what is too rare breaks the promise, so values need a cap", above=0.05)
MOST = Reference("claim", "docs/evidence.md: totals keep most of the information", above=0.8, reason="four fifths")
MORE = Reference(
    "claim", "docs/evidence.md: totals of values keep far more than the first day", above=2, reason="twice"
)
NULLS = Reproduction(
    *listed("nulls"),
    "No paper: what watched methods promise. No start sees a large value of which none has come yet.",
    code=run,
    steps=len(NULLS_OF) + len(CROWDS) + 1 + len(BUYERS),
)
