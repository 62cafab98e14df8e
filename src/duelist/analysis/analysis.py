"""What a log of interleaved impressions says: who wins, how sure, and is the experiment healthy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from duelist.analysis.clocks import moments_of
from duelist.analysis.comparison import Comparison, adjusted_tests
from duelist.analysis.credits import has_credit
from duelist.analysis.days import Day
from duelist.analysis.effect import Effect
from duelist.analysis.fold import Fold
from duelist.analysis.guardrails import Guarded
from duelist.analysis.health import Health, health_of, pair_of
from duelist.analysis.ledger import Ledger
from duelist.analysis.losses import things
from duelist.analysis.outcomes import CLICKS, Outcome, check_actions, names_of
from duelist.analysis.pairs import Counting
from duelist.analysis.parts import check_queries, closed, dated, experiments_of, without_crowds
from duelist.analysis.segments import Segment, segments_of
from duelist.analysis.settings import DEFAULT, Settings
from duelist.clicks.gather import impressions_of
from duelist.clicks.impressions import Impressions
from duelist.clicks.log import Log
from duelist.clicks.lone import is_clicks_alone, with_rankers, without_labels
from duelist.clicks.portions import Portions, in_time
from duelist.clicks.records import CLICK
from duelist.core.errors import BadInput, printable
from duelist.evidence.bootstrap import Bootstrap

HOUR = 3600.0  # seconds, which times of a log are
NO_RANKERS = "its rows name no rankers"
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
    health: Health  # of this outcome: all of the experiment's, and what of its own actions is lost


@dataclass(frozen=True)
class Analysis:
    """The whole report as values; `print` shows it in words, `page` with charts."""

    rankers: tuple[RankerCredit, ...]  # those that are ahead of the most others first
    comparisons: tuple[Comparison, ...]  # the one between the two leaders first
    health: Health
    impressions: int
    settings: Settings
    frozen: bool  # False: no window or time for clicks is over, users are counted as they stand, and nobody wins
    effect: Effect  # of the two leaders, in the words people use
    experiment: str = ""
    others: tuple[OtherOutcome, ...] = ()
    segments: tuple[Segment, ...] = ()
    guarded: tuple[Guarded, ...] = ()
    days: tuple[Day, ...] = ()
    waiting: int = 0  # impressions whose clicks may still come
    dates: tuple[float, float] = (0.0, 0.0)  # of the first impression and the last
    scored: bool = False  # the log has credit of its own, which need not be clicks
    clicks_alone: bool = False  # impressions are clicks, and nobody knows how often each ranker was shown
    not_yet: tuple[str, ...] = ()  # outcomes whose action nobody did so far
    recorded: tuple[str, ...] = ()  # those that there are

    @property
    def unit(self) -> str:
        """What is counted: user or query."""
        return self.settings.unit

    @property
    def window(self) -> float | None:
        """In hours; None: users count for as long as the log lasts."""
        return self.settings.window

    @property
    def alpha(self) -> float:
        """The chance of a false winner, at most."""
        return self.settings.alpha

    @property
    def withheld(self) -> bool:
        """Whether no winner may be named, of anything."""
        return self.clicks_alone or not self.health.valid

    @property
    def winner(self) -> str | None:
        """The ranker that is preferred to every other one, if the experiment is valid, frozen and there is one."""
        for ranker in () if self.withheld else self.rankers:
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
            "withheld": self.withheld,
            "valid": self.health.valid,
            "clicks_alone": self.clicks_alone,
            "frozen": self.frozen,
            "impressions": self.impressions,
            "waiting": self.waiting,
            "not_yet": self.not_yet,
            **asdict(self.settings),
            "window": self.window,
            "effect": self.effect._asdict(),
            "rankers": [{"name": ranker.name, **ranker.credit._asdict()} for ranker in self.rankers],
            "comparisons": [
                comparison.summary() | {"adjusted": row}
                for comparison, row in zip(self.comparisons, adjusted, strict=True)
            ],
            "other_outcomes": [
                {
                    "outcome": other.name,
                    "withheld": self.withheld or not other.health.valid,
                    "comparisons": [c.summary() for c in other.comparisons],
                    "health": other.health.summary(),
                }
                for other in self.others
            ],
            "segments": [_finite(segment._asdict()) for segment in self.segments],
            "guardrails": [
                _finite(rail._asdict()) | {"guardrail": str(rail.guardrail), "broken": rail.broken, "holds": rail.holds}
                for rail in self.guarded
            ],
            "days": [day._asdict() for day in self.days],
            "health": self.health.summary(),
        }


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return {n: None if isinstance(value, float) and not math.isfinite(value) else value for n, value in row.items()}


class Unanalysed(NamedTuple):
    """An experiment of several that cannot be analysed."""

    experiment: str
    error: str

    def __str__(self) -> str:
        return printable(f"experiment {self.experiment} cannot be analysed: {self.error}")

    def summary(self) -> dict[str, Any]:
        """The same for JSON."""
        return self._asdict()


def analyze(log: Log | Portions, *, experiment: str | None = None, **settings: Any) -> Analysis:
    """Compare the rankers of a log by users' totals (or queries'), for as long as the log lasts.

    The settings are those of `Settings`. With a `window`, a user counts by the mean preference in so many hours after
    the first impression, and is frozen then; users whose window is open wait, unless the experiment has `ended`. Where
    no window has closed yet, or the time for clicks is over for no impression, users are counted as they stand and
    `frozen` is False: nobody wins. A `cap` cuts preferences by the first outcome at plus and minus so much, `caps`
    those by others; with a window too, limits hold at any number of users. Values of actions have no bound: a cap is
    needed.
    A log of several experiments needs the name of one: `analyze_all` takes them all.

    >>> from duelist.clicks.log import Record
    >>> def impression(i):
    ...     clicked = 1 if i % 3 == 0 else 0
    ...     return Record(f"i{i}", f"u{i}", "q", 3600.0 * i, ("a", "b"), (clicked,), ("new", "old"), (0, 1))
    >>> analysis = analyze(Log(tuple(map(impression, range(300)))))
    >>> analysis.comparisons[0].wins
    (200, 100, 0)
    >>> analysis.health.valid, analysis.winner, analysis.comparisons[0].winner  # "new" always picked first
    (False, None, None)
    """
    found = [
        each
        for each in each_experiment(log, experiment, Settings(**settings))
        if isinstance(each, Analysis) or each.error != NO_RANKERS
    ]
    if len(found) > 1:
        raise BadInput(
            f"the log has the experiments {', '.join(repr(each.experiment) for each in found)}: say which one"
        )
    return next(each for each in found if isinstance(each, Analysis))


def analyze_all(
    log: Log | Portions, experiment: str | None = None, settings: Settings = DEFAULT
) -> tuple[Analysis, ...]:
    """One analysis for each experiment of a log that can be analysed, or for the one that is named.

    `each_experiment` also says why others cannot.
    """
    return tuple(each for each in each_experiment(log, experiment, settings) if isinstance(each, Analysis))


def each_experiment(
    log: Log | Portions, experiment: str | None = None, settings: Settings = DEFAULT
) -> tuple[Analysis | Unanalysed, ...]:
    """What is known of each experiment of a log, or of the one that is named; an error if that is nothing of any.

    The same name in two experiments is two rankers.
    """
    settings = settings.check()
    log = impressions_of(log, settings.columns) if isinstance(log, Log) else log
    parts = experiments_of(in_time(log) if isinstance(log, Impressions) else log)
    found, errors = list[Analysis | Unanalysed](), dict[str, BadInput]()
    for name, part in (parts if experiment is None else _only(parts, experiment)).items():
        try:
            found.append(Unanalysed(name, NO_RANKERS) if part is None else _analyze(part, name, settings))
        except BadInput as error:
            errors[name] = error
            found.append(Unanalysed(name, str(error)))
    if not any(isinstance(each, Analysis) for each in found):
        raise _error_of(errors, sum(part is not None for part in parts.values()) > 1)
    return tuple(found)


def _only(parts: Mapping[str, Portions | None], experiment: str) -> Mapping[str, Portions | None]:
    """The experiment that is named; an error if there is none, or nothing of it to compare."""
    if experiment not in parts:
        raise BadInput(f"the log has no experiment {experiment!r}; it has {', '.join(map(repr, parts)) or 'none'}")
    if parts[experiment] is None:
        raise BadInput(f"experiment {experiment!r}: {NO_RANKERS}")
    return {experiment: parts[experiment]}


def _error_of(errors: Mapping[str, BadInput], several: bool) -> BadInput:
    """One error of those of all experiments: what is the same in each is wrong with what was asked."""
    first = next(iter(errors.values()))
    if not several or (len(errors) > 1 and len({str(error) for error in errors.values()}) == 1):
        return first
    return BadInput("; ".join(f"experiment {name!r}: {error}" for name, error in errors.items()))


def _analyze(log: Portions, name: str, settings: Settings) -> Analysis:
    alone = is_clicks_alone(log)
    log, strays = dated(with_rankers(log) if alone else without_labels(log))
    log = without_crowds(log, settings.most)
    if settings.unit == "query":
        check_queries(log)
    hours = settings.attribution
    moments = moments_of(log, None if hours is None else HOUR * hours, HOUR * ATTRIBUTION)
    waiting = math.isfinite(moments.attribution) and not settings.ended
    if waiting and moments.closed:
        log = closed(log, moments)
    waits = waiting and not moments.closed
    outcomes = [(outcome, _counting(outcome, settings, waits)) for outcome in map(Outcome.read, settings.outcomes)]
    check_actions([outcome for outcome, _ in outcomes], log.head.action_names)
    fold = Fold(log, moments, outcomes, settings.guardrails, settings.unit).run()
    if not fold.watch.usable:
        raise BadInput(f"no impression says whose {things(outcomes[0][0].action)} are: rows need teams")
    level = settings.alpha / len(outcomes)
    comparisons, *others = (pairs.comparisons(level, settings.seed) for pairs in fold.pairs)
    names = fold.crediting.rankers
    rankers = _order([RankerCredit(n, fold.credit(k, settings.seed)) for k, n in enumerate(names)], comparisons)
    comparisons = _leaders_first(comparisons, [ranker.name for ranker in rankers])
    leading = comparisons[0].towards_leader()
    pair = leading.first, leading.second
    days, effect, guarded = fold.daily.days(*pair), fold.daily.effect(*pair), fold.guards.guarded(settings.alpha)

    def judged(ledger: Ledger, found: Sequence[Comparison]) -> Health:
        gone = fold.strays(strays, ledger.outcome)
        return health_of(fold.watch, ledger, found, days, moments, gone, guarded, alone, settings)

    others = [_leaders_first(found, [ranker.name for ranker in rankers]) for found in others]
    health, *own = map(judged, fold.ledgers, (comparisons, *others))
    recorded = fold.watch.actions()
    not_yet = tuple(str(outcome) for outcome, _ in outcomes if outcome.action not in (CLICK, *recorded))
    no_verdict = alone or not health.valid
    comparisons = _withheld(comparisons, health, no_verdict)
    others = [_withheld(found, each, no_verdict) for found, each in zip(others, own, strict=True)]
    return Analysis(
        rankers=rankers,
        comparisons=comparisons,
        health=replace(health, notes=(*health.notes, *fold.watch.losses.notes)),
        impressions=fold.watch.usable,
        settings=settings,
        frozen=not fold.pairs[0].provisional,
        effect=effect,
        experiment=name,
        others=tuple(
            OtherOutcome(str(outcome), found, each)
            for (outcome, _), found, each in zip(outcomes[1:], others, own, strict=True)
        ),
        segments=segments_of(fold.earnings, settings.segments, comparisons[0], outcomes[0][1], settings.alpha),
        guarded=guarded,
        days=days,
        waiting=moments.impressions - fold.watch.rows,
        dates=fold.watch.dates,
        scored=outcomes[0][0] == CLICKS and not alone and _has_scores(log),
        clicks_alone=alone,
        not_yet=not_yet,
        recorded=tuple(names_of(recorded)),
    )


def _withheld(comparisons: Sequence[Comparison], health: Health, no_verdict: bool) -> tuple[Comparison, ...]:
    """The same without a winner where there may be none: of all, or of pairs whose lead could be undone."""
    nobody = no_verdict or not health.valid
    return tuple(replace(c, withheld=nobody or pair_of(c) in health.undone) for c in comparisons)


def _has_scores(log: Portions) -> bool:
    return bool(log.head.given.shape[1]) and any(has_credit(portion).any() for portion in log.portions())


def _counting(outcome: Outcome, settings: Settings, waits: bool) -> Counting:
    window = None if settings.window is None else HOUR * settings.window
    return Counting(window, settings.ended, settings.capped().get(outcome), outcome.by_value, waits)


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
