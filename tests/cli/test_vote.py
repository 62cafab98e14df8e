"""duelist vote, as people run it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

import httpx
import pytest

import duelist.live
from duelist.bench.servers import free_port
from duelist.core.errors import BadInput

from .conftest import Run

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f64540"
    "0000000049454e44ae426082"
)
HTTP = httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))
COMMAND = [sys.executable, "-m", "duelist.cli", "vote"]


class Running:
    """The command, started and ended as people do."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        assert first.startswith("Vote at    http://127.0.0.1:"), (first, self.process.communicate()[1])
        self.page = first.split()[-1]
        self.url = self.page.partition("/vote/")[0]

    def vote(self, user: str, number: int) -> bool:
        """Ask, and say that the one that begins with the lower letter is better."""
        one = f"{self.url}/v1/experiments/{self.page.rpartition('/')[2]}"
        asked = HTTP.post(f"{one}/question", json={"user": user, "key": f"{user} {number}"}).json()
        if asked["id"] is None:
            return False
        left, right = (asked[side].get("text") or asked[side]["image"] for side in ("left", "right"))
        told = HTTP.post(f"{one}/tell", json={"id": asked["id"], "outcome": float(left < right)})
        return bool(told.json()["told"])

    def end(self) -> str:
        """Ctrl-C; what is printed then."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        assert (self.process.returncode, err) == (0, "")
        return out

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.process.kill()
        self.process.communicate()


def test_a_vote_goes_on_after_ctrl_c(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "designs.csv"
    (tmp_path / "picture.png").write_bytes(PIXEL)
    file.write_text("name,content\nfirst,a text\nsecond,b text\npicture,picture.png\n")
    port = str(free_port())
    with Running(str(file), "--port", port) as running:
        assert running.page.endswith("/vote/designs")
        assert HTTP.get(running.page).status_code == 200
        contents = HTTP.get(f"{running.url}/v1/experiments/designs/contents").json()["contents"]
        image = HTTP.get(running.url + contents["picture"]["image"])
        assert (image.status_code, image.headers["content-type"], image.content) == (200, "image/png", PIXEL)
        assert "sandbox" in image.headers["content-security-policy"]
        assert HTTP.get(f"{running.url}/files/designs.csv").status_code == 404
        assert [running.vote("ann", number) for number in range(4)] == [True, True, True, False]
        with pytest.raises(BadInput, match=f"port {port} of '127.0.0.1' cannot be had: .* try --port"):
            run("vote", file, "--port", port)
        with HTTP.stream("GET", f"{running.url}/v1/stream"):  # an open dashboard does not keep it from ending
            said = running.end()
    assert str(tmp_path / "designs.duelist.db") in said
    assert "3 of 3 arms, judged by 1 users" in said
    with duelist.live.open(f"sqlite:///{tmp_path}/designs.duelist.db") as living:
        assert living["designs"].question("ann").id is None  # who has judged all there is
        living["designs"].tell(living["designs"].question("bob").id, outcome=1)
    monkeypatch.setattr("duelist.service.vote._Announced.run", lambda self, sockets: None)  # ended at once
    assert "4 of 3 arms, judged by 2 users" in run("vote", file, "--port", port)
    file.write_text("name,content\nfirst,another text\nsecond,b text\npicture,picture.png\n")
    with pytest.raises(BadInput, match="has votes on other contents"):
        run("vote", file, "--port", port)


@pytest.mark.parametrize(
    ("text", "arguments", "complaint"),
    [
        ("name,text\na,b\n", [], "two things at least"),
        ("name,text\na,b\nb,c\n", ["--target", "worst"], "target must be one of best, order, not 'worst'"),
        ("name,text\na,b\nb,c\n", ["--host", "0.0.0.0"], "there are no tokens"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(
    tmp_path: Path, run: Run, text: str, arguments: list[str], complaint: str
) -> None:
    file = tmp_path / "things.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=complaint):
        run("vote", file, *arguments)
    assert not (tmp_path / "things.duelist.db").exists()
