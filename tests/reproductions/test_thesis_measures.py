from itertools import product
from pathlib import Path

import pytest

from duelist.reproductions import thesis_measures
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.thesis_measures import MEASURES, best_accuracy


def test_every_number_of_the_thesis_is_met(tmp_path: Path) -> None:
    report = MEASURES.run(Setting())
    assert len(report.rows) == 12
    assert all(row.agrees for row in report.rows)
    report.chart.draw(tmp_path / "measures.png")
    assert (tmp_path / "measures.png").stat().st_size > 1000


@pytest.mark.breaks("thesis-3.2")
def test_a_ranking_turned_round_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thesis_measures, "ROC_TOY", thesis_measures.ROC_TOY[::-1])
    assert [row.agrees for row in MEASURES.run().rows].count(False) == 4  # Table 3.2


def test_best_accuracy_is_the_best_of_all_thresholds() -> None:
    for labels in product((0, 1), repeat=5):
        each = [sum((place < cut) == bool(v) for place, v in enumerate(labels)) / 5 for cut in range(6)]
        assert best_accuracy(labels) == max(each)
