"""Charts as values: what is to be seen, drawn by matplotlib when somebody looks. Needs the extra `charts`."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from duelist.core.errors import BadInput, MissingExtra

FORMATS = (".png", ".svg", ".pdf")
# Eight colours that stay apart for colour-blind readers (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800")
STYLES = ("-", "--", ":")


class Series(NamedTuple):
    """One line of a chart, with a band where there are limits."""

    label: str
    x: Any
    y: Any
    low: Any = None
    high: Any = None


class Panel(NamedTuple):
    """Lines that share their axes."""

    y_label: str
    lines: Sequence[Series]
    logarithmic: bool = False
    least: float = -math.inf  # what the measure can be: no band goes beyond
    most: float = math.inf


class Chart:
    """What all charts can do."""

    title: str
    height: ClassVar[float] = 3.2  # inches of a panel

    def figure(self) -> Any:
        """As matplotlib's figure."""
        raise TypeError(f"{type(self).__name__} cannot be drawn")

    def draw(self, path: str | Path | None = None) -> Any:
        """Matplotlib's figure, saved where `path` says."""
        path = None if path is None else check_chart_path(path)
        figure = self.figure()
        if path is not None:
            figure.savefig(path, dpi=140)
        return figure

    def _repr_svg_(self) -> str | None:
        """For a notebook; nothing where there is no matplotlib."""
        try:
            figure = self.figure()
        except MissingExtra:
            return None
        text = io.StringIO()
        figure.savefig(text, format="svg")
        return text.getvalue()[text.getvalue().index("<svg") :]

    def _canvas(self, panels: int) -> Any:
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise MissingExtra("charts need matplotlib: pip install 'duelist[charts]'") from error
        return Figure(figsize=(8, 1.5 + self.height * panels), layout="constrained")


@dataclass(frozen=True)
class Lines(Chart):
    """Panels one below the other; a dotted upright line at each of `changes`, where the world changed.

    Of lines that coincide the later ones are dashed, so that the earlier shine through. Panels with the same lines as
    the first share its legend.

    >>> chart = Lines([Panel("regret", [Series("rucb", [1, 10], [1, 3])])], "duels", "RUCB on arXiv")
    >>> chart.draw().axes[0].get_ylabel()
    'regret'
    """

    panels: Sequence[Panel]
    x_label: str
    title: str
    x_logarithmic: bool = True
    changes: Sequence[float] = ()

    def figure(self) -> Any:
        figure = self._canvas(len(self.panels))
        for number, panel in enumerate(self.panels, 1):
            axes = figure.add_subplot(len(self.panels), 1, number)
            for change in self.changes:
                axes.axvline(change, color="grey", linewidth=0.8, linestyle=":")
            for place, line in enumerate(panel.lines):
                _draw_line(axes, panel, place, line)
            if self.x_logarithmic:
                axes.set_xscale("log")
            if panel.logarithmic:
                _scale_logarithmically(axes, [np.asarray(line.y) for line in panel.lines])
            _finish(axes, self.x_label, panel.y_label)
            if number == 1 or [line.label for line in panel.lines] != [line.label for line in self.panels[0].lines]:
                axes.legend(frameon=False)
        figure.axes[0].set_title(self.title)
        return figure


@dataclass(frozen=True)
class Boxes(Chart):
    """A box plot for each sample: quartiles, and whiskers at 5 and 95 %."""

    samples: Mapping[Any, Any]
    x_label: str
    y_label: str
    title: str

    def figure(self) -> Any:
        figure = self._canvas(1)
        axes = figure.add_subplot()
        axes.boxplot(
            list(self.samples.values()),
            tick_labels=[str(key) for key in self.samples],
            whis=(5, 95),
            showfliers=False,
            medianprops={"color": COLOURS[1], "linewidth": 2},
        )
        if len(self.samples) > 10:
            axes.tick_params(axis="x", labelsize="small")
        _finish(axes, self.x_label, self.y_label)
        axes.set_title(self.title)
        return figure


@dataclass(frozen=True)
class Dots(Chart):
    """A row for each name in `x` of the groups, in it a dot with its limits for each group, and a line at 0."""

    groups: Sequence[Series]
    x_label: str
    title: str

    def figure(self) -> Any:
        names = list(dict.fromkeys(name for group in self.groups for name in group.x))
        figure = self._canvas(1 + len(names) // 10)
        axes = figure.add_subplot()
        for place, group in enumerate(self.groups):
            shift = (place - (len(self.groups) - 1) / 2) * 0.6 / len(self.groups)
            rows = [names.index(name) + shift for name in group.x]
            reach = [group.y - group.low, group.high - group.y]
            axes.errorbar(group.y, rows, xerr=reach, fmt="o", color=COLOURS[place % len(COLOURS)], label=group.label)
        axes.axvline(0.0, color="black", linewidth=0.8)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        _finish(axes, self.x_label, "")
        axes.set_title(self.title)
        axes.legend(frameon=False)
        return figure


@dataclass(frozen=True)
class Heat(Chart):
    """A table of numbers from 0 to 1 as colours, with each number in its cell where there is room; NaN is empty.

    >>> chart = Heat([[math.nan, 0.7], [0.3, math.nan]], ["new", "old"], "wins over", "Who beats whom")
    >>> [label.get_text() for label in chart.draw().axes[0].get_yticklabels()]
    ['new', 'old']
    """

    cells: Any
    names: Sequence[str]
    label: str
    title: str
    room: ClassVar[int] = 20  # names whose numbers are still read

    def figure(self) -> Any:
        cells = np.asarray(self.cells, np.float64)
        figure = self._canvas(1 + len(self.names) // 10)
        axes = figure.add_subplot()
        drawn = axes.imshow(cells, cmap="RdBu", vmin=0.0, vmax=1.0)
        few = len(self.names) <= self.room
        if few:
            axes.set_xticks(range(len(self.names)), self.names, rotation=60, ha="right")
            axes.set_yticks(range(len(self.names)), self.names)
        for row, column in np.argwhere(np.isfinite(cells)).tolist() if few else []:
            axes.text(column, row, f"{cells[row, column]:.2f}", ha="center", va="center", fontsize="x-small")
        figure.colorbar(drawn, ax=axes, label=self.label)
        axes.set_title(self.title)
        return figure


def check_chart_path(path: str | Path) -> Path:
    """The path of a chart to be, or an error before any work is done for it."""
    path = Path(path)
    if path.suffix not in FORMATS:
        raise BadInput(f"a chart is saved as {', '.join(FORMATS)}, not as {str(path)!r}")
    if not path.parent.is_dir():
        raise BadInput(f"there is no folder {str(path.parent)!r} to save the chart in")
    return path


def _draw_line(axes: Any, panel: Panel, place: int, line: Series) -> None:
    colour, style = COLOURS[place % len(COLOURS)], STYLES[place // len(COLOURS) % 3]
    hidden = _hidden_by(panel, place) if len(panel.lines) <= len(COLOURS) else []
    if hidden:
        style = STYLES[1 + (len(hidden) - 1) % 2]
    same = next((f" (same as {other.label})" for other in hidden if np.array_equal(other.y, line.y)), "")
    axes.plot(line.x, line.y, label=line.label + same, linewidth=1.6, color=colour, linestyle=style)
    if line.low is not None:
        low, high = np.clip([line.low, line.high], panel.least, panel.most)
        axes.fill_between(line.x, low, high, color=colour, alpha=0.18, linewidth=0)


def _hidden_by(panel: Panel, place: int) -> list[Series]:
    """The earlier lines that this one would cover: all along within a hundredth of the panel's height."""
    heights = [np.log(np.maximum(line.y, 1e-9)) if panel.logarithmic else np.asarray(line.y) for line in panel.lines]
    near = 0.01 * (max(y.max() for y in heights) - min(y.min() for y in heights))
    here = panel.lines[place]
    return [
        line
        for line, height in zip(panel.lines[:place], heights, strict=False)
        if np.array_equal(line.x, here.x) and np.abs(height - heights[place]).max() <= near
    ]


def _scale_logarithmically(axes: Any, values: Sequence[Any]) -> None:
    """Zero has no place on a logarithmic axis: where a line ends there, the axis is linear around it."""
    if any((y > 0).any() for y in values):
        axes.set_yscale("log" if all(y[-1] > 0 for y in values) else "symlog")


def _finish(axes: Any, x_label: str, y_label: str) -> None:
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() != "linear":
            _number_powers(axis)
        elif type(axis.get_major_formatter()).__name__ == "ScalarFormatter":  # and not names
            axis.set_major_formatter(_number)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _number_powers(axis: Any) -> None:
    """Powers of ten as numbers, with no ticks between them: read at once, and drawn in half the time."""
    low, high = axis.get_view_interval()
    powers = axis.get_majorticklocs()
    if np.sum((powers >= low) & (powers <= high)) >= 2:
        axis.set_major_formatter(_number)
        axis.set_ticks([], minor=True)


def _number(value: float, _: int) -> str:
    return f"{value:,.10g}"
