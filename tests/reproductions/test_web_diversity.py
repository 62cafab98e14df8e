from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.offline.diversity import candidates, choose_at_random
from duelist.reproductions import web_diversity
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.web_diversity import WEB_DIVERSITY, best_coverage


def test_the_best_coverage_of_a_small_query() -> None:
    """The first document is the best alone, with 12 of the 20 times that a document covers a subtopic."""
    topics = [{1, 2, 5, 6}, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 2, 3, 4}, {5, 6, 7, 8}]
    query = candidates([{}] * 5, subtopics=topics)
    assert best_coverage(query, 2) == pytest.approx(1.0)
    assert best_coverage(query, 1) == pytest.approx(12 / 20)


def test_greed_keeps_its_promise(data: Callable[[str], Path], tmp_path: Path) -> None:
    folder = data("trec-web-diversity/qrels.diversity-w09.gz").parents[1]
    steps: list[int] = []
    report = WEB_DIVERSITY.run(Setting(quick=True, data=folder, advance=steps.append))
    assert sum(steps) == WEB_DIVERSITY.steps
    assert [row.cell for row in report.rows if row.agrees is False] == []
    assert report.rows[0].ours.mean == 1.0  # one document: greed is the best
    report.chart.draw(tmp_path / "web.png")
    assert (tmp_path / "web.png").stat().st_size > 10_000
    assert [row.agrees for row in report.rows] == [None, True, True, None, None]


@pytest.mark.breaks("web-diversity")
def test_choosing_at_random_does_not_pass_for_greed(
    data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, luck = data("trec-web-diversity/qrels.diversity-w09.gz").parents[1], np.random.default_rng(1)
    monkeypatch.setattr(web_diversity, "choose_knowing_subtopics", lambda query, k: choose_at_random(query, k, luck))
    rows = WEB_DIVERSITY.run(Setting(quick=True, data=folder)).rows
    assert [row.agrees for row in rows] == [None, False, False, None, None]


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="trec-web-diversity"):
        WEB_DIVERSITY.run(Setting(data=tmp_path))
