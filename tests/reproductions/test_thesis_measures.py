from itertools import product
from pathlib import Path

from duelist.reproductions.reproduction import Setting
from duelist.reproductions.thesis_measures import MEASURES, best_accuracy, exact


def test_every_number_of_the_thesis_is_met(tmp_path: Path) -> None:
    report = MEASURES.run(Setting())
    assert len(report.rows) == 12
    assert all(row.agrees for row in report.rows)
    report.draw(tmp_path / "measures.png")
    assert (tmp_path / "measures.png").stat().st_size > 1000


def test_a_number_agrees_only_if_it_rounds_to_the_printed_one() -> None:
    assert exact("cell", 0.51, 0.5139).agrees
    assert not exact("cell", 0.51, 0.5151).agrees


def test_best_accuracy_is_the_best_of_all_thresholds() -> None:
    for labels in product((0, 1), repeat=5):
        each = [sum((place < cut) == bool(v) for place, v in enumerate(labels)) / 5 for cut in range(6)]
        assert best_accuracy(labels) == max(each)
