"""What journals that several processes share are tried with, whichever they are."""

from __future__ import annotations

import subprocess
import sys
import threading

from duelist.storage import Draft, open_journal

# Appends batches of two and says which of them were acknowledged, until it is killed. What fails is tried again with
# the same keys.
WRITER = """
import sys, time
from duelist.core.errors import CannotStore
from duelist.storage import Draft, open_journal
journal, name, pause, number = open_journal(sys.argv[1]), sys.argv[2], float(sys.argv[3]), 0
while True:
    body = f"{name} {number}".encode()
    try:
        batch = [Draft(1, "told", each, key=each.decode()) for each in (body, body + b"b")]
        print(number, journal.append(batch)[0].seq, flush=True)
        number += 1
    except CannotStore:
        time.sleep(0.02)
    time.sleep(pause)
"""


def start_writer(url: str, name: str, pause: float = 0.0) -> subprocess.Popen[str]:
    """`pause`: seconds between two appends."""
    command = [sys.executable, "-c", WRITER, url, name, str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def check_same_keys(url: str, writers: int) -> None:
    """Many that append the same keys at once write each once, and all are told the same places."""
    places, lock = dict[str, set[int]](), threading.Lock()

    def work(turn: int) -> None:
        with open_journal(url) as journal:
            for start in range(0, 200, 10):
                keys = [str(n) for n in range(start, start + 10)][:: 1 if turn % 2 else -1]
                found = journal.append([Draft(1, "told", key.encode(), key=key) for key in keys])
                with lock:
                    for key, place in zip(keys, found, strict=True):
                        places.setdefault(key, set()).add(place.seq)

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_journal(url) as journal:
        events = list(journal.events())
    assert [event.seq for event in events] == list(range(1, 201))
    assert places == {event.key: {event.seq} for event in events}
