"""Parts that learners hold: memory that is sized by the features, and kernels."""

from __future__ import annotations

from typing import ClassVar

from duelist.core.memory import Declared


class Part(Declared):
    """Base of them. A parameter that the learner declares too has the learner's value."""

    sized_by: ClassVar[str] = "n_features"
    n_features: int
