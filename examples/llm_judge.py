"""An LLM as the judge, behind any HTTP API that speaks "chat completions".

Set JUDGE_URL (and JUDGE_KEY, JUDGE_MODEL) to use yours. Without them a stub on this machine answers, so that the
example runs anywhere: it prefers the longer text. Every answer is kept in judge.jsonl: run it again, and nothing is
paid twice.
"""

import json
import os
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from duelist import RUCB, run

ANSWERS = {
    "short": "Yes.",
    "plain": "Yes, it can be returned within 30 days.",
    "kind": "Yes, gladly: send it back within 30 days, and we refund you at once.",
}
QUESTION = "Which answer to 'Can I return it?' is better? Say A, B or TIE.\n\nA: {first}\n\nB: {second}"


def make_judge(url: str, key: str = "", model: str = "judge"):
    """A function that asks the model at `url`; what it cannot make sense of raises, and is asked again."""

    def judge(first: str, second: str) -> str:
        prompt = QUESTION.format(first=ANSWERS[first], second=ANSWERS[second])
        body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as reply:
            said = json.load(reply)["choices"][0]["message"]["content"].strip().upper()
        return {"A": first, "B": second, "TIE": "tie"}[said]

    return judge


class Stub(BaseHTTPRequestHandler):
    """Prefers the longer text; every eleventh call it is overloaded."""

    calls = 0

    def do_POST(self):
        Stub.calls += 1
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][0]["content"]
        first, second = text.split("\n\nA: ")[1].split("\n\nB: ")
        said = "A" if len(first) > len(second) else "B"
        reply = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
        self.send_response(503 if Stub.calls % 11 == 0 else 200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    url = os.environ.get("JUDGE_URL")
    server = None
    if not url:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
    judge = make_judge(url, os.environ.get("JUDGE_KEY", ""), os.environ.get("JUDGE_MODEL", "judge"))
    kept = Path(tempfile.mkdtemp() if server else ".") / "judge.jsonl"
    judged = run(RUCB(arms=list(ANSWERS), seed=1), judge, budget=300, checkpoint=kept, pause=0.05)
    print(f"best: {judged.best} after {judged.calls} calls, stopped: {judged.stopped_by}")
    again = run(RUCB(arms=list(ANSWERS), seed=1), judge, budget=300, checkpoint=kept)
    print(f"run again: {again.best}, {again.calls} calls kept, none made")
    if server:
        print(f"the stub was called {Stub.calls} times")
        server.shutdown()
