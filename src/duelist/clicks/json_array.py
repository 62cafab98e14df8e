"""One JSON array of rows, item by item, without holding all of it; also the hits that a search engine answers with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from duelist.clicks.columns import BLOCK
from duelist.clicks.files import CutShort, texts
from duelist.core.errors import BadInput

LONGEST = 16 * BLOCK  # characters of an item: a longer one is taken for an array that does not end
FAR = 10_000  # characters of an answer before its first hit, at most
BEGIN = re.compile(r"\s*\[\s*\{")
HITS = re.compile(r'\s*\{[^\[]*?"hits"\s*:\s*\{[^\[]*?"hits"\s*:\s*\[\s*(?=\{)')
DECODE = json.JSONDecoder().raw_decode
BETWEEN = re.compile(r"\s*([,\]])\s*")


def is_array(path: str | Path) -> bool:
    """Whether a file is one JSON array that begins with an object."""
    try:
        return bool(BEGIN.match(next(texts(path, BLOCK), "")))
    except (BadInput, CutShort):  # whoever reads it will say so
        return False


def has_hits(path: str | Path) -> bool:
    """Whether a file is a search engine's answer: {"hits": {"hits": [{...}, ...]}}."""
    try:
        return bool(HITS.match(next(texts(path, BLOCK), "")[:FAR]))
    except (BadInput, CutShort):
        return False


def array_items(path: str | Path) -> Iterator[tuple[int, str]]:
    """The text of each item, numbered from 1.

    An array that breaks off, or goes on with what is no JSON, raises CutShort after its last whole item.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "log.json"
    >>> _ = file.write_text('[{"user": "ann"},\\n {"user": "bob"}]')
    >>> list(array_items(file))
    [(1, '{"user": "ann"}'), (2, '{"user": "bob"}')]
    """
    chunks, number = texts(path, BLOCK), 0
    held = next(chunks, "").lstrip()
    hits = HITS.match(held[:FAR])
    place = hits.end() if hits else 1 + len(held[1:]) - len(held[1:].lstrip())
    while True:
        end, wrong = _end_of(held, place)
        behind = BETWEEN.match(held, end) if not wrong else None
        if behind is None or (behind[1] == "," and behind.end() == len(held)):  # what follows may not be there yet
            try:
                more = next(chunks, "") if len(held) - place < LONGEST else ""
            except CutShort as cut:
                raise CutShort(number + 1, f"the array breaks off here: {cut.reason}") from None
            if more:
                held, place = (held[place:] + more).lstrip(), 0
                continue
        if wrong:
            raise CutShort(number + 1, f"the array breaks off here: {wrong}")
        number += 1
        yield number, held[place:end]
        if behind is None:
            raise CutShort(number + 1, "the array breaks off here: neither a comma nor its end comes")
        place = behind.end()
        if behind[1] == "]":
            rest = held[place:] + next(chunks, "").strip()
            if '"hits"' in rest if hits else rest:
                raise CutShort(number + 1, "there is more behind the end of the array")
            return


def _end_of(text: str, place: int) -> tuple[int, str]:
    """Where the item ends that begins here; or what is wrong with it."""
    try:
        return DECODE(text, place)[1], ""
    except (ValueError, RecursionError) as error:
        return -1, str(error)
