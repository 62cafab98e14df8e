"""The test of fit refutes what is true as often as it says, whatever outcomes look like; and circles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.ranking.log import DuelLog
from duelist.reproductions import board_fit
from duelist.reproductions.board_fit import BOARD_FIT, CIRCLES, TRUE, Board, refuted, repeats, weights
from duelist.reproductions.reproduction import Setting


@pytest.mark.parametrize("board", [Board(weights, 6, 150), TRUE["grades, 10 a pair"], Board(repeats, 6, 600)])
def test_true_boards_are_rarely_refuted(board: Board) -> None:
    """Of 150, 17 or more happen by chance in 1 of 1,000 if 5 % are refuted."""
    assert refuted(board, 150, seed=1).sum() < 17


def test_circles_are_found() -> None:
    assert refuted(CIRCLES["a circle, 80 a pair"], 20).all()


@pytest.mark.breaks("board-fit")
def test_users_who_are_counted_again_and_again_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_fit, "TRUE", {"repeated": Board(repeats, 6, 300)})
    monkeypatch.setattr(board_fit, "CIRCLES", {})
    assert BOARD_FIT.run(Setting(quick=True)).agrees
    monkeypatch.setattr(DuelLog, "judge", property(lambda log: np.arange(len(log))))
    assert not BOARD_FIT.run(Setting(quick=True)).agrees


def test_the_reproduction_agrees_and_draws(tmp_path: Path) -> None:
    report = BOARD_FIT.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == []
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000
