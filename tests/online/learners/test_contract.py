"""Every learner runs the contract, each as a test of its own so that work can be shared out."""

from __future__ import annotations

import pytest

from duelist.core.spec import Spec
from duelist.online.learner import LEARNERS
from duelist.testing import check_learner

OURS = [name for name in LEARNERS if LEARNERS.get(name).__module__.startswith("duelist.")]
# Learners whose settings change what they do, beside all as they are.
SETTINGS = ("dbgd:queries=3", "mgd:random_winner=true", "dm2l:base=p-dbgd")


@pytest.mark.parametrize("text", [*OURS, *SETTINGS])
def test_the_contract(text: str) -> None:
    spec = Spec.read("learner", text)
    check_learner(LEARNERS.get(spec.name), **spec.parameters)
