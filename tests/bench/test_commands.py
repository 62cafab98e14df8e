from __future__ import annotations

from pathlib import Path

import pytest

from duelist.bench import commands
from duelist.bench.commands import bench_commands, commands_in, commands_table
from duelist.core.errors import BadInput

PAGE = """
Text about duelist simulate.

    duelist reproduce         # the list
    make demo
    duelist reproduce
"""


@pytest.fixture(autouse=True)
def _again_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least of two warm runs is as good as that of five where nobody asks how long they took."""
    monkeypatch.setattr(commands, "AGAIN", 2)


def test_commands_are_run_cold_and_warm(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert commands_in(PAGE) == ["duelist reproduce"]
    (timed,) = bench_commands(page)
    assert timed.command == "duelist reproduce"
    assert min(timed.cold, timed.warm) > 0
    assert "duelist reproduce" in str(commands_table([timed]))


def test_what_the_user_keeps_is_neither_read_nor_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    page = tmp_path / "page.md"
    page.write_text("    duelist audit balanced\n")
    bench_commands(page)
    assert not (tmp_path / "kept").exists()


def test_a_command_that_fails_and_a_page_that_is_not_there_are_said(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("    duelist matrix none\n")
    with pytest.raises(BadInput, match="'duelist matrix none' ended with 2"):
        bench_commands(page)
    with pytest.raises(BadInput, match="no page"):
        bench_commands(tmp_path / "none.md")
