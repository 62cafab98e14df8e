"""The analysis of a log as one HTML file that needs nothing else: no network, no script."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

from duelist.analysis.analysis import HOUR, Analysis
from duelist.analysis.charts import band_chart, bar_chart
from duelist.analysis.text import comparison_table, fixed_table, plural, sections, verdict

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.3rem; margin-bottom: 0; overflow-wrap: anywhere; }
.verdict { font-size: 1.2rem; padding: .8rem 1rem; border-left: .4rem solid #E69F00; background: #faf5e6; }
.verdict.decided { border-color: #009E73; background: #e9f6f1; }
.verdict.invalid { border-color: #D55E00; background: #fbeae3; }
.verdict, dd { overflow-wrap: anywhere; }
dt { font-weight: 600; margin-top: .8rem; }
dd { margin: 0; }
figure { margin: 1.5rem 0; }
figcaption { font-weight: 600; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; }
pre { overflow-x: auto; background: #f5f5f5; padding: .8rem; font-size: .85rem; }
"""


def page(analysis: Analysis, title: str) -> str:
    """The whole page; everything that comes from the log is escaped."""
    leading = analysis.comparisons[0].towards_leader()
    state = "invalid" if not analysis.health.valid else "decided" if analysis.winner else "open"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="verdict {state}">{escape(verdict(analysis))}</p>',
        _figure(
            f"Preference for {leading.first} over {leading.second}, with its confidence sequence",
            band_chart(leading.band, _dates(analysis), f"{plural(analysis)} counted"),
        ),
    ]
    if len(analysis.rankers) > 2:
        bars = [(ranker.name, *ranker.credit) for ranker in analysis.rankers]
        parts.append(_figure("Credit an impression, with 95 % intervals", bar_chart(bars)))
    parts.append("<dl>")
    for heading, lines in sections(analysis)[1:]:
        parts.append(f"<dt>{escape(heading)}</dt>" + "".join(f"<dd>{escape(line)}</dd>" for line in lines))
    parts.append("</dl>")
    if len(analysis.comparisons) > 1:
        parts.append(f"<h2>Every two rankers</h2><pre>{escape(str(comparison_table(analysis)))}</pre>")
    parts.append("<h2>For those who planned the number of users, at that number only</h2>")
    parts.append(f"<pre>{escape(str(fixed_table(analysis)))}</pre>")
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _figure(caption: str, chart: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{chart}</figure>"


def _dates(analysis: Analysis) -> list[str]:
    """The day of each look; empty if the log has no times."""
    times = analysis.comparisons[0].times
    if not analysis.frozen or times is None or not len(times) or times[0] <= HOUR * (analysis.window or 0):
        return []
    return [datetime.fromtimestamp(time, UTC).strftime("%d %b") for time in times.tolist()]
