from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from duelist.clicks import cascade
from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.data import Dataset, synthetic
from duelist.evidence import users_needed
from duelist.interleaving import Balanced, Shown, TeamDraft
from duelist.reproductions import interleaving_users
from duelist.reproductions.interleaving_users import INTERLEAVING_USERS, PAIRS, Sessions, needed
from duelist.reproductions.reproduction import Setting


@pytest.fixture(scope="module")
def pages() -> Dataset:
    """Feature 1 is the label itself with a little noise, feature 2 is noise."""
    base, luck = synthetic(30, 15, 2, grades=3, seed=1), np.random.default_rng(2)
    features = np.column_stack([base.labels + luck.normal(0, 0.3, base.n_documents), luck.random(base.n_documents)])
    return Dataset(features, base.labels, base.offsets, base.queries, np.array([1, 2]))


def test_the_better_ranker_is_preferred_and_the_order_of_the_pair_is_the_sign(pages: Dataset) -> None:
    world = Sessions(pages, cascade("navigational"))
    for_first = world.preferences(TeamDraft(), (1, 2), 2000, seed=1)
    for_second = world.preferences(TeamDraft(), (2, 1), 2000, seed=2)
    assert for_first.mean() > 0.2
    assert abs(for_first.mean() + for_second.mean()) < 4.5 * for_first.std() * np.sqrt(2 / 2000)


def test_a_row_is_the_users_that_the_calculator_says() -> None:
    preferences = np.random.default_rng(0).choice(np.array([-1.0, 0.0, 1.0]), 5000, p=[0.2, 0.5, 0.3])
    row = needed("cell", preferences)
    assert row.ours.mean == users_needed(preferences.mean(), preferences.std(), watched=False)
    assert row.ours.low < row.ours.mean < row.ours.high
    assert row.agrees
    lost = needed("cell", -preferences)
    assert not lost.agrees
    assert lost.ours.mean == np.inf


def test_every_method_is_run_on_every_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(interleaving_users, "QUICK", 60)
    data = synthetic(25, 12, 46, grades=3, seed=1)
    folder = tmp_path / "mq2008"
    folder.mkdir()
    for part in range(5):
        lines = [
            f"{data.labels[row]} qid:{query} " + " ".join(f"{n + 1}:{v:.3f}" for n, v in enumerate(data.features[row]))
            for query in range(5 * part, 5 * part + 5)
            for row in range(12 * query, 12 * query + 12)
        ]
        with gzip.open(folder / f"S{part + 1}.txt.gz", "wt") as file:
            file.write("\n".join(lines))
    steps: list[int] = []
    report = INTERLEAVING_USERS.run(Setting(quick=True, data=tmp_path, advance=steps.append))
    assert sum(steps) == INTERLEAVING_USERS.steps
    assert len(report.rows) == len(PAIRS) * 11
    report.chart.draw(tmp_path / "users.png")
    assert (tmp_path / "users.png").stat().st_size > 1000


@pytest.mark.breaks("interleaving-users")
def test_credit_that_goes_to_the_other_ranker_is_noticed(
    data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = TeamDraft.credit

    def turned(self: TeamDraft, shown: Shown, clicks: Iterable[int]) -> Floats:
        return right(self, shown, clicks)[::-1]

    monkeypatch.setattr(TeamDraft, "credit", turned)
    monkeypatch.setattr(interleaving_users, "built_in", lambda: [Balanced(), TeamDraft()])
    monkeypatch.setattr(interleaving_users, "QUICK", 1000)
    home = data("mq2008/S1.txt.gz").parents[1]
    rows = INTERLEAVING_USERS.run(Setting(quick=True, data=home)).rows
    assert [row.agrees for row in rows] == [True, True, False] * 2


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the folder mq2008"):
        INTERLEAVING_USERS.run(Setting(data=tmp_path))
