"""Words in other forms: parse, parsed, parsing. Which belong together, SQLite's own stemmer says."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable


def word_forms(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each of these words those with the same stem, itself included.

    >>> word_forms(["parse", "json", "parsing", "parsed"])["parsed"]
    ('parse', 'parsed', 'parsing')
    """
    known = sorted({*words})
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE words USING fts5(word, tokenize='porter unicode61')")
        database.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(words, instance)")
        database.executemany("INSERT INTO words(rowid, word) VALUES (?, ?)", enumerate(known))
        families: dict[str, list[str]] = defaultdict(list)
        for stem, number in database.execute("SELECT term, doc FROM stems ORDER BY doc"):
            families[stem].append(known[number])
    finally:
        database.close()
    return {word: tuple(family) for family in families.values() for word in family}
