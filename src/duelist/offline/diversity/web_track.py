"""Subtopic judgements of the TREC Web track: which documents cover which subtopics, without any text."""

from __future__ import annotations

import gzip
from pathlib import Path

from duelist.core.errors import BadInput
from duelist.offline.diversity.candidates import Candidates, candidates


def read_subtopic_judgements(path: str | Path) -> dict[str, Candidates]:
    """The queries of a qrels file of the diversity task, by number; plain or packed by gzip.

    A line has topic, subtopic, document and grade; a document covers a subtopic from grade 1 on. As in
    the thesis only documents that cover something are kept, and they have no words: good for the
    measures and for `choose_knowing_subtopics`, not for models of words.
    """
    path = Path(path)
    found: dict[str, dict[str, set[str]]] = {}
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for number, line in enumerate(file, 1):
            topic, subtopic, document, grade = _parse(line, f"{path}, line {number}")
            if grade > 0:
                found.setdefault(topic, {}).setdefault(document, set()).add(subtopic)
    if not found:
        raise BadInput(f"{path} has no document that covers a subtopic")
    return {topic: candidates([{}] * len(own), subtopics=list(own.values())) for topic, own in found.items()}


def _parse(line: str, where: str) -> tuple[str, str, str, int]:
    parts = line.split()
    try:
        topic, subtopic, document, grade = parts
        return topic, subtopic, document, int(grade)
    except ValueError:
        raise BadInput(f"{where}: expected topic, subtopic, document and grade, not {line.strip()!r}") from None
