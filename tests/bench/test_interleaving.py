from __future__ import annotations

import pytest

from duelist.bench import interleaving as bench
from duelist.core.errors import BadInput


def test_every_floor_and_peer_has_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    monkeypatch.setattr(bench, "BATCH", 10)
    rows = bench.bench_interleaving(tries=1)
    assert {row["what"] for row in rows if row["floor"]} == bench.FLOORS.keys()
    assert {row["what"] for row in rows if row["peer"]} == bench.PEERS.keys()
    printed = str(bench.interleaving_table(rows))
    assert all(row["what"] in printed for row in rows)


def test_no_tries_are_refused() -> None:
    with pytest.raises(BadInput, match="at least 1, not 0"):
        bench.bench_interleaving(tries=0)
