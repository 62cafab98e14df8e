"""All rankers in every list: a pair, or several by multileaving. Nothing is learnt but who is preferred."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.live.events import Listed
from duelist.live.impressions import Closed
from duelist.live.state import State


class Lists(State):
    """Kinds `pair` and `multileave`."""

    def learn(self, closed: Closed, body: Any) -> None:
        assert isinstance(body, Listed)
        self.earn(closed, body)

    def best(self) -> str | None:
        """The ranker with the most credit for a list it took part in; the default before the first click."""
        earned = self.credit / np.maximum(1, self.shown)
        return self.definition.arms[int(earned.argmax())] if earned.any() else self.definition.default
