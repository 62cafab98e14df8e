"""A small search engine: SQLite's full text search, and vectors, in memory.

Queries are words and nothing else: whatever a visitor types is taken apart first, so that no sign of it means anything
to the query language.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from duelist.core.memory import Floats
from duelist.search.documents import Document
from duelist.search.vectors import Vectors

WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 12  # of a query that are looked at
DEPTH = 20  # documents of a ranking
REMEMBERED = 4_096  # queries whose answers are kept
COMMON = re.compile("a|an|and|are|as|at|be|by|for|from|if|in|is|it|of|on|or|that|the|this|to|was|which|will|with")
BY_TEXT = {  # the table and the order; the columns are title, summary and text, and a lower bm25() is better
    "bm25": ("stemmed", "bm25(stemmed, 1.0, 1.0, 1.0)"),
    "title-first": ("stemmed", "bm25(stemmed, 30.0, 1.0, 0.2)"),
    "no-stemming": ("plain", "bm25(plain, 1.0, 1.0, 1.0)"),
    "shortest": ("stemmed", "length"),
}
RANKERS = ("title-first", "vectors", "bm25", "shortest", "no-stemming")
Found = tuple[tuple[int, float], ...]  # numbers of documents with scores from 0 to 1, the best first


class Engine:
    """Searches documents with several rankers. To be used by one thread at a time.

    >>> pages = [Document("csv", "module", "", "Tables."), Document("csv.reader", "class", "", "Reads a table.")]
    >>> engine = Engine(pages)
    >>> engine.rankings("reading")["bm25"], engine.rankings("reading")["no-stemming"]
    (('csv.reader',), ())
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = tuple(documents)
        self.by_name = {document.name: document for document in documents}
        self.vectors = Vectors([f"{each.title} {each.text}" for each in documents])
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        for table, tokens in (("stemmed", "porter unicode61"), ("plain", "unicode61")):
            columns = "title, summary, text, length UNINDEXED"
            self._database.execute(f"CREATE VIRTUAL TABLE {table} USING fts5({columns}, tokenize='{tokens}')")
            rows = ((n, d.title, f"{d.signature} {d.summary}", d.text, len(d.text)) for n, d in enumerate(documents))
            into = f"INSERT INTO {table}(rowid, title, summary, text, length) VALUES (?, ?, ?, ?, ?)"
            self._database.executemany(into, rows)
        self._found = lru_cache(REMEMBERED)(self._search)

    def rankings(self, query: str) -> dict[str, tuple[str, ...]]:
        """For each ranker the names of documents, the best first."""
        names = self.documents
        return {ranker: tuple(names[n].name for n, _ in found) for ranker, found in self._found(plain(query)).items()}

    def features(self, query: str) -> dict[str, tuple[float, ...]]:
        """For each document that some ranker found, by its name, the scores of all rankers, in their order."""
        scores: dict[int, list[float]] = {}
        for place, ranker in enumerate(RANKERS):
            for number, score in self._found(plain(query))[ranker]:
                scores.setdefault(number, [0.0] * len(RANKERS))[place] = score
        return {self.documents[number].name: tuple(scores[number]) for number in sorted(scores)}

    def close(self) -> None:
        """Let the memory go."""
        self._database.close()

    def _search(self, words: tuple[str, ...]) -> Mapping[str, Found]:
        if not words:
            return MappingProxyType(dict.fromkeys(RANKERS, ()))
        found = {ranker: self._by_text(words, *how) for ranker, how in BY_TEXT.items()}
        found["vectors"] = _best(self.vectors.scores(" ".join(words)))
        return MappingProxyType({ranker: found[ranker] for ranker in RANKERS})

    def _by_text(self, words: Sequence[str], table: str, order: str) -> Found:
        match = " OR ".join(f'"{word}"' for word in words)
        command = f"SELECT rowid, {order} FROM {table} WHERE {table} MATCH ? ORDER BY {order}, rowid LIMIT {DEPTH}"
        rows = self._database.execute(command, (match,)).fetchall()
        if order == "length":
            return tuple((number, 1 / (1 + place)) for place, (number, _) in enumerate(rows))
        top = rows[0][1] if rows else 0.0  # all are negative, or tiny where every document has the word
        return tuple((number, score / top if top < 0 else 1.0) for number, score in rows)


def plain(query: str) -> tuple[str, ...]:
    """The words of a query that say something.

    >>> plain('How to "parse" a JSON file?; DROP TABLE')
    ('how', 'parse', 'json', 'file', 'drop', 'table')
    """
    words = WORD.findall(query.lower())
    return tuple([word for word in words if not COMMON.fullmatch(word)] or words)[:MOST_WORDS]


def _best(scores: Floats) -> Found:
    """Those with the highest positive scores, ties by number; of scores that go up to 1."""
    order = np.argsort(-scores, kind="stable")[:DEPTH]
    top = float(scores[order[0]]) if len(order) else 0.0
    return tuple((int(n), float(scores[n]) / top) for n in order if scores[n] > 0)
