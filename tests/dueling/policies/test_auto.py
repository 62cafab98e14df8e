from typing import Any

import numpy as np
import pytest

from duelist import Auto, Policy, simulate
from duelist.core.errors import BadInput
from duelist.dueling.policies.auto import FEW
from duelist.testing.policy import check_applied, check_copies


@pytest.mark.parametrize(("n_arms", "held"), [(6, "spar-and-check"), (FEW + 1, "shared-tsallis")])
def test_it_plays_what_it_holds_duel_by_duel(n_arms: int, held: str) -> None:
    environment = f"bradley-terry:arms={n_arms}"
    runs = [simulate(name, environment, 3000, runs=3, seed=5, progress=False) for name in ("auto", held)]
    assert np.array_equal(runs[0].curve("strong"), runs[1].curve("strong"))


def test_what_it_holds_depends_on_the_number_of_arms() -> None:
    bases = [Auto(n_arms, seed=0).parameter_values()["base"] for n_arms in (2, FEW, FEW + 1, 5000)]
    assert bases == ["spar-and-check", "spar-and-check", "shared-tsallis", "shared-tsallis"]


def test_named_arms_are_counted_and_the_choice_survives_json() -> None:
    policy = Auto(arms=[f"ranker {number}" for number in range(FEW + 1)], seed=1)
    policy.tell(policy.ask(), 1.0)
    again = Policy.from_json(policy.to_json())
    assert again.parameter_values() == policy.parameter_values()
    assert again.ask(id="next") == policy.ask(id="next")


def test_copies_hold_what_the_number_of_arms_chose() -> None:
    check_copies(lambda: Auto(FEW + 1, seed=0))
    check_applied(lambda: Auto(20, seed=0))


def test_another_base_can_be_named_and_its_parameters_set() -> None:
    assert Auto(40, base="rucb", alpha=0.6, seed=0).parameter_values() == {"base": "rucb", "alpha": 0.6}


@pytest.mark.parametrize("bad", [1, 2.5, "6", None])
def test_a_bad_number_of_arms_is_refused_as_by_any_policy(bad: Any) -> None:
    with pytest.raises(BadInput):
        Auto(bad, seed=0)
