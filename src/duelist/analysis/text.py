"""The analysis of a log in words for whoever has to decide."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duelist.analysis.analysis import ATTRIBUTION, Analysis
from duelist.analysis.comparison import Comparison, adjusted_tests
from duelist.analysis.days import halves
from duelist.analysis.guardrails import Guarded
from duelist.analysis.losses import AGAIN
from duelist.analysis.outcomes import CLICKS, Outcome
from duelist.analysis.traffic import Traffic
from duelist.core.errors import printable
from duelist.evidence.capped import Capped
from duelist.evidence.limits import START
from duelist.present.tables import Table


def format_analysis(analysis: Analysis) -> str:
    """The report as plain text."""
    blocks = [
        title_of(analysis),
        "\n".join(
            f"{title:<16} {line}" for title, lines in sections(analysis) for title, line in _hanging(title, lines)
        ),
    ]
    blocks += [f"{heading}:\n{table}" for heading, table in tables(analysis)]
    return printable("\n\n".join(blocks))


def title_of(analysis: Analysis) -> str:
    """Who is compared, and in which experiment."""
    named = f"experiment {analysis.experiment}: " if analysis.experiment else ""
    leading = analysis.comparisons[0].towards_leader()
    if len(analysis.rankers) == 2:
        return f"{named}{leading.first} against {leading.second}"
    return f"{named}{len(analysis.rankers)} rankers: {', '.join(ranker.name for ranker in analysis.rankers)}"


def tables(analysis: Analysis) -> list[tuple[str, Table]]:
    """The tables of the report with their headings; the page shows the same."""
    found = []
    if len(analysis.comparisons) > 1:
        found.append(("Every two rankers", comparison_table(_turned(analysis, analysis.comparisons))))
    for other in analysis.others:
        if other.name in analysis.not_yet:
            continue
        needs = other.comparisons[0].needs_cap if other.comparisons else None
        without = "" if needs is None else f", which needs a cap for a verdict, as --cap {other.name}={needs:g}"
        if analysis.health.valid and not other.health.valid:
            without = f", WITHHELD: {other.health.reasons[0]}"
        found.append((f"By {other.name}{without}", comparison_table(_turned(analysis, other.comparisons))))
    leading = analysis.comparisons[0].towards_leader()
    if analysis.segments:
        heading = f"{leading.first} over {leading.second}, by segment"
        found.append((heading, segment_table(analysis)))
    found.append(("For those who planned the number of users, at that number only", fixed_table(analysis)))
    return found


def _turned(analysis: Analysis, comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Each in the direction of the title, also where another outcome says the opposite."""
    order = [ranker.name for ranker in analysis.rankers]
    if len(order) == 2:
        leading = analysis.comparisons[0].towards_leader()
        order = [leading.first, leading.second]
    return [c if order.index(c.first) < order.index(c.second) else c.turned() for c in comparisons]


def _hanging(title: str, lines: list[str]) -> list[tuple[str, str]]:
    return [(title if place == 0 else "", line) for place, line in enumerate(lines)]


def sections(analysis: Analysis) -> list[tuple[str, list[str]]]:
    """The report as titled sentences; the page shows the same."""
    leading = analysis.comparisons[0].towards_leader()
    return [
        ("Who wins", [verdict(analysis)]),
        ("By how much", _by_how_much(analysis, leading)),
        ("How sure", _how_sure(analysis, leading)),
        ("What changes it", _what_changes_it(analysis, leading)),
        ("Users", _users(analysis, leading)),
        ("Healthy", _healthy(analysis)),
    ]


def verdict(analysis: Analysis) -> str:
    """One sentence."""
    leading, winner = analysis.comparisons[0].towards_leader(), analysis.winner
    if not analysis.health.valid:
        return f"Nobody: the verdict is WITHHELD, do not act on it. {sentence(analysis.health.reasons[0])}"
    if analysis.clicks_alone:
        return f"Nobody: the log has clicks alone, which do not say how often each was shown. {_counts(analysis)}"
    if analysis.settings.outcomes[0] in analysis.not_yet:
        return f"Nobody yet: {_not_yet(analysis, analysis.settings.outcomes[0], 'so far')}"
    if leading.needs_cap is not None:
        return f"Nobody yet. {_needs_cap(analysis, leading.needs_cap)}"
    if winner and len(analysis.rankers) == 2:
        return f"{winner}: preferred by {leading.preference:.3g} {_measure(analysis)}."
    if winner:
        return f"{winner}: preferred to every other ranker."
    if len(analysis.rankers) == 2:
        ahead = leading.first if leading.preference > 0 else leading.second
        by = f"{ahead} is ahead by {leading.preference:.3g} {_measure(analysis)}" if leading.preference else "a tie"
        return f"Undecided; so far {by}."
    return _undecided(analysis)


def _not_yet(analysis: Analysis, outcome: str, when: str) -> str:
    """That nobody did what an outcome counts, and what people did."""
    did = f"nobody did {Outcome.read(outcome).action!r} {when}"
    return f"{did}; outcomes of this log: {', '.join(analysis.recorded)}."


def _counts(analysis: Analysis) -> str:
    """What each ranker has of an outcome, where every impression is a click."""
    counts = (f"{r.name} {r.credit.estimate * analysis.impressions:,.0f}" for r in analysis.rankers)
    return f"{_heading(named(analysis.settings.outcomes[0]))}: {', '.join(counts)}."


def _needs_cap(analysis: Analysis, proposed: float) -> str:
    """What a verdict on values needs."""
    what = analysis.settings.outcomes[0]
    unbounded = "The credit of this log" if Outcome.read(what) == CLICKS else what
    why = f"{unbounded} has no bound: one value too rare to have come yet can turn it"
    return f"{why}. Say what is worth counting at most, as --cap {what}={proposed:g}, whoever is ahead."


def named(outcome: str) -> str:
    """An outcome, without how likely each position is looked at."""
    return "debiased clicks" if Outcome.read(outcome).examination else outcome


def _heading(what: str) -> str:
    return what.capitalize() if what.islower() else what  # addToCart stays as it is


def sentence(text: str) -> str:
    """A reason as a sentence."""
    return text[:1].upper() + text[1:] + "."


def _undecided(analysis: Analysis) -> str:
    """Of several rankers: who is ahead of all others, whom it beats surely, and whom not yet."""
    best = analysis.rankers[0].name
    mine = [c.towards_leader() for c in analysis.comparisons if best in (c.first, c.second)]
    if any(c.first != best or not c.preference for c in mine) or len(mine) < len(analysis.rankers) - 1:
        return "Undecided; so far no ranker is ahead of all others: see every two rankers."
    beaten = [c.second for c in mine if c.winner == best]
    open_to = [c.second for c in mine if c.winner is None]
    sure = f", surely of {' and '.join(beaten)}" if beaten else ""
    return f"Undecided; so far {best} is ahead of all others{sure}, not yet surely of {' and '.join(open_to)}."


def _by_how_much(analysis: Analysis, leading: Comparison) -> list[str]:
    effect = analysis.effect
    what = "credit" if analysis.scored else named(analysis.settings.outcomes[0])
    first, second = f"{leading.first} {effect.first:.3g}", f"{leading.second} {effect.second:.3g}"
    if analysis.clicks_alone:
        lines = [_counts(analysis)]
    else:
        lines = [f"{_heading(what)} an impression: {first}, {second}, in {effect.impressions:,} that compare the two."]
    if effect.share is not None:
        lift = "" if effect.lift is None else f", {effect.lift:+.1%} over {leading.second}"
        lines.append(f"{leading.first} has {effect.share:.1%} of the {what} of both{lift}.")
    others = [other.name for other in analysis.others if other.name in analysis.not_yet]
    lines += [f"By {name} nothing is known: {_not_yet(analysis, name, 'yet')}" for name in others]
    parts = None if analysis.clicks_alone else halves(analysis.days)
    if parts:
        lines.append(f"In the first half of the days {parts[0]:+.3g} an impression, in the second {parts[1]:+.3g}.")
    return lines


def _measure(analysis: Analysis) -> str:
    mean = "" if analysis.window is None else f", the mean over {plural(analysis)}"
    return f"credit an impression{mean}"


def _how_sure(analysis: Analysis, leading: Comparison) -> list[str]:
    low, high = leading.limits
    wins, losses, ties = leading.wins
    level = f"{100 * (1 - leading.alpha):.4g} %"
    if analysis.clicks_alone:
        sure = "Of clicks alone nobody can be sure: a ranker that is shown more often has more of them."
        return [sure, f"{wins:,} {plural(analysis)} prefer {leading.first}, {losses:,} {leading.second}."]
    lines = []
    if leading.users and (low > -math.inf or high < math.inf):
        lines.append(
            f"Preference for {leading.first} over {leading.second}: {leading.preference:+.3f}, "
            f"{_between(low, high)} ({level} confidence sequence)."
        )
    else:
        lines.append(
            f"Too early: the confidence sequence begins at {START:.0f} {plural(analysis)} of equal weight; the "
            f"{leading.users:,} so far weigh as much as {leading.accounts.effective:.0f}."
        )
    if leading.capped:
        lines.append(_capped(analysis, leading, leading.capped))
    threshold = 1 / leading.alpha
    lines.append(
        f"{wins:,} prefer {leading.first}, {losses:,} {leading.second}, {ties:,} neither; "
        f"by whom they turned to first: e-value {leading.e_value:.3g} ({threshold:.3g} or more decides)."
    )
    watched = "Both may be watched: look as often as you like."
    if leading.needs_cap is not None:
        watched = "The e-value may be watched; the sequence holds only if no far larger value is to come."
    lines.append(watched if analysis.frozen else "PROVISIONAL: nothing is closed yet, so nobody wins.")
    return lines


def _capped(analysis: Analysis, leading: Comparison, capped: Capped) -> str:
    """What a cap did, and what it delays."""
    holds = f"It holds at any number of {plural(analysis)}, for" if leading.betting else "It is of"
    moved = f"which moved their mean by {0.0 - capped.shift:+.3g}"
    cut = f"{capped.share:.2%} of preferences were cut at {capped.cap:g}, {moved}"
    few = not leading.begun and leading.accounts.squares < 2 * capped.cap**2
    waits = " It begins when what came outweighs twice the square of the cap." if few else ""
    return f"{holds} capped preferences: {cut}.{waits}"


def _between(low: float, high: float) -> str:
    """Limits in words; one side may have none, where few users outweigh the others.

    >>> _between(-0.1, 0.2), _between(-math.inf, 0.2)
    ('from -0.100 to +0.200', 'at most +0.200; how far below, too few users tell')
    """
    if low == -math.inf:
        return f"at most {high:+.3f}; how far below, too few users tell"
    if high == math.inf:
        return f"at least {low:+.3f}; how far above, too few users tell"
    return f"from {low:+.3f} to {high:+.3f}"


def _what_changes_it(analysis: Analysis, leading: Comparison) -> list[str]:
    lines = []
    if analysis.clicks_alone:
        return ["A log with a row for every list that was shown, clicked or not."]
    if analysis.withheld:
        return ["First of all what is wrong has to be mended: see Healthy."]
    if leading.winner:
        row = f"{leading.users_to_undo:,} {plural(analysis)} in a row for {leading.second}"
        lines.append(f"{row}, each as clear as the others were, would make it uncertain again.")
    for comparison in analysis.undecided:
        pair = "" if len(analysis.rankers) == 2 else f"{comparison.first} over {comparison.second}: "
        lines += [pair + line for line in _what_decides(analysis, comparison)]
    if any(comparison.traffic.fading for comparison in analysis.undecided):
        lines.append("A policy that has settled asks no more; interleave them for everybody to know.")
    return lines


def _what_decides(analysis: Analysis, comparison: Comparison) -> list[str]:
    more, detectable = comparison.more_users, comparison.detectable
    if comparison.provisional:
        return [f"No user decides it: {_opens(analysis)}; or say --ended."]
    if comparison.needs_cap is not None:
        lines = ["A cap decides whether this can be decided."]
    elif more is None:
        lines = ["Nobody knows how many more are needed: there is too little preference to go by."]
    else:
        lines = [f"About {more:,} more {plural(analysis)} decide it (80 % chance), if the preference is as measured."]
    if comparison.traffic.fading:
        lines.append(f"But they hardly come any more: {_of_late(comparison.traffic)}")
    if detectable is not None:
        lines.append(f"A preference of {detectable:.3g} would have shown by now (80 % chance).")
    return lines


def _opens(analysis: Analysis) -> str:
    """What has to be over before anything is decided."""
    if analysis.window is not None:
        return f"a window has to close, {analysis.window:g} hours after a first impression"
    hours = f"{analysis.settings.attribution or ATTRIBUTION:g} hours after an impression"
    return f"the time for clicks and actions has to be over, {hours}"


def _of_late(traffic: Traffic) -> str:
    late = f"{traffic.recently_compared:,} of the last {traffic.recent:,} impressions compare the two"
    return f"{late}, of all {traffic.compared / traffic.impressions:.1%}."


def _users(analysis: Analysis, leading: Comparison) -> list[str]:
    hours = f"{analysis.window or 0:g} hours"
    what = "rows with clicks" if analysis.clicks_alone else "impressions"
    lines = [f"{leading.users:,} {plural(analysis)} count, of {analysis.impressions:,} {what} in all."]
    if analysis.waiting:
        lines.append(f"{analysis.waiting:,} more impressions wait for their clicks; they count later, or with --ended.")
    if leading.open:
        lines.append(f"Still open: {leading.open:,}, to be counted when their {hours} are over, or now with --ended.")
    if leading.late:
        lines.append(f"{leading.late:,} impressions came after their {analysis.unit}'s {hours} and do not count.")
    return lines


def plural(analysis: Analysis) -> str:
    """What is counted."""
    return {"user": "users", "query": "queries"}[analysis.unit]


def _healthy(analysis: Analysis) -> list[str]:
    health = analysis.health
    known = "Yes." if health.checks else "Not known: the log has no teams."
    lines = [known] if health.valid else [f"NO: {reason}." for reason in health.reasons]
    for check in health.checks:
        shares = ", ".join(f"{count / max(1, sum(check.counts)):.1%}" for count in check.counts)
        state = "balanced" if check.healthy else f"NOT BALANCED (e-value {check.e_value:.3g})"
        lines.append(f"{check.name}: {shares} of {sum(check.counts):,}, {state}.")
    lines += [_guarded(rail) for rail in analysis.guarded]
    lines += list(health.notes)
    if health.replay:
        rates = ", ".join(f"{name} {rate:.1%}" for name, rate in health.replay.items())
        lines.append(f"False alarms if there were no difference, on these {plural(analysis)}: {rates}.")
    lines += [f"The {name} raises too many of them here: do not rely on it." for name in health.unreliable]
    return lines + _lost(analysis)


def _guarded(rail: Guarded) -> str:
    """How a guardrail stands: what is not known to hold is said to be so, with what was seen."""
    if rail.broken or rail.holds:
        state = "BROKEN" if rail.broken else "holds"
    else:
        so_far = "BEYOND" if rail.passed else "within"
        state = f"so far {so_far} the limit, but NOT KNOWN to hold"
    limits = f"from {rail.low:.3g} to {rail.high:.3g}{', by first pages' if rail.first_pages else ''}"
    if math.inf in (-rail.low, rail.high):
        limits = "too few users for limits"
    return f"{rail.guardrail}: {rail.mean:.3g} in {rail.impressions:,} impressions ({limits}), {state}."


def _lost(analysis: Analysis) -> list[str]:
    """What did not count, in one line for all that is usual and one for each loss."""
    health = analysis.health
    lines = []
    for loss in health.losses:
        if loss.count:
            whose = ", ".join(f"{name} {count:,}" for name, count in loss.rankers.items() if count)
            if loss.guessed:
                whose = f"whose, nobody can tell{f' (lists by their other clicks: {whose})' if whose else ''}"
            example = f" ({loss.example})" if loss.example else ""
            lines.append(f"{loss.count:,} {loss.name}, {loss.share:.1%}{f'; {whose}' if whose else ''}{example}.")
    lines.append(
        f"{health.rejected:,} bad rows, {health.duplicates:,} {AGAIN}, {health.alone:,} impressions "
        f"of one ranker alone, {health.unusable:,} that do not say who earned their clicks."
    )
    return lines


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """Every two rankers."""
    rows = []
    for c in comparisons:
        low, high = c.limits
        numbers = [f"{c.users:,}", f"{c.preference:+.3f}", f"{low:+.3f}", f"{high:+.3f}", f"{c.e_value:.3g}"]
        rows.append([f"{c.first} over {c.second}", *numbers, _winner(c.winner, c.withheld)])
    return Table(["pair", "users", "preference", "low", "high", "e-value", "winner"], rows)


def _winner(winner: str | None, withheld: bool) -> str:
    return "withheld" if withheld else winner or "-"


def segment_table(analysis: Analysis) -> Table:
    """The two leaders in every segment."""
    rows = []
    for part in analysis.segments:
        numbers = [f"{part.users:,}", f"{part.preference:+.3f}", f"{part.low:+.3f}", f"{part.high:+.3f}"]
        rows.append([part.name, *numbers, _winner(part.winner, analysis.withheld)])
    return Table(["segment", "users", "preference", "low", "high", "winner"], rows)


def day_table(analysis: Analysis) -> Table:
    """The two leaders from day to day."""
    rows = [[day.date, f"{day.impressions:,}", f"{day.credit:.3f}", f"{day.preference:+.3f}"] for day in analysis.days]
    return Table(["day", "impressions", "credit an impression", "preference"], rows)


def fixed_table(analysis: Analysis) -> Table:
    """The tests for a planned number of users, of the two leaders."""
    leading, adjusted = analysis.comparisons[0].towards_leader(), adjusted_tests(analysis.comparisons)[0]
    rows = [
        [test.name, f"{test.n:,}", f"{test.estimate:.3f}", f"{test.statistic:.4g}", f"{p_value:.3g}"]
        for test, p_value in zip(leading.tests, adjusted, strict=True)
    ]
    mean, low, high = leading.bootstrap
    rows.append([f"bootstrap by {analysis.unit}", "", f"{mean:.3f}", f"{low:.3f} to {high:.3f}", ""])
    return Table(["test", "n", "estimate", "statistic", "p"], rows)
