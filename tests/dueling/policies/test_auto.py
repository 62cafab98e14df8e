import numpy as np
import pytest

from duelist import Auto, Policy, simulate
from duelist.core.errors import BadInput
from duelist.dueling.policies.auto import FEW


@pytest.mark.parametrize(("n_arms", "base"), [(FEW, "d-ts"), (FEW + 1, "shared-tsallis")])
def test_it_plays_what_it_holds_duel_by_duel(n_arms: int, base: str) -> None:
    environment = f"bradley-terry:arms={n_arms}"
    runs = [simulate(name, environment, 3000, runs=3, seed=5, progress=False) for name in ("auto", base)]
    assert np.array_equal(runs[0].curve("strong"), runs[1].curve("strong"))


def test_named_arms_are_counted_and_the_choice_survives_json() -> None:
    policy = Auto(arms=[f"ranker {number}" for number in range(FEW + 1)], seed=1)
    policy.tell(policy.ask(), 1.0)
    again = Policy.from_json(policy.to_json())
    assert again.parameter_values() == policy.parameter_values()
    assert again.ask() == policy.ask()


def test_another_base_can_be_named_and_its_parameters_set() -> None:
    assert Auto(40, base="rucb", alpha=0.6, seed=0).parameter_values() == {"base": "rucb", "alpha": 0.6}


@pytest.mark.parametrize("bad", [1, 2.5, "6", None])
def test_a_bad_number_of_arms_is_refused_as_by_any_policy(bad: object) -> None:
    with pytest.raises(BadInput):
        Auto(bad, seed=0)
