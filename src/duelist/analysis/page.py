"""The analysis of a log as one HTML file that needs nothing else: no network, no script."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from importlib import metadata

from duelist.analysis.analysis import HOUR, Analysis
from duelist.analysis.charts import band_chart, bar_chart
from duelist.analysis.text import day_table, plural, sections, tables, title_of, verdict
from duelist.core.errors import printable

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
body { overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin: 1.8rem 0 .3rem; }
.verdict { font-size: 1.2rem; padding: .8rem 1rem; border-left: .4rem solid #E69F00; background: #faf5e6; }
.verdict.decided { border-color: #009E73; background: #e9f6f1; }
.verdict.invalid { border-color: #D55E00; background: #fbeae3; }
dt { font-weight: 600; margin-top: .8rem; }
dd { margin: 0; }
figure { margin: 1.5rem 0; }
figcaption { font-weight: 600; }
svg { width: 100%; height: auto; overflow: visible; }
footer { margin-top: 2rem; color: #666; font-size: .85rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .8rem; border-bottom: 1px solid #e5e5e5; text-align: right; vertical-align: top; }
th { vertical-align: bottom; }
td { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; overflow-wrap: anywhere; min-width: 4.6rem; }
td:first-child { white-space: normal; }
@media (max-width: 40rem) {
  body { margin: 1rem auto; font-size: 15px; }
  svg text { font-size: 22px; }
  table { font-size: .7rem; line-height: 1.3; }
  th, td { padding: .25rem .12rem; }
}
"""


def page(analysis: Analysis, title: str, made: datetime | None = None) -> str:
    """The whole page; everything that comes from the log is escaped. `made` is when, if it is to be said."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{escape(printable(title))}</title><style>{STYLE}</style>"
    parts = [f"<h1>{escape(printable(title))}</h1>", *body(analysis), _about(analysis, made)]
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def body(analysis: Analysis) -> list[str]:
    """Verdict, charts, sections and tables: the page without its frame."""
    leading = analysis.comparisons[0].towards_leader()
    state = "invalid" if not analysis.health.valid else "decided" if analysis.winner else "open"
    bars = [(printable(ranker.name), *ranker.credit) for ranker in analysis.rankers]
    parts = [
        f"<p>{_safe(title_of(analysis))}</p>",
        f'<p class="verdict {state}">{_safe(verdict(analysis))}</p>',
        _figure(
            f"Preference for {leading.first} over {leading.second}, with its confidence sequence",
            band_chart(leading.band, _dates(analysis), f"{plural(analysis)} counted"),
        ),
        _figure("Credit an impression, with 95 % intervals", bar_chart(bars)),
        "<dl>",
    ]
    for heading, lines in sections(analysis)[1:]:
        parts.append(f"<dt>{escape(heading)}</dt>" + "".join(f"<dd>{_safe(line)}</dd>" for line in lines))
    parts.append("</dl>")
    shown = tables(analysis)
    if len(analysis.days) > 1:
        shown.append((f"{leading.first} over {leading.second}, by day", day_table(analysis)))
    for heading, table in shown:
        parts.append(f'<h2>{_safe(heading)}</h2><div class="table">{printable(table._repr_html_())}</div>')
    return parts


def _safe(text: str) -> str:
    return escape(printable(text))


def _about(analysis: Analysis, made: datetime | None) -> str:
    """When it was made, of what, by which version and with which options."""
    options = ", ".join(
        f"{name} {', '.join(value) if isinstance(value, tuple) else value}"
        for name, value in asdict(analysis.settings).items()
        if value not in (None, ())
    )
    first, last = (datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M") for time in analysis.dates)
    dated = f"Impressions from {first} to {last} UTC. " if analysis.dates[1] else ""
    when = "" if made is None else f"Made {made.astimezone(UTC).strftime('%Y-%m-%d %H:%M')} UTC by "
    return f"<footer>{_safe(f'{dated}{when}duelist {version()}, with {options}.')}</footer>"


def version() -> str:
    """Of duelist."""
    return metadata.version("duelist")


def _figure(caption: str, chart: str) -> str:
    return f"<figure><figcaption>{_safe(caption)}</figcaption>{chart}</figure>"


def _dates(analysis: Analysis) -> list[str]:
    """The day of each look; empty if the log has no times."""
    times = analysis.comparisons[0].times
    if not analysis.frozen or times is None or not len(times) or times[0] <= HOUR * (analysis.window or 0):
        return []
    return [datetime.fromtimestamp(time, UTC).strftime("%d %b") for time in times.tolist()]
