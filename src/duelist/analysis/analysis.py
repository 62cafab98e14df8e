"""What a log of interleaved impressions says: who wins, how sure, and is the experiment healthy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from duelist.analysis.clocks import Moments, believable, moments_of
from duelist.analysis.comparison import Comparison, adjusted_tests
from duelist.analysis.credits import Credits, credits_of
from duelist.analysis.days import Day, days_of
from duelist.analysis.effect import Effect, effect_of
from duelist.analysis.guardrails import Guarded, Guardrail, guard
from duelist.analysis.health import Health, health_of
from duelist.analysis.outcomes import Outcome
from duelist.analysis.pairs import Windows, compare_all
from duelist.analysis.segments import Segment, segments_of
from duelist.analysis.settings import DEFAULT, Settings
from duelist.clicks.gather import impressions_of
from duelist.clicks.impressions import Array, Impressions
from duelist.clicks.log import Log
from duelist.clicks.lone import is_clicks_alone, with_rankers
from duelist.core.errors import BadInput
from duelist.core.memory import Flags
from duelist.evidence.bootstrap import Bootstrap, bootstrap_totals
from duelist.evidence.deltas import freeze

HOUR = 3600.0  # seconds, which times of a log are
ATTRIBUTION = 24.0  # hours in which a click counts, where clicks carry their times


@dataclass(frozen=True)
class RankerCredit:
    """How much credit a ranker earned in an impression, with a 95 % bootstrap interval over users."""

    name: str
    credit: Bootstrap


@dataclass(frozen=True)
class OtherOutcome:
    """Another outcome, at the level that all outcomes share."""

    name: str
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True)
class Analysis:
    """The whole report as values; `print` shows it in words, `page` with charts."""

    rankers: tuple[RankerCredit, ...]  # those that are ahead of the most others first
    comparisons: tuple[Comparison, ...]  # the one between the two leaders first
    health: Health
    impressions: int
    settings: Settings
    frozen: bool  # False: no window has closed yet, users are counted as they stand, and nobody wins
    effect: Effect  # of the two leaders, in the words people use
    experiment: str = ""
    others: tuple[OtherOutcome, ...] = ()
    segments: tuple[Segment, ...] = ()
    guarded: tuple[Guarded, ...] = ()
    days: tuple[Day, ...] = ()
    waiting: int = 0  # impressions whose clicks may still come
    dates: tuple[float, float] = (0.0, 0.0)  # of the first impression and the last

    @property
    def unit(self) -> str:
        """What is counted: user or query."""
        return self.settings.unit

    @property
    def window(self) -> float | None:
        """In hours."""
        return self.settings.window

    @property
    def alpha(self) -> float:
        """The chance of a false winner, at most."""
        return self.settings.alpha

    @property
    def winner(self) -> str | None:
        """The ranker that is preferred to every other one, if the experiment is valid, frozen and there is one."""
        for ranker in self.rankers if self.health.valid else ():
            won = [c.winner == ranker.name for c in self.comparisons if ranker.name in (c.first, c.second)]
            if len(won) == len(self.rankers) - 1 and all(won):
                return ranker.name
        return None

    @property
    def undecided(self) -> list[Comparison]:
        """What has to be decided for the ranker with the most credit to win, itself named first where it is ahead."""
        best = self.rankers[0].name
        mine = [c for c in self.comparisons if best in (c.first, c.second)]
        return [c.towards_leader() for c in mine if c.winner is None]

    def __str__(self) -> str:
        from duelist.analysis.text import format_analysis  # which stands on this module

        return format_analysis(self)

    def _repr_html_(self) -> str:
        """For a notebook: the verdict, the charts and the tables of the page."""
        from duelist.analysis.page import body  # which stands on this module

        return "\n".join(body(self))

    def summary(self) -> dict[str, Any]:
        """The numbers for JSON."""
        adjusted = adjusted_tests(self.comparisons)
        return {
            "experiment": self.experiment,
            "winner": self.winner,
            "valid": self.health.valid,
            "frozen": self.frozen,
            "impressions": self.impressions,
            "waiting": self.waiting,
            **asdict(self.settings),
            "effect": self.effect._asdict(),
            "rankers": [{"name": ranker.name, **ranker.credit._asdict()} for ranker in self.rankers],
            "comparisons": [
                comparison.summary() | {"adjusted": row}
                for comparison, row in zip(self.comparisons, adjusted, strict=True)
            ],
            "other_outcomes": [
                {"outcome": other.name, "comparisons": [c.summary() for c in other.comparisons]}
                for other in self.others
            ],
            "segments": [_finite(segment._asdict()) for segment in self.segments],
            "guardrails": [
                _finite(rail._asdict()) | {"guardrail": str(rail.guardrail), "broken": rail.broken}
                for rail in self.guarded
            ],
            "days": [day._asdict() for day in self.days],
            "health": self.health.summary(),
        }


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return {n: None if isinstance(value, float) and not math.isfinite(value) else value for n, value in row.items()}


def analyze(log: Log | Impressions, *, experiment: str | None = None, **settings: Any) -> Analysis:
    """Compare the rankers of a log by users' totals (or queries'), for as long as the log lasts.

    The settings are those of `Settings`. With a `window`, a user counts by the mean preference in so many hours after
    the first impression, and is frozen then; users whose window is open wait, unless the experiment has `ended`. Where
    no window has closed yet users are counted as they stand and `frozen` is False: nobody wins. A `cap` cuts
    preferences at plus and minus so much; limits then hold at any number of users, in windows of 24 hours unless
    another is given.
    A log of several experiments needs the name of one: `analyze_all` takes them all.

    >>> from duelist.clicks.log import Record
    >>> def impression(i):
    ...     clicked = 1 if i % 3 == 0 else 0
    ...     return Record(f"i{i}", f"u{i}", "q", 3600.0 * i, ("a", "b"), (clicked,), ("new", "old"), (0, 1))
    >>> analysis = analyze(Log(tuple(map(impression, range(300)))))
    >>> analysis.comparisons[0].wins, analysis.comparisons[0].winner
    ((200, 100, 0), 'new')
    >>> analysis.health.valid, analysis.winner  # "new" always picked first
    (False, None)
    """
    analyses = analyze_all(log, experiment, Settings(**settings))
    if len(analyses) > 1:
        names = ", ".join(repr(analysis.experiment) for analysis in analyses)
        raise BadInput(f"the log has the experiments {names}: say which one")
    return analyses[0]


def analyze_all(
    log: Log | Impressions, experiment: str | None = None, settings: Settings = DEFAULT
) -> tuple[Analysis, ...]:
    """One analysis for each experiment of a log, or for the one that is named.

    The same name in two experiments is two rankers.
    """
    settings = settings.check()
    arrays = log if isinstance(log, Impressions) else impressions_of(log, settings.columns)
    parts = experiments_of(arrays)
    if experiment is not None:
        if experiment not in parts:
            raise BadInput(f"the log has no experiment {experiment!r}; it has {', '.join(map(repr, parts)) or 'none'}")
        parts = {experiment: parts[experiment]}
    return tuple(_analyze(part, name, settings) for name, part in parts.items())


def experiments_of(log: Impressions) -> dict[str, Impressions]:
    """The impressions of each experiment that compares rankers, by its name; of all if none does."""
    if not len(log):
        raise BadInput("there are no impressions to analyse")
    ranked = np.array([len(names) > 0 for names in log.setup_names], np.bool_)[log.setups]
    numbers = np.unique(log.experiments[ranked]) if ranked.any() else np.unique(log.experiments)
    if len(numbers) == 1 and len(log.experiment_names) == 1:
        return {log.experiment_names[0]: log}
    return {log.experiment_names[number]: log.take(log.experiments == number) for number in numbers.tolist()}


def _analyze(log: Impressions, name: str, settings: Settings) -> Analysis:
    fits = believable(log.times)
    misdated, alone = int((~fits).sum()), is_clicks_alone(log)
    log = with_rankers(log.take(fits) if misdated else log) if alone else log.take(fits) if misdated else log
    log = _without_crowds(log, settings.most)
    outcomes = [Outcome.read(text) for text in settings.outcomes]
    timed = bool((~np.isnan(log.done.times)).any())
    hours = settings.attribution if settings.attribution is not None else ATTRIBUTION if timed else math.inf
    moments = moments_of(log, HOUR * hours)
    closed = _closed(log, moments, settings)
    everything, late = log, moments.late
    if not closed.all():
        late = late[closed[log.done.rows]]
        log = log.take(closed)
    earned = credits_of(log, outcomes[0], late)
    units = earned.log.users if settings.unit == "user" else earned.log.queries
    windows = _windows(earned, units, settings)
    level = settings.alpha / len(outcomes)
    comparisons = compare_all(earned, _by_credit(earned), units, level, windows, settings.seed)
    rankers = _order([_ranker(earned, name, settings.seed) for name in earned.rankers], comparisons)
    comparisons = _leaders_first(comparisons, [ranker.name for ranker in rankers])
    leading = comparisons[0].towards_leader()
    pair = leading.first, leading.second
    days = days_of(earned, *pair)
    whole = credits_of(log, outcomes[0]).credit if late.any() else earned.credit
    guarded = guard(log, tuple(map(Guardrail.read, settings.guardrails)), log.users, settings.alpha)
    health = health_of(
        log, earned, whole, comparisons[0], days, moments, misdated, guarded, settings.most_lost, settings.seed, alone
    )
    return Analysis(
        rankers=rankers,
        comparisons=comparisons,
        health=health,
        impressions=len(earned.log),
        settings=settings,
        frozen=not (windows and windows.provisional),
        effect=effect_of(earned, *pair),
        experiment=name,
        others=tuple(_other(log, outcome, late, settings, level) for outcome in outcomes[1:]),
        segments=segments_of(earned, settings.segments, *pair, units, settings.alpha),
        guarded=guarded,
        days=days,
        waiting=len(everything) - len(log),
        dates=(float(log.times.min(initial=math.inf)), float(log.times.max(initial=0.0))),
    )


def _without_crowds(log: Impressions, most: int | None) -> Impressions:
    return log if most is None else log.take(np.bincount(log.users)[log.users] <= most)


def _closed(log: Impressions, moments: Moments, settings: Settings) -> Flags:
    """Impressions whose clicks have all come; if none has been shown for so long, all, as they stand."""
    if settings.ended or not math.isfinite(moments.attribution):
        return np.ones(len(log), np.bool_)
    closed = np.asarray(log.times + moments.attribution <= moments.end)
    return closed if closed.any() else np.ones(len(log), np.bool_)


def _other(log: Impressions, outcome: Outcome, late: Flags, settings: Settings, level: float) -> OtherOutcome:
    earned = credits_of(log, outcome, late)
    units = earned.log.users if settings.unit == "user" else earned.log.queries
    windows = _windows(earned, units, settings)
    return OtherOutcome(str(outcome), compare_all(earned, _by_credit(earned), units, level, windows, settings.seed))


def _by_credit(earned: Credits) -> list[str]:
    mean = np.nanmean(earned.credit, 0)
    return [earned.rankers[place] for place in np.argsort(-mean, kind="stable").tolist()]


def _order(rankers: Sequence[RankerCredit], comparisons: Sequence[Comparison]) -> tuple[RankerCredit, ...]:
    """Those that are ahead of the most others first, so that the sentence says what the pairs say."""

    def ahead(ranker: RankerCredit) -> tuple[int, float]:
        mine = [c.towards_leader() for c in comparisons if ranker.name in (c.first, c.second)]
        return -sum(c.first == ranker.name and c.preference > 0 for c in mine), -ranker.credit.estimate

    return tuple(sorted(rankers, key=ahead))


def _leaders_first(comparisons: Sequence[Comparison], leaders: Sequence[str]) -> tuple[Comparison, ...]:
    def place(comparison: Comparison) -> list[int]:
        return sorted(leaders.index(name) for name in (comparison.first, comparison.second))

    return tuple(sorted(comparisons, key=place))


def _windows(earned: Credits, units: Array, settings: Settings) -> Windows | None:
    """They close until the end of the log, or for ever if it has ended or none has closed by then."""
    if settings.window is None:
        return None
    seconds, end = HOUR * settings.window, float(earned.times.max())
    closed = len(freeze(units, earned.times, np.zeros(len(units)), seconds, end).deltas)
    finite = not settings.ended and closed
    provisional = not (settings.ended or closed)
    return Windows(seconds, end if finite else math.inf, settings.cap, provisional)


def _ranker(earned: Credits, name: str, seed: int) -> RankerCredit:
    credit = earned.credit[:, earned.rankers.index(name)]
    chosen = ~np.isnan(credit)
    users = earned.log.users[chosen]
    total, count = np.bincount(users, credit[chosen]), np.bincount(users)
    return RankerCredit(name, bootstrap_totals(total[count > 0], count[count > 0], seed=seed))
