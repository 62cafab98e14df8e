from __future__ import annotations

from duelist.bench.journals import BATCHES, bench_journals, journals_table


def test_each_journal_is_measured_in_each_batch() -> None:
    rows = bench_journals(appends=2)
    assert [(row["journal"], row["batch"]) for row in rows] == [(n, b) for b in BATCHES for n in ("memory", "sqlite")]
    assert all(row["times_memory"] == 1 for row in rows if row["journal"] == "memory")
    assert all(row["microseconds"] > 0 for row in rows)
    lines = str(journals_table(rows)).splitlines()
    assert sum(line.startswith(("memory", "sqlite")) for line in lines) == len(rows)
    assert lines[-1].endswith("by --postgres and an empty journal by --nats.")
