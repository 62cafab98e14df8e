"""Small charts as SVG text, for a page that must carry its charts itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from duelist.core.memory import Floats
from duelist.evidence.accounts import Course
from duelist.evidence.sequential import Band
from duelist.present.charts import COLOURS

WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 70, 30, 12, 82  # margins, with room for letters twice as large on a small screen
NAME = 40  # letters of a name that are shown
POINTS = 300  # of a line: more are not seen

Scale = Callable[[float], float]


def band_chart(band: Band | Course, dates: Sequence[str], label: str) -> str:
    """A mean and its limits against the number of users, from where there are limits; `dates` of looks, if known."""
    known = np.flatnonzero(np.isfinite(band.low) & np.isfinite(band.high))
    if not len(known):
        return "<p>Too few users for a chart yet.</p>"
    chosen = known[np.unique(np.linspace(0, len(known) - 1, POINTS).round().astype(int))]
    x, mean, low, high = (np.asarray(part, dtype=float)[chosen] for part in band[:4])
    ticks = nice_ticks(min(0.0, float(low.min())), max(0.0, float(high.max())))
    across = _scale(float(x[0]), float(x[-1]), LEFT, WIDTH - RIGHT)
    up = _scale(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    parts = [_line(LEFT, up(tick), WIDTH - RIGHT, up(tick), "#ddd" if tick else "#555") for tick in ticks]
    parts += [_text(LEFT - 8, up(tick) + 4, f"{tick:+.3g}" if tick else "0", "end") for tick in ticks]
    for place in np.unique(np.linspace(0, len(x) - 1, 6).round().astype(int)).tolist():
        users = int(x[place])
        parts.append(_text(across(users), HEIGHT - BOTTOM + 22, f"{users:,}", "middle"))
        if dates:
            parts.append(_text(across(users), HEIGHT - BOTTOM + 46, dates[chosen[place]], "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, label, "middle"))
    edge = _points(np.append(x, x[::-1]), np.append(low, high[::-1]), across, up)
    parts.append(f'<polygon points="{edge}" fill="{COLOURS[0]}" fill-opacity="0.18"/>')
    points = _points(x, mean, across, up)
    parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[0]}" stroke-width="2"/>')
    return _svg(parts, HEIGHT)


def bar_chart(bars: Sequence[tuple[str, float, float, float]]) -> str:
    """A bar for each (name, value, low, high), with a line for its interval and the name above it."""
    row, thick = 46, 16
    ticks = nice_ticks(min(0.0, *(low for _, _, low, _ in bars)), max(0.0, *(high for *_, high in bars)))
    across = _scale(ticks[0], ticks[-1], 10, WIDTH - RIGHT - 10)
    height = row * len(bars) + 30
    parts = [_line(across(tick), 0, across(tick), height - 26, "#ddd" if tick else "#555") for tick in ticks]
    parts += [_text(across(tick), height - 8, f"{tick:.3g}", "middle") for tick in ticks]
    for place, (name, value, low, high) in enumerate(bars):
        y = place * row + 22
        start, end = sorted((across(0), across(value)))
        short = name if len(name) <= NAME else f"{name[: NAME - 1]}\u2026"
        parts.append(_text(12, y - 4, f"{short}: {value:.3g}", "start"))
        parts.append(f'<rect x="{start:.1f}" y="{y}" width="{end - start:.1f}" height="{thick}" fill="{COLOURS[5]}"/>')
        parts.append(_line(across(low), y + thick / 2, across(high), y + thick / 2, COLOURS[6]))
    return _svg(parts, height)


def nice_ticks(low: float, high: float, number: int = 5) -> list[float]:
    """Round numbers from at most `low` to at least `high`.

    >>> nice_ticks(-0.13, 0.41)
    [-0.2, 0.0, 0.2, 0.4, 0.6]
    """
    high = high if high > low else low + 1
    span = high - low
    power = 10 ** math.floor(math.log10(span / number))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * number >= span)
    return [round(place * step, 12) for place in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _scale(low: float, high: float, start: float, end: float) -> Scale:
    """From a value to a place in the picture."""
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def _points(x: Floats, y: Floats, across: Scale, up: Scale) -> str:
    return " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="13">{escape(text)}</text>'


def _svg(parts: Sequence[str], height: int) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" font-family="system-ui, sans-serif">{"".join(parts)}</svg>'
