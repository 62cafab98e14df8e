"""A leaderboard in words, and for JSON."""

from __future__ import annotations

import math
from typing import Any

from duelist.present.tables import Table
from duelist.ranking.leaderboard import Leaderboard

SHOWN = 3  # examples of what is wrong
WIDE = 20  # arms of a matrix that is still read


def standings_table(board: Leaderboard) -> Table:
    """A row an arm."""
    rows = []
    for each in board.standings:
        placed = each.rank is not None
        ranks = f"{each.rank_low}-{each.rank_high}" if each.rank_low != each.rank_high else f"{each.rank_low}"
        cells = [f"{each.strength:+.2f}", f"{each.low:+.2f} to {each.high:+.2f}", ranks, _percent(each.best)]
        rows.append(
            [
                str(each.arm),
                str(each.rank) if placed else "-",
                f"{each.duels:,}",
                f"{each.wins:,.6g}",
                *(cells if placed else ["-"] * 4),
            ]
        )
    names = ["arm", "rank", "duels", "wins", "strength", f"{board.confidence:.0%} interval", "may rank", "is best"]
    return Table(names, rows)


def pairs_table(board: Leaderboard) -> Table:
    """How often the row beats the column, with limits and the number of duels; the strongest first."""
    place = {arm: number for number, arm in enumerate(board.arms)}
    order = [place[each.arm] for each in board.standings]
    rows = []
    for row in order:
        cells = []
        for column in order:
            if row == column or not board.pairs.duels[row, column]:
                cells.append("-" if row != column else "")
                continue
            rate, low, high = (float(t[row, column]) for t in (board.pairs.rate, board.pairs.low, board.pairs.high))
            shown = f"{rate:.2f}" if not math.isnan(rate) else "-"
            cells.append(f"{shown} [{low:.2f}, {high:.2f}] {board.pairs.duels[row, column]}")
        rows.append([str(board.arms[row]), *cells])
    return Table(["wins over", *(str(board.arms[number]) for number in order)], rows)


def format_board(board: Leaderboard) -> str:
    """The board, and below it what to know about it."""
    return f"{standings_table(board)}\n\n" + "\n".join(f"{label:<10} {text}" for label, text in notes(board))


def notes(board: Leaderboard) -> list[tuple[str, str]]:
    """What to know about a board, as labels and sentences."""
    found = [("Intervals", board.promise + ".")]
    found += [("Fit", _fit(board)), ("Sides", _sides(board))]
    found += [("Duels", _duels(board))]
    unplaced = [each for each in board.standings if each.rank is None]
    found += [("No place", f"{each.arm}: {each.why}.") for each in unplaced[:SHOWN]]
    if len(unplaced) > SHOWN:
        found.append(("", f"and {len(unplaced) - SHOWN} more; a prior (1 or so) places them all."))
    found += [("Not read", f"line {row.line}: {row.reason}") for row in board.rejected[:SHOWN]]
    if len(board.rejected) > SHOWN:
        found.append(("", f"and {len(board.rejected) - SHOWN:,} more."))
    return found


def _fit(board: Leaderboard) -> str:
    fit, arms = board.fit, board.arms
    circle = " ".join(f"{' > '.join(str(arms[a]) for a in (*each, each[0]))} is sure." for each in fit.circles.examples)
    if fit.circles.examples:
        return f"one strength an arm does NOT fit: there are circles. {circle}"
    test = f"chi-squared {fit.statistic:.1f} on {fit.freedom}, p = {fit.p_value:.2g}"
    if board.kind == "always-valid":
        test = "no order keeps all limits" if fit.refuted else "some strengths keep all limits"
    if not fit.refuted:
        return f"nothing speaks against one strength an arm ({test})." if fit.freedom > 0 else "too few pairs to tell."
    worst = fit.worst[0]
    placed = [each for each in arms if board[each].rank is not None]
    pair = f"{placed[worst.first]} beats {placed[worst.second]} in {worst.seen:.0%}, {worst.expected:.0%} expected"
    return f"one strength an arm does NOT fit ({test}); worst: {pair}."


def _sides(board: Leaderboard) -> str:
    if board.bias is None:
        return f"not corrected: {board.bias_why}."
    share, low, high = board.bias
    limits = "" if math.isnan(low) else f" [{low:.1%}, {high:.1%}]"
    return f"of two equal arms the left one wins {share:.1%}{limits}; strengths are corrected for it."


def _duels(board: Leaderboard) -> str:
    all_pairs = len(board.arms) * (len(board.arms) - 1) // 2
    parts = [f"{board.duels:,} of {len(board.arms)} arms"]
    parts += [f"judged by {board.users:,} users"] if board.users else []
    never = len(board.pairs.never)
    parts += [f"{never:,} of {all_pairs:,} pairs never met"] if never else [f"each of {all_pairs:,} pairs met"]
    parts += [f"{board.settled:,} of an arm with itself are left out"] if board.settled else []
    return ", ".join(parts) + "."


def board_summary(board: Leaderboard) -> dict[str, Any]:
    """Everything as plain values; what is not known is None."""
    arms, pairs, fit = board.arms, board.pairs, board.fit
    placed = [arm for arm in arms if board[arm].rank is not None]
    worst = [m._asdict() | {"first": placed[m.first], "second": placed[m.second]} for m in fit.worst]
    tables = {name: _plain(getattr(pairs, name).tolist()) for name in ("duels", "rate", "low", "high")}
    return {
        "kind": board.kind,
        "confidence": board.confidence,
        "promise": board.promise,
        "standings": [_plain(each._asdict()) for each in board.standings],
        "pairs": {"arms": list(arms), **tables, "never": [[arms[a], arms[b]] for a, b in pairs.never]},
        "fit": _plain(
            {
                "chi_squared": fit.statistic,
                "freedom": fit.freedom,
                "p_value": fit.p_value,
                "refuted": fit.refuted,
                "worst": worst,
                "circles": [[arms[a] for a in each] for each in fit.circles.examples],
            }
        ),
        "bias": _plain(board.bias._asdict()) if board.bias else None,
        "bias_why": board.bias_why,
        "duels": board.duels,
        "users": board.users,
        "settled": board.settled,
        "rejected": [{"line": row.line, "reason": row.reason} for row in board.rejected],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _percent(share: float) -> str:
    return f"{share:.1%}" if 0.001 <= share <= 0.999 else "<0.1%" if share < 0.5 else ">99.9%"
