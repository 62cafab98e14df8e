"""An online learner ranks documents by their features, and learns from the clicks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.live.definition import Definition
from duelist.live.events import Ranked
from duelist.live.history import History
from duelist.live.impressions import Closed
from duelist.live.state import OUTCOME, Fetch, State
from duelist.online.impression import Impression
from duelist.online.learner import Learner


class Weights(State):
    """Kind `weights`."""

    def __init__(self, number: int, definition: Definition, version: int, fetch: Fetch) -> None:
        super().__init__(number, definition, version, fetch)
        self.learner: Learner = definition.agent.make(definition.n_features, seed=definition.seed)

    def draw(
        self, documents: Sequence[Any], features: Floats, query: str, length: int, luck: np.random.Generator
    ) -> Ranked:
        """A list to show, with all that learning from it needs."""
        made = self.learner.draw(features, documents, luck=luck)
        tables = {name: array.tobytes() for name, array in made.tables().items()}
        return Ranked(made.ranking[:length], tables, query)

    def check_features(self, rows: Sequence[Sequence[float]]) -> Floats:
        """The features of documents, one row each."""
        width = self.learner.n_features
        for row in rows:
            if len(row) != width or not all(isinstance(x, int | float) and math.isfinite(x) for x in row):
                raise BadInput(f"a document needs {width} finite features, not {list(row)[:20]!r}")
        return np.array(rows, np.float64).reshape(len(rows), width)

    def learn(self, closed: Closed, body: Any) -> None:
        assert isinstance(body, Ranked)
        clicks = sorted({place for place, action in closed.clicks})
        before = self.learner.weights[0].copy()
        self.learner.apply(self._impression(body), clicks)
        self.recent[-1][OUTCOME] = float(np.linalg.norm(self.learner.weights[0] - before))

    def _impression(self, body: Ranked) -> Impression:
        made = self.learner.blank.fresh()
        for name, array in made.tables().items():
            array[...] = np.frombuffer(body.tables[name], array.dtype).reshape(array.shape)
        return made

    def new_history(self) -> History:
        return History(1 + self.definition.n_features)

    def point(self) -> Floats:
        """Lessons, and the weights."""
        return np.concatenate([[self.lessons_learnt()], self.learner.weights[0]])

    def best(self) -> str | None:
        return None

    def parts(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.learner.record().items() if name not in ("open", "closed")}
        return {"learner": kept}

    def restore_parts(self, record: dict[str, Any]) -> None:
        self.learner = Learner.from_json({**record["learner"], "open": {}, "closed": {}})
