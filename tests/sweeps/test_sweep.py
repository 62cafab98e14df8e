"""What was found, as tables, frames and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars
import pytest

from duelist.core.errors import BadInput
from duelist.core.spec import Spec
from duelist.dueling.simulate import simulate
from duelist.sweeps import Cell, Done, Folder, Here, Plan, Sweep, run_cells
from duelist.sweeps.tasks import Task


class Backwards(Here):
    """In this process, in small tasks, the last first."""

    chunk: float | None = 3 * 200 * 5e-8

    def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
        return super().run(tasks[::-1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep in a folder."""
    path = tmp_path_factory.mktemp("sweep")
    record = {"policies": ["rucb", "uniform"], "environments": ["arxiv", "cyclic"], "horizon": 200, "runs": 4}
    cells: list[Cell] = list(Plan.from_dict({**record, "points": 3, "seeds": [1, 2], "set": {"alpha": [0.6, 2]}}).cells)
    run_cells(cells, Folder(path, cells), Backwards())
    return path


def test_all_rows_are_one_table_in_one_order(folder: Path) -> None:
    frame = Sweep.read(folder).to_frame("polars")
    assert frame.height == 3 * 2 * 2 * 4 * 3
    assert frame.columns[:7] == ["cell", "policy", "environment", "horizon", "seed", "engine", "set.alpha"]
    one = frame.filter(
        (polars.col("policy") == "rucb:alpha=2.0") & (polars.col("environment") == "cyclic") & (polars.col("seed") == 2)
    )
    direct = simulate("rucb:alpha=2", "cyclic", 200, 4, 2, points=3)
    assert one["strong"].to_list() == direct.curve().ravel().tolist()
    assert one["found"].to_list() == np.repeat(direct.found, 3).tolist()
    assert one["run"].to_list() == np.repeat(np.arange(4), 3).tolist()
    assert frame.filter(polars.col("policy") == "uniform")["set.alpha"].is_null().all()


def test_the_table_has_a_line_for_each_cell_seeds_together(folder: Path) -> None:
    sweep = Sweep.read(folder)
    table = sweep.table("strong")
    assert table.columns == ["policy", "environment", "runs", "strong"]
    assert len(table.rows) == 6
    direct = [simulate("uniform", "cyclic", 200, 4, seed, points=3).curve()[:, -1] for seed in (1, 2)]
    row = next(row for row in table.rows if row[:2] == ["uniform", "cyclic"])
    assert row[2] == "8"
    assert float(row[3].partition(" ")[0]) == pytest.approx(np.mean(direct), abs=0.01)
    summary = next(r for r in sweep.summary() if (r["policy"], r["environment"]) == ("uniform", "cyclic"))
    assert summary["mean"] == pytest.approx(np.mean(direct))


def test_charts_are_over_time_or_against_a_parameter(folder: Path) -> None:
    sweep = Sweep.read(folder)
    over = sweep.chart()
    assert [panel.y_label for panel in over.panels] == ["strong regret, arxiv", "strong regret, cyclic"]
    assert [line.label for line in over.panels[0].lines] == ["rucb:alpha=0.6", "rucb:alpha=2.0", "uniform"]
    against = sweep.chart("weak", by="alpha")
    rucb, uniform = against.panels[0].lines
    assert (rucb.label, rucb.x, uniform.label, uniform.x) == ("rucb", [0.6, 2.0], "uniform", [0.6, 2.0])
    assert uniform.y[0] == uniform.y[1]
    assert len(against.draw().axes) == 2
    with pytest.raises(BadInput, match="nothing with numbers is called 'gamma'"):
        sweep.chart(by="gamma")
    with pytest.raises(BadInput, match=r"no measure 'storng' \(did you mean 'strong'\?\)"):
        sweep.table("storng")


def test_rows_are_saved_as_one_file(folder: Path, tmp_path: Path) -> None:
    sweep = Sweep.read(folder)
    for name in ("rows.csv", "rows.parquet"):
        sweep.save(tmp_path / name)
    csv, parquet = polars.read_csv(tmp_path / "rows.csv"), polars.read_parquet(tmp_path / "rows.parquet")
    assert csv["strong"].to_list() == parquet["strong"].to_list() == sweep.to_frame()["strong"].to_list()


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there are no results of a sweep in"):
        Sweep.read(tmp_path)


def test_learners_have_measures_of_their_own(tmp_path: Path) -> None:
    plan = Plan.from_dict(
        {"learners": "pdgd", "data": "synthetic:queries=30", "folds": [1, 2], "impressions": 50, "runs": 2, "points": 2}
    )
    run_cells(plan.cells, Folder(tmp_path, plan.cells))
    (sample,) = Sweep.read(tmp_path).samples("final_ndcg")
    assert sample.curves.shape == (4, 2)
    assert Spec.read("learner", sample.axes["learner"]) == Spec("learner", "pdgd")
