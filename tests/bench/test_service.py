from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from duelist.bench import service
from duelist.bench.load import Says, measure, request
from duelist.bench.service import bench_service, service_table
from duelist.bench.stores import KINDS as JOURNALS
from duelist.bench.stores import check_kinds
from duelist.core.errors import BadInput

KINDS = ["ask + tell", "event", "100 events", "interleave 2 x 20", "ask + tell, 2 servers"]


@pytest.mark.parametrize("kind", JOURNALS)
def test_every_kind_of_request_is_measured_beside_the_echo(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each journal that can be started here; few lists are clicked again soon."""
    if kind not in check_kinds(None):
        pytest.skip(f"{kind} cannot be started here")
    monkeypatch.setattr(service, "LISTS", 40)
    rows = bench_service(seconds=0.05, connections=4, journals=[kind])
    assert [(row["journal"], row["what"]) for row in rows] == [(kind, each) for each in KINDS]
    for row in rows:
        assert row["requests_a_second"] > 0
        assert row["p50_ms"] <= row["p99_ms"]
        assert row["ratio"] == pytest.approx(row["cpu_us"] / row["echo_cpu_us"])
    assert rows[2]["events_a_second"] == pytest.approx(100 * rows[2]["requests_a_second"])
    assert len(service_table(rows).rows) == 5
    left = ", ".join(each for each in JOURNALS if each != kind)
    assert f"Left out: {left}." in str(service_table(rows))
    assert (sum(row["store_cpu_us"] for row in rows) > 0) == (kind != "sqlite")


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(BadInput, match="more than 0"):
        bench_service(seconds=0)
    with pytest.raises(BadInput, match="one of sqlite, postgres, nats, not 'paper'"):
        bench_service(journals=["paper"])


def answer(listening: socket.socket) -> None:
    """Answer three requests of one connection, each in two pieces, the third with an error."""
    connection, _ = listening.accept()
    with connection:
        for status in (200, 200, 503):
            connection.recv(10_000)
            connection.sendall(b"HTTP/1.1 %d x\r\nContent-Length: 2\r\n\r\n{" % status)
            time.sleep(0.01)
            connection.sendall(b"}")
        connection.recv(10_000)


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,), daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        thread.join(10)


def test_an_error_ends_the_measurement(port: int) -> None:
    said: list[bytes] = []

    def script(number: int) -> Says:
        while True:
            said.append((yield request("/", b"{}")))

    with pytest.raises(BadInput, match="503"):
        measure([(port, os.getpid())], script, seconds=5, connections=1)
    assert said == [b"{}", b"{}"]
