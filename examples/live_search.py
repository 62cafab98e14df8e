"""A search engine, two rankers and a live experiment, from end to end.

    python examples/live_search.py --visitors 600

The engine is SQLite's full text search, in a process of its own, over the documentation of this Python. Visitors look
for one thing each, read from the top and click it when they see it. The experiment tells which ranker they prefer.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import pydoc
import random
import sqlite3
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from typing import Any

import duelist.live

RANKERS = {
    "title first": "bm25(pages, 10.0, 1.0)",  # a word in the name counts ten times as much as one in the text
    "text only": "bm25(pages, 0.0, 1.0)",
}


def corpus() -> list[tuple[str, str]]:
    """(name, first lines of the documentation) of the modules of this Python and what is in them."""
    pages = []
    for module in sorted(info.name for info in pkgutil.iter_modules() if not info.name.startswith("_")):
        if module in ("json", "email", "logging", "random", "re", "shutil", "string", "textwrap", "statistics", "os"):
            loaded = __import__(module)
            for name in sorted(vars(loaded)):
                text = pydoc.getdoc(getattr(loaded, name))
                if text and not name.startswith("_"):
                    pages.append((f"{module} {name}", text[:600]))
    return pages


def engine(pages: list[tuple[str, str]], line: Connection) -> None:
    """The search engine: answers (ranker, words) with the numbers of pages, the best first."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE pages USING fts5(title, text, tokenize='porter')")
    database.executemany("INSERT INTO pages VALUES (?, ?)", pages)
    while request := line.recv():
        ranker, words = request
        match = " OR ".join(f'"{word}"' for word in words)
        rows = database.execute(
            f"SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY {RANKERS[ranker]}, rowid LIMIT 10", (match,)
        )
        line.send([row[0] for row in rows])
    database.close()


def visit(experiment: Any, ask: Any, pages: list[tuple[str, str]], user: str, luck: random.Random) -> None:
    """One visitor, who knows a word of the name and one of the text of what is wanted."""
    wanted = luck.randrange(len(pages))
    title, text = pages[wanted]
    words = [luck.choice(title.split()), luck.choice([word for word in text.split() if word.isalpha()] or ["the"])]
    page = experiment.interleave({ranker: ask(ranker, words) for ranker in RANKERS}, user=user)
    if wanted + 1 in page.ranking[:5]:
        experiment.click(page.id, document=wanted + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal", default="memory://")
    parser.add_argument("--visitors", type=int, default=600)
    given = parser.parse_args()
    pages, (here, there) = corpus(), Pipe()
    searching = Process(target=engine, args=(pages, there), daemon=True)
    searching.start()

    def ask(ranker: str, words: list[str]) -> list[int]:
        here.send((ranker, words))
        return list(here.recv())

    definition = {"name": "docs", "kind": "pair", "arms": list(RANKERS), "stop": {"rule": "evidence"}}
    with duelist.live.open(given.journal) as experiments:
        experiment = experiments.define(definition)
        experiment.start()
        for number in range(given.visitors):  # each is shown two lists: the second closes the first
            visit(experiment, ask, pages, f"visitor {number // 2}", random.Random(number))
        status = experiment.status()
    here.send(None)
    searching.join()
    kept = ("best", "state", "stopped_by", "evidence", "pairs", "counts", "health")
    print(json.dumps({name: status[name] for name in kept}, indent=2))


if __name__ == "__main__":
    main()
