"""Charts that are saved as pictures. Needs the extra `charts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duelist.core.errors import BadInput, MissingExtra

FORMATS = (".png", ".svg", ".pdf")
# Eight colours that stay apart for colour-blind readers (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800")


class Series(NamedTuple):
    """One line of a chart, with a band where there are limits."""

    label: str
    x: Any
    y: Any
    low: Any = None
    high: Any = None


def check_chart_path(path: str | Path) -> Path:
    """The path of a chart to be, or an error before any work is done for it."""
    path = Path(path)
    if path.suffix not in FORMATS:
        raise BadInput(f"a chart is saved as {', '.join(FORMATS)}, not as {str(path)!r}")
    if not path.parent.is_dir():
        raise BadInput(f"there is no folder {str(path.parent)!r} to save the chart in")
    return path


def draw_lines(
    panels: Sequence[tuple[str, Sequence[Series], bool]],
    x_label: str,
    title: str,
    path: str | Path | None = None,
    x_logarithmic: bool = True,
) -> Any:
    """Panels one below the other; a panel is (y label, lines, y logarithmic).

    Returns matplotlib's figure, and saves it when `path` is given.
    """
    figure = _figure(len(panels), path)
    for number, (y_label, lines, logarithmic) in enumerate(panels, 1):
        axes = figure.add_subplot(len(panels), 1, number)
        for place, line in enumerate(lines):
            style: dict[str, Any] = {
                "color": COLOURS[place % len(COLOURS)],
                "linestyle": ("-", "--", ":")[place // len(COLOURS) % 3],
            }
            axes.plot(line.x, line.y, label=line.label, linewidth=1.6, **style)
            if line.low is not None:
                axes.fill_between(line.x, line.low, line.high, color=style["color"], alpha=0.18, linewidth=0)
        if x_logarithmic:
            axes.set_xscale("log")
        if logarithmic and any((line.y > 0).any() for line in lines):
            axes.set_yscale("log" if all((line.y[-1] > 0).all() for line in lines) else "symlog")
        _finish(axes, x_label, y_label)
        if number == 1:
            axes.set_title(title)
            axes.legend(frameon=False)
    return _save(figure, path)


def draw_boxes(
    samples: Mapping[Any, Any], x_label: str, y_label: str, title: str, path: str | Path | None = None
) -> Any:
    """A box plot for each sample: quartiles, and whiskers at 5 and 95 %."""
    figure = _figure(1, path)
    axes = figure.add_subplot()
    axes.boxplot(
        list(samples.values()),
        tick_labels=[str(key) for key in samples],
        whis=(5, 95),
        showfliers=False,
        medianprops={"color": COLOURS[1], "linewidth": 2},
    )
    if len(samples) > 10:
        axes.tick_params(axis="x", labelsize="small")
    _finish(axes, x_label, y_label)
    axes.set_title(title)
    return _save(figure, path)


def draw_dots(groups: Sequence[Series], x_label: str, title: str, path: str | Path | None = None) -> Any:
    """A row for each name in `x` of the groups, in it a dot with its limits for each group, and a line at 0."""
    names = list(dict.fromkeys(name for group in groups for name in group.x))
    figure = _figure(1 + len(names) // 10, path)
    axes = figure.add_subplot()
    for place, group in enumerate(groups):
        shift = (place - (len(groups) - 1) / 2) * 0.6 / len(groups)
        rows = [names.index(name) + shift for name in group.x]
        reach = [group.y - group.low, group.high - group.y]
        axes.errorbar(group.y, rows, xerr=reach, fmt="o", color=COLOURS[place % len(COLOURS)], label=group.label)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    _finish(axes, x_label, "")
    axes.set_title(title)
    axes.legend(frameon=False)
    return _save(figure, path)


def _figure(panels: int, path: str | Path | None) -> Any:
    if path is not None:
        check_chart_path(path)
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("charts need matplotlib: pip install 'duelist[charts]'") from error
    return Figure(figsize=(8, 1.5 + 3.2 * panels), layout="constrained")


def _finish(axes: Any, x_label: str, y_label: str) -> None:
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _save(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        figure.savefig(path, dpi=140)
    return figure
