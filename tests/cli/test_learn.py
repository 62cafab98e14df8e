from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.data import Dataset, synthetic

Run = Callable[..., str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data set in five parts, as LETOR has them."""
    path, data = tmp_path_factory.mktemp("letor"), synthetic(50, 10, 4, grades=3, seed=1)
    for part in range(5):
        _write(path / f"S{part + 1}.txt", data.select(range(10 * part, 10 * part + 10)))
    return path


def _write(path: Path, data: Dataset) -> None:
    lines = []
    for query in range(data.n_queries):
        for row in range(*data.rows(query).indices(data.n_documents)):
            features = " ".join(f"{n + 1}:{value:.4f}" for n, value in enumerate(data.features[row]))
            lines.append(f"{data.labels[row]} qid:{data.queries[query]} {features}\n")
    path.write_text("".join(lines))


def test_one_learner_prints_an_object(run: Run, folder: Path) -> None:
    found = json.loads(run("learn", "pdgd", "--data", str(folder), "--impressions", "500", "--runs", "2", "--json"))
    assert {"learner", "parameters", "final_ndcg", "online_ndcg", "impressions_per_second"} <= found.keys()
    assert found["final_ndcg"].keys() == found["online_ndcg"].keys() == {"mean", "low", "high"}
    assert (found["learner"], found["runs"], found["seed"]) == ("pdgd", 2, 0)


def test_json_has_curves_when_asked(run: Run, folder: Path) -> None:
    arguments = ("learn", "pdgd", "--data", str(folder), "--impressions", "50", "--runs", "2", "--curves")
    curves = json.loads(run(*arguments, "--json"))["curves"]
    assert curves["impressions"][-1] == 50
    assert len(curves["impressions"]) == len(curves["final"]) == len(curves["online"])
    with pytest.raises(BadInput, match="--curves needs --json"):
        run(*arguments)


def test_several_learners_and_folds_print_a_table_and_a_chart(run: Run, folder: Path, tmp_path: Path) -> None:
    chart = tmp_path / "curves.png"
    arguments = ["--fold", "1", "--fold", "3", "--impressions", "300", "--runs", "2", "--chart", str(chart)]
    printed = run("learn", "pdgd", "dbgd", "--data", str(folder), *arguments)
    assert "4 runs of 300 impressions" in printed
    assert "stop: after a click" in printed
    assert chart.stat().st_size > 1000


def test_settings_reach_the_learner_they_are_for(run: Run, folder: Path) -> None:
    arguments = ["--impressions", "50", "--runs", "1", "--set", "pdgd.rate=2", "--set", "distance=3", "--json"]
    one, two = json.loads(run("learn", "pdgd", "dbgd", "--data", str(folder), *arguments))
    assert one["parameters"]["rate"] == 2
    assert (two["parameters"]["rate"], two["parameters"]["distance"]) == (0.01, 3)


def test_the_same_learner_with_other_settings_is_another(run: Run, folder: Path) -> None:
    arguments = ["--data", str(folder), "--impressions", "50", "--runs", "1"]
    swept = json.loads(run("learn", "pdgd", "dbgd", *arguments, "--set", "pdgd.rate=0.1,1", "--json"))
    assert [each["label"] for each in swept] == ["pdgd:rate=0.1", "pdgd:rate=1.0", "dbgd"]
    printed = run("learn", "pdgd:rate=0.1", "pdgd:rate=1", *arguments)
    assert all(f"\n{name} " in printed for name in ("pdgd:rate=0.1", "pdgd:rate=1.0"))
    with pytest.raises(BadInput, match="'pdgd' comes twice"):
        run("learn", "pdgd", "pdgd", *arguments)
    with pytest.raises(BadInput, match=r"--set rat: no such parameter .did you mean 'rate'"):
        run("learn", "pdgd", *arguments, "--set", "rat=1")


def test_users_of_ones_own(run: Run, folder: Path) -> None:
    arguments = ["--data", str(folder), "--impressions", "50", "--runs", "1", "--json"]
    found = json.loads(run("learn", "pdgd", "--clicks", "cascade:click=0+.5+1,stop=0+0+0", *arguments))
    perfect = json.loads(run("learn", "pdgd", "--clicks", "perfect", *arguments))
    assert found["final_ndcg"] == perfect["final_ndcg"]


def test_without_a_learner_all_are_listed(run: Run) -> None:
    printed = run("learn")
    assert all(f"\n{name} " in f"\n{printed}" for name in ("dbgd", "mgd", "pdgd"))


def test_missing_data_is_said(run: Run) -> None:
    with pytest.raises(BadInput, match="--data is missing"):
        run("learn", "pdgd")
