"""What was learnt as a table, a picture and rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.online.result import Learning, learning_chart, learning_table

FINAL = np.array([[0.2, 0.9], [0.4, 1.0], [0.3, 1.0]])


def make(**changes: Any) -> Learning:
    values: dict[str, Any] = {
        "learner": "pdgd",
        "parameters": {"rate": 0.1},
        "clicks": "perfect",
        "impressions": 100,
        "seed": 1,
        "checkpoints": np.array([10, 100]),
        "final": FINAL,
        "online": FINAL * [10, 90],
        "impressions_per_second": 1e4,
        "conventions": {"stop": "after a click"},
    }
    return Learning(**(values | changes))


def test_a_notebook_shows_a_table_and_a_picture() -> None:
    shown = make()._repr_html_()
    assert shown.count("<table>") == shown.count("<svg") == 1
    assert "<td>pdgd</td>" in shown


def test_bands_of_ndcg_end_at_one() -> None:
    corners = learning_chart([make()], "title").draw().axes[0].collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() >= 0
    assert corners[:, 1].max() == 1


def test_the_title_says_what_runs_and_bands_are() -> None:
    assert learning_chart([make()], "MQ2008").title == "MQ2008: mean of 3 runs, bands: its 95 % interval"


def test_learners_with_other_settings_are_told_apart() -> None:
    table = learning_table([make(), make(parameters={"rate": 0.5}, online=FINAL * [10, 95])])
    assert [row[0] for row in table.rows] == ["pdgd:rate=0.5", "pdgd:rate=0.1"]


def test_rows_and_curves_have_every_checkpoint() -> None:
    rows = make().columns()
    assert rows["run"].tolist() == [0, 0, 1, 1, 2, 2]
    assert rows["impressions"].tolist() == [10, 100] * 3
    assert rows["final_ndcg"].tolist() == FINAL.ravel().tolist()
    assert make().summary(curves=True)["curves"]["final"] == pytest.approx([0.3, 2.9 / 3])
    assert "curves" not in make().summary()
