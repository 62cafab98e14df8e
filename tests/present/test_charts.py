"""Charts show every line they are given, and bad paths are refused before the work."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput, MissingExtra
from duelist.present.charts import Boxes, Dots, Lines, Panel, Series, check_chart_path

X = np.array([1.0, 10.0, 100.0])
RISING = Series("rising", X, np.array([1.0, 2.0, 4.0]), low=np.array([0.5, 1.0, 2.0]), high=np.array([2.0, 4.0, 8.0]))
SETTLED = Series("settled", X, np.array([1.0, 1.0, 0.0]))
ZERO = Series("zero", X, np.zeros(3))


@pytest.mark.parametrize("name", ["chart", "chart.gif", "chart.png.txt"])
def test_a_format_that_cannot_be_saved_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=rf"saved as \.png, \.svg, \.pdf, not as '.*{name}'"):
        check_chart_path(tmp_path / name)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no folder '.*missing'"):
        check_chart_path(tmp_path / "missing" / "chart.png")


def test_a_path_given_as_text_is_accepted(tmp_path: Path) -> None:
    assert check_chart_path(str(tmp_path / "chart.svg")) == tmp_path / "chart.svg"


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_a_chart_is_saved_in_the_format_of_its_name(suffix: str, magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"chart{suffix}"
    Lines([Panel("regret", [RISING])], "duels", "title").draw(path)
    assert path.read_bytes().startswith(magic)


def test_every_line_is_drawn_with_its_label_and_its_band() -> None:
    axes = Lines([Panel("regret", [RISING, SETTLED])], "duels", "title").draw().axes[0]
    assert [line.get_label() for line in axes.lines] == ["rising", "settled"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["rising", "settled"]
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), np.column_stack([RISING.x, RISING.y]))
    (band,) = axes.collections  # settled has no limits
    corners = band.get_paths()[0].vertices
    for x, low, high in zip(X, RISING.low, RISING.high, strict=True):
        assert {low, high} <= set(corners[corners[:, 0] == x, 1])


def test_thousands_are_told_apart_on_every_axis() -> None:
    chart = Lines([Panel("regret", [Series("rucb", [0, 20_000], [0, 0.5])])], "duels", "RUCB", x_logarithmic=False)
    figure = chart.draw()
    figure.draw_without_rendering()
    across, up = (axis.get_ticklabels() for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis))
    assert "10,000" in [label.get_text() for label in across]
    assert "0.3" in [label.get_text() for label in up]


def test_powers_are_numbers_and_an_axis_of_one_power_keeps_its_other_ticks() -> None:
    far = Series("far", np.array([1.0, 1e3, 1e6]), np.array([20.0, 30.0, 50.0]))
    axes = Lines([Panel("regret", [far], logarithmic=True)], "duels", "title").draw().axes[0]
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert {"1", "100", "10,000", "1,000,000"} <= set(labels)
    assert len(axes.get_xticks(minor=True)) == 0
    assert any(label.get_text() for label in axes.get_yticklabels(minor=True))


def test_panels_are_stacked_in_order_under_one_title() -> None:
    figure = Lines([Panel("regret", [RISING]), Panel("found", [SETTLED])], "duels", "the title").draw()
    assert [axes.get_ylabel() for axes in figure.axes] == ["regret", "found"]
    assert [axes.get_title() for axes in figure.axes] == ["the title", ""]
    assert {axes.get_xlabel() for axes in figure.axes} == {"duels"}
    assert {axes.get_xscale() for axes in figure.axes} == {"log"}


def test_two_dozen_lines_are_told_apart() -> None:
    axes = Lines([Panel("regret", [RISING] * 24)], "duels", "title").draw().axes[0]
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 24


def test_dots_stand_in_the_row_of_their_name_with_their_limits() -> None:
    one = Series("one", ["a", "b"], *np.array([[1.0, 2.0], [0.5, 1.0], [2.0, 2.5]]))
    two = Series("two", ["b", "c"], *np.array([[3.0, 4.0], [2.0, 3.0], [4.0, 5.0]]))
    axes = Dots([one, two], "lead", "title").draw().axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["one", "two"]
    for container, group, rows in zip(axes.containers, (one, two), ([0, 1], [1, 2]), strict=True):
        dots, _, (bars,) = container.lines
        np.testing.assert_array_equal(dots.get_xdata(), group.y)
        np.testing.assert_array_equal(np.round(np.array(dots.get_ydata(), float)), rows)
        limits = [segment[:, 0].tolist() for segment in bars.get_segments()]
        assert limits == np.column_stack([group.low, group.high]).tolist()


@pytest.mark.parametrize(
    ("lines", "logarithmic", "scale"),
    [
        ([RISING], False, "linear"),
        ([RISING], True, "log"),
        ([RISING, SETTLED], True, "symlog"),  # zero has no place on a logarithmic axis
        ([ZERO], True, "linear"),
    ],
)
def test_the_y_axis_is_logarithmic_where_the_values_allow(lines: list[Series], logarithmic: bool, scale: str) -> None:
    axes = Lines([Panel("regret", lines, logarithmic)], "duels", "title").draw().axes[0]
    assert axes.get_yscale() == scale


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"pip install 'duelist\[charts\]'"):
        Lines([Panel("regret", [RISING])], "duels", "title").draw()


def test_boxes_are_named_by_their_samples() -> None:
    axes = Boxes({100: X, "all": X * 2}, "arms", "ratio", "title").draw().axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["100", "all"]


def test_a_chart_is_a_value() -> None:
    chart = Lines((Panel("regret", ()),), "duels", "title")
    assert chart == Lines((Panel("regret", ()),), "duels", "title")
    with pytest.raises(AttributeError):
        chart.title = "another"  # type: ignore[misc]


def test_lines_that_coincide_are_told_apart() -> None:
    near = RISING._replace(label="near", y=RISING.y * 1.001)
    same = RISING._replace(label="same")
    axes = Lines([Panel("regret", [RISING, near, same, SETTLED])], "duels", "title").draw().axes[0]
    assert [line.get_linestyle() for line in axes.lines] == ["-", "--", ":", "-"]
    assert [line.get_label() for line in axes.lines] == ["rising", "near", "same (same as rising)", "settled"]


def test_a_band_stays_in_the_range_of_the_measure() -> None:
    share = Series(
        "share", X, np.array([0.1, 0.5, 0.9]), low=np.array([-0.2, 0.3, 0.7]), high=np.array([0.4, 0.7, 1.1])
    )
    axes = Lines([Panel("share", [share], least=0.0, most=1.0)], "duels", "title").draw().axes[0]
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.0, 1.0)


def test_a_notebook_is_given_a_picture() -> None:
    shown = Lines([Panel("regret", [RISING])], "duels", "title")._repr_svg_()
    assert shown is not None
    assert shown.startswith("<svg")


def test_panels_with_other_lines_have_a_legend_of_their_own() -> None:
    panels = [Panel("y", [Series(label, [1, 2], [1, 2])]) for label in ("rucb", "rucb", "pdgd")]
    legends = [axes.get_legend() for axes in Lines(panels, "x", "title").draw().axes]
    assert [legend is not None for legend in legends] == [True, False, True]
