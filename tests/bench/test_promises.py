"""The check of what was acknowledged can fail."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from duelist.bench.crash import bench_crash
from duelist.bench.promises import DEFINITION, RANKINGS, Acknowledged, Broken, check_promises
from duelist.bench.soak import bench_soak, growth, is_flat, verdict
from duelist.core.errors import BadInput
from duelist.live import events, open_experiments
from duelist.storage import open_journal


def acknowledged(**given: Any) -> Any:
    return SimpleNamespace(**{"asked": [], "told": [], "shown": [], "clicked": [], **given})


@pytest.fixture
def journal(tmp_path: Path) -> str:
    """Has an ask (3), its tell, a list (5) and a click on it."""
    url = f"sqlite:///{tmp_path}/live.db"
    with open_experiments(url) as living:
        living.define(DEFINITION).start()
        search = living["search"]
        search.tell(search.ask(key="ask").id, outcome=1)
        search.click(search.interleave(RANKINGS, key="list").id, position=0)
    return url


def test_what_is_there_once_is_no_complaint(journal: str) -> None:
    load = acknowledged(
        asked=[Acknowledged(3, "ask", 1)],
        told=[Acknowledged(3, "", 1)],
        shown=[Acknowledged(5, "list", 1)],
        clicked=[Acknowledged(5, "", 1)],
    )
    assert check_promises(journal, [load]) == 6


@pytest.mark.parametrize(
    ("load", "complaint"),
    [
        (acknowledged(asked=[Acknowledged(7, "lost", 1)]), r"'lost' was acknowledged as event 7, and is there 0 times"),
        (acknowledged(shown=[Acknowledged(3, "list", 1)]), r"'list' was acknowledged as event 3"),
        (acknowledged(told=[Acknowledged(5, "", 1)]), r"event 5 was told, by 1 requests, and the journal has that 0"),
        (acknowledged(clicked=[Acknowledged(3, "", 2)]), r"event 3 was clicked, by 2 requests, .* 0 times"),
    ],
)
def test_what_is_lost_is_found_out(journal: str, load: Any, complaint: str) -> None:
    with pytest.raises(Broken, match=complaint):
        check_promises(journal, [load])


def test_what_is_there_twice_is_found_out(journal: str) -> None:
    with open_journal(journal) as opened:
        opened.append([events.told(1, of=3, outcome=1.0)])
    check_promises(journal, [acknowledged(told=[Acknowledged(3, "", 2)])])
    with pytest.raises(Broken, match="by 1 requests, and the journal has that 2 times"):
        check_promises(journal, [acknowledged(told=[Acknowledged(3, "", 1)])])


def test_a_hole_is_found_out(journal: str) -> None:
    with open_journal(journal) as opened:
        opened._writer.execute("DELETE FROM events WHERE seq = 4")  # type: ignore[attr-defined]
    with pytest.raises(Broken, match="hole"):
        check_promises(journal, [])


def test_memory_that_grows_is_not_flat() -> None:
    def rows(*memory: float) -> list[dict[str, Any]]:
        return [{"minutes": float(n), "memory_mb": each} for n, each in enumerate(memory)]

    assert is_flat(rows(100, 150, 200, 201, 199, 200, 200))  # the beginning does not count
    assert not is_flat(rows(*range(200, 260, 5)))
    assert growth(rows(*range(200, 260, 5))) == pytest.approx(7 * 5 / 237.5)
    assert verdict(rows(*range(200, 260, 5))).startswith(
        "memory is NOT flat: after the first third of the time it grew by"
    )


def test_a_short_soak_has_samples_of_every_kind_of_request() -> None:
    rows = bench_soak(minutes=0.03, connections=2)
    assert len(rows) == 6
    assert rows[-1]["requests"] > 100
    assert 50 < rows[-1]["memory_mb"] < 2_000


def test_bad_wishes() -> None:
    with pytest.raises(BadInput, match="minutes"):
        bench_soak(minutes=0)
    with pytest.raises(BadInput, match="journal one of"):
        bench_crash(rounds=1, journal="paper")
