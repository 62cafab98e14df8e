from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.offline.diversity import Candidates, SVMDiv2
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.title_summaries import SUMMARIES, read_text

ABSTRACT = """flow past flat plates .
  the flow is studied .  plates are heated .  it is hard .
  two theories agree .  flows past
plates differ . the end .
"""


def test_a_text_is_its_sentences_and_its_title() -> None:
    text = read_text(ABSTRACT)
    assert text is not None
    assert text.n_documents == 6
    assert text.loss([0]) == pytest.approx(3 / 4)  # flow, of flow, past, flat, plate
    assert text.loss([0, 4]) == pytest.approx(1 / 4)  # nobody says flat
    assert text.features[:2].tolist() == [[1.0, 1.0], [0.0, 0.5]]
    assert read_text("a title . one sentence .") is None
    assert read_text("") is None


def test_training_pays(data: Callable[[str], Path], tmp_path: Path) -> None:
    folder, steps = data("cranfield/cran.all.1400").parents[1], list[int]()
    report = SUMMARIES.run(Setting(quick=True, data=folder, advance=steps.append))
    assert sum(steps) == SUMMARIES.steps
    assert [row.agrees for row in report.rows[:3]] == [True, True, True]
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000


@pytest.mark.breaks("title-summaries")
def test_a_model_that_chooses_the_last_sentences_does_not_pass(
    data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def last(self: SVMDiv2, text: Candidates) -> object:
        return np.arange(text.n_documents)[-2:]

    monkeypatch.setattr(SVMDiv2, "predict", last)
    folder = data("cranfield/cran.all.1400").parents[1]
    assert [row.agrees for row in SUMMARIES.run(Setting(quick=True, data=folder)).rows[1:3]] == [False, False]


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cranfield"):
        SUMMARIES.run(Setting(data=tmp_path))
