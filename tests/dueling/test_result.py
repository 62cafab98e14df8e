from __future__ import annotations

import csv
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from duelist.core.errors import BadInput, MissingExtra
from duelist.dueling import Result
from duelist.dueling.result import VIEWS, plot, results_table

RUNS = np.array([[1.0, 4.0, 9.0], [2.0, 3.0, 14.0], [0.0, 5.0, 10.0], [1.0, 6.0, 13.0]])


def make(strong: Any = RUNS, **changes: Any) -> Result:
    """A result with these strong regrets, runs x checkpoints."""
    strong = np.asarray(strong, dtype=np.float64)
    runs, points = strong.shape
    values: dict[str, Any] = {
        "policy": "rucb",
        "parameters": {"alpha": 0.51},
        "environment": "arxiv, 6 arms",
        "arms": 6,
        "horizon": 10 ** (points - 1),
        "runs": runs,
        "seed": 7,
        "checkpoints": 10 ** np.arange(points),
        "sums": {"strong": strong, "weak": strong / 2, "copeland": strong * 3, "borda": strong / 4},
        "hits": np.arange(runs * points).reshape(runs, points) % 2 == 0,
        "found": np.arange(runs) > 0,
        "steps_per_second": 1.5e6,
    }
    return Result(**(values | changes))


# Figures


def test_regret_is_the_mean_over_runs_with_students_interval() -> None:
    mean, low, high = make().regret()
    expected = stats.t.interval(0.95, 3, loc=RUNS[:, -1].mean(), scale=stats.sem(RUNS[:, -1]))
    assert mean == 11.5
    assert (low, high) == pytest.approx(expected)


def test_views_that_follow_from_others() -> None:
    result = make()
    assert result.curve("sum").tolist() == (2 * RUNS).tolist()
    assert result.curve("generalised").tolist() == (2 * RUNS - RUNS / 2).tolist()
    assert result.curve("dynamic").tolist() == RUNS.tolist()
    assert result.views == ["strong", "weak", "sum", "generalised", "copeland", "borda", "dynamic"]


def test_an_environment_that_moves_has_its_own_dynamic_regret() -> None:
    moving = make(sums={"strong": RUNS, "weak": RUNS, "bandit": 2 * RUNS, "dynamic": 5 * RUNS})
    assert moving.curve("dynamic").tolist() == (5 * RUNS).tolist()
    assert moving.views == ["strong", "weak", "sum", "generalised", "bandit", "dynamic"]


def test_every_listed_view_has_a_curve_in_an_environment_with_strong_regret_only() -> None:
    result = make(sums={"strong": RUNS})
    assert [result.curve(view).shape for view in result.views] == [RUNS.shape] * len(result.views)
    assert "generalised" not in result.views  # it needs weak regret


@pytest.mark.parametrize("view", ["bandit", "none", ""])
def test_an_unknown_view_is_refused_with_the_known_ones(view: str) -> None:
    with pytest.raises(BadInput, match=f"no regret view '{view}'; it has strong, weak, sum, generalised, copeland"):
        make().curve(view)


def test_accuracy_and_best_arm_rate_are_shares_of_runs() -> None:
    result = make(hits=np.array([[True, False, True], [False] * 3, [False, False, True], [False] * 3]))
    assert result.accuracy.tolist() == [0.25, 0, 0.5]
    assert result.best_arm_rate == 0.75


# JSON and text


def test_the_summary_is_json_with_the_documented_keys() -> None:
    summary = make().summary()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    documented = {"policy", "parameters", "arms", "horizon", "runs", "seed", "regret", "best_arm_rate"}
    assert documented | {"steps_per_second"} <= summary.keys()
    assert list(summary["regret"]) == make().views
    assert all(limits.keys() == {"mean", "low", "high"} for limits in summary["regret"].values())
    assert summary["regret"]["sum"]["mean"] == 23
    assert (summary["policy"], summary["arms"], summary["horizon"], summary["best_arm_rate"]) == ("rucb", 6, 100, 0.75)


def test_one_run_has_no_limits() -> None:
    summary = make([[1.0, 2.0]]).summary()
    assert summary["regret"]["strong"] == {"mean": 2.0, "low": None, "high": None}
    json.dumps(summary, allow_nan=False)


def test_the_text_has_a_line_for_every_view() -> None:
    text = str(make())
    assert text.startswith("rucb (alpha=0.51) on arxiv, 6 arms: 4 runs of 100 duels, seed 7\n")
    assert [line.split()[0] for line in text.splitlines()[1:-1]] == make().views
    assert "75%" in text.splitlines()[-1]


def test_the_text_of_one_run_shows_no_interval() -> None:
    assert "nan" not in str(make([[1.0, 2.0]]))


def test_every_view_is_explained() -> None:
    everything = make(sums=dict.fromkeys(("strong", "weak", "copeland", "borda", "bandit", "dynamic"), RUNS))
    assert everything.views == list(VIEWS)
    assert all(VIEWS.values())


# Files


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    result = make(parameters={"alpha": 0.51, "horizon": 100, "greedy": True}, changes=[30, 60])
    result.save(tmp_path / "result.npz")
    loaded = Result.load(str(tmp_path / "result.npz"))
    for field in dataclasses.fields(Result):
        saved, read = getattr(result, field.name), getattr(loaded, field.name)
        if field.name == "sums":
            assert list(read) == list(saved)
            assert all((read[view] == saved[view]).all() for view in saved)
        else:
            assert np.array_equal(read, saved)
    assert loaded.summary() == result.summary()


def test_what_is_not_a_saved_result_is_refused_by_name(tmp_path: Path) -> None:
    make().save(tmp_path / "good.npz")
    good = (tmp_path / "good.npz").read_bytes()
    with np.load(tmp_path / "good.npz") as archive:
        parts = dict(archive)
    contents = {"empty": b"", "junk": bytes(range(256)), "cut": good[:-30], "zip": b"PK\x03\x04" + bytes(50)}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    np.savez(tmp_path / "matrix.npz", PMat=np.eye(2))
    np.save(tmp_path / "array.npy", np.eye(2))
    np.savez(tmp_path / "no-hits.npz", **{name: part for name, part in parts.items() if name != "hits"})
    np.savez(tmp_path / "other-facts.npz", **(parts | {"facts": np.array('{"policy": "rucb"}')}))
    for name in (*contents, "matrix.npz", "array.npy", "no-hits.npz", "other-facts.npz", "missing.npz"):
        with pytest.raises(BadInput, match=f"{name} is not a saved result"):
            Result.load(tmp_path / name)


@pytest.mark.parametrize("name", ["result", "result.json", "result.npz.txt"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=rf"results are saved as \.npz, \.csv, \.parquet, not as '.*{name}'"):
        make().save(tmp_path / name)


def test_a_csv_file_has_a_row_for_every_run_and_checkpoint(tmp_path: Path) -> None:
    result = make()
    result.save(tmp_path / "result.csv")
    with (tmp_path / "result.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["run", "duels", *result.views, "hit"]
    assert len(rows) == result.hits.size
    assert [float(row["strong"]) for row in rows] == result.curve().ravel().tolist()
    assert [int(row["duels"]) for row in rows if row["run"] == "2"] == result.checkpoints.tolist()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_has_the_same_rows(library: str) -> None:
    made = pytest.importorskip(library)
    frame = make().to_frame(library)
    assert isinstance(frame, made.DataFrame)
    assert list(frame.columns) == list(make().columns())
    assert frame["sum"].to_numpy().tolist() == make().curve("sum").ravel().tolist()


def test_a_parquet_file_is_read_again(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    make().save(tmp_path / "result.parquet")
    assert parquet.read_table(tmp_path / "result.parquet")["strong"].to_pylist() == make().curve().ravel().tolist()


def test_without_a_library_for_frames_it_is_said_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"data frames need pandas or polars: pip install 'duelist\[frames\]'"):
        make().to_frame()
    with pytest.raises(MissingExtra, match=r"data frames need polars: pip install 'duelist\[frames\]'"):
        make().to_frame("polars")
    with pytest.raises(MissingExtra, match="data frames need pandas: pip install pandas"):
        make().to_frame("pandas")
    with pytest.raises(MissingExtra, match=r"needs pyarrow or polars: pip install 'duelist\[frames\]'"):
        make().save("result.parquet")
    with pytest.raises(BadInput, match="made by pandas or polars, not by 'excel'"):
        make().to_frame("excel")


# Notebooks


def test_a_notebook_shows_a_table_and_a_picture() -> None:
    shown = make()._repr_html_()
    assert shown.count("<table>") == shown.count("<svg") == 1
    assert "<td>rucb</td>" in shown


def test_without_matplotlib_a_notebook_shows_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert make()._repr_html_().endswith("</p>")


# Tables


def test_the_table_is_sorted_by_the_view_and_has_its_intervals() -> None:
    low_strong = make(RUNS, policy="a", sums={"strong": RUNS, "weak": 3 * RUNS})
    low_weak = make(RUNS, policy="b", sums={"strong": 2 * RUNS, "weak": RUNS})
    for view, order in (("strong", ["a", "b"]), ("weak", ["b", "a"]), ("sum", ["a", "b"])):
        table = results_table([low_strong, low_weak], view)
        assert [row[0] for row in table.rows] == order
        assert table.columns[1] == view
        assert all(["±" in cell for cell in row] == [place == 1 for place in range(len(row))] for row in table.rows)


# Charts


@pytest.mark.parametrize(("suffix", "beginning"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_a_chart_is_saved_in_the_format_of_its_suffix(tmp_path: Path, suffix: str, beginning: bytes) -> None:
    make().plot(tmp_path / f"chart{suffix}")
    assert (tmp_path / f"chart{suffix}").read_bytes().startswith(beginning)


def test_a_chart_shows_mean_and_band_of_every_policy(tmp_path: Path) -> None:
    figure = plot([make(), make(RUNS * 2, policy="rex3")], tmp_path / "chart.svg", "weak")
    regret, accuracy = figure.axes
    assert [line.get_label() for line in regret.lines] == ["rucb", "rex3"]
    assert regret.lines[1].get_ydata().tolist() == RUNS.mean(0).tolist()
    assert len(regret.collections) == 2
    assert accuracy.lines[0].get_ydata().tolist() == make().accuracy.tolist()
    assert "weak" in regret.get_ylabel()


@pytest.mark.parametrize(
    "strong",
    [[[0.0]], [[3.0]], [[1.0, 2.0]], np.zeros((3, 4)), -RUNS, RUNS - 8],
    ids=["nothing", "one point", "one run", "all zero", "negative", "of both signs"],
)
def test_short_zero_and_negative_curves_can_be_drawn(tmp_path: Path, strong: Any) -> None:
    make(strong).plot(tmp_path / "chart.png")  # a warning would be an error here
    assert (tmp_path / "chart.png").stat().st_size > 1000


def test_bands_stay_where_regret_can_be() -> None:
    wide = np.array([[0.0, 0.0], [0.0, 10.0]])  # the interval of the mean goes far below 0
    for linear in (True, False):
        corners = plot([make(wide)], linear=linear).axes[0].collections[0].get_paths()[0].vertices
        assert corners[:, 1].min() >= 0
    corners = plot([make(wide - 1)]).axes[0].collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() < -1  # without a Condorcet winner regret may be negative


def test_changes_are_marked_on_a_linear_axis() -> None:
    axes = plot([make(changes=[40])]).axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "linear"
    assert list(axes.lines[0].get_xdata()) == [40, 40]
    assert plot([make(changes=[40])], linear=False).axes[0].get_xscale() == "log"
    assert plot([make()], linear=True).axes[0].get_xscale() == "linear"


def test_the_title_says_what_is_drawn() -> None:
    assert plot([make()]).axes[0].get_title() == "arxiv, 6 arms: mean of 4 runs, bands: its 95 % interval"
    assert plot([make([[1.0, 2.0]])]).axes[0].get_title() == "arxiv, 6 arms: one run"


def test_a_bad_chart_path_is_refused_before_anything_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("drawn")

    monkeypatch.setattr("matplotlib.figure.Figure.add_subplot", draw)
    with pytest.raises(BadInput, match=r"a chart is saved as \.png, \.svg, \.pdf, not as '.*chart\.jpg'"):
        make().plot(tmp_path / "chart.jpg")
    with pytest.raises(BadInput, match=r"there is no folder '.*missing' to save the chart in"):
        make().plot(tmp_path / "missing" / "chart.png")


def test_a_chart_of_an_unknown_view_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no regret view 'bandit'"):
        make().plot(tmp_path / "chart.png", view="bandit")
    assert not (tmp_path / "chart.png").exists()
