"""A journal that was written by the first version with experiments opens for ever."""

from __future__ import annotations

import shutil
from pathlib import Path

from duelist.live import open_experiments
from duelist.live.replay import replay
from duelist.storage import SQLiteJournal

HERE = Path(__file__).parent / "journals"


def test_the_first_journal_opens_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    shutil.copy(HERE / "schema-1.db", path)
    with SQLiteJournal(path) as journal:
        assert replay(journal).equal
    with open_experiments(f"sqlite:///{path}") as living:
        prompts, search, weights = (living[name].status() for name in ("prompts", "search", "weights"))
        assert (prompts["version"], prompts["state"], prompts["best"]) == (2, "running", "fourth")
        assert (prompts["counts"]["told"], prompts["arms"][2]["wins"]) == (19, 14.0)
        assert (search["state"], search["best"]) == ("paused", "new")
        assert [arm["credit"] for arm in search["arms"]] == [16.5, 32.0]
        assert (search["counts"]["learnt"], search["counts"]["skipped"], search["counts"]["open"]) == (14, 9, 17)
        assert weights["counts"]["learnt"] == 40
        asked = living["prompts"].ask()
        assert living["prompts"].tell(asked.id, outcome=0.5).told
