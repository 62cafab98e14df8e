"""The little world of the demo: documents, an engine, and for each taste its tasks and the truth about it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from duelist.demo.tastes import TASKS, Memory, Task, find_taste
from duelist.demo.truth import Truth, truth_of
from duelist.search.documents import Document, python_documents
from duelist.search.engine import Engine


class Need(NamedTuple):
    """What visitors of one taste search for, and what they would prefer."""

    taste: str
    tasks: tuple[Task, ...]
    truth: Truth


class World:
    """Documents to search in, and who searches for what."""

    def __init__(self, documents: Sequence[Document] | None = None, tasks: int = TASKS) -> None:
        self.tasks = tasks  # of a taste
        self.engine = Engine(python_documents() if documents is None else documents)
        self._memory = Memory(self.engine.documents)
        self.need = cache(self._need)  # of a taste; found out when it is first asked for

    def _need(self, taste: str) -> Need:
        tasks = self._memory.tasks(find_taste(taste), self.tasks)
        return Need(taste, tuple(tasks), truth_of(self.engine, tasks))
