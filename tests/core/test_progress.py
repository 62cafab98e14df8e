"""The bar is there where somebody is looking, and nowhere else."""

from __future__ import annotations

import io
import sys

import pytest

from duelist.core.progress import progress_bar


class Screen(io.StringIO):
    """Standard error, on a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool, show: bool | None, *amounts: int) -> str:
    """What a bar of ten steps writes while it is advanced."""
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("rucb on arxiv", 10, show) as advance:
        for amount in amounts:
            advance(amount)
    return screen.getvalue()


@pytest.mark.parametrize("show", [None, True])
def test_a_terminal_shows_the_label_and_how_far_it_is(show: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "rucb on arxiv" in shown(monkeypatch, True, show)
    assert " 70%" in shown(monkeypatch, True, show, 3, 4)
    assert "100%" in shown(monkeypatch, True, show, 3, 4, 3)
    assert "100%" not in shown(monkeypatch, True, show, 3, 4)


def test_a_bar_that_was_asked_for_is_shown_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert " 70%" in shown(monkeypatch, False, True, 3, 4)


@pytest.mark.parametrize(("terminal", "show"), [(False, None), (False, False), (True, False)])
def test_nothing_is_written_where_nobody_looks(
    terminal: bool, show: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(monkeypatch, terminal, show, 3, 4, 3) == ""


def test_a_note_is_made_only_where_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def note() -> str:
        made.append("p0 leads [b]")
        return made[-1]

    for terminal in (False, True):
        screen = Screen(terminal)
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        with progress_bar("judging", 10) as advance:
            advance(1, note)
        assert len(made) == terminal
    assert "p0 leads [b]" in screen.getvalue()
