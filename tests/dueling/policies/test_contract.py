import pytest

from duelist.dueling.policy import POLICIES
from duelist.testing import check_policy

OURS = [name for name in POLICIES if POLICIES.get(name).__module__.startswith("duelist.")]


@pytest.mark.parametrize("name", OURS)
def test_every_policy_keeps_the_contract(name: str) -> None:
    check_policy(POLICIES.get(name))
