import numpy as np
import pytest

from duelist import IF2, RUCB, BadInput, Drifting, Policy, UnknownName, Window, simulate
from duelist.testing import check_policy

FLIPS = Drifting([1, 30_001, 60_001], [[0.9, 0.5, 0.5, 0.5], [0.5, 0.9, 0.5, 0.5], [0.5, 0.5, 0.9, 0.5]])


def test_the_contract_holds_around_a_policy_that_needs_the_horizon() -> None:
    check_policy(Window, base="if2")  # copies of it included


def test_a_window_follows_a_best_arm_that_changes() -> None:
    fixed, window = (simulate(name, FLIPS, 90_000, 20, 1).regret("dynamic") for name in ("rucb", "window"))
    assert window.high < fixed.low / 3


def test_what_is_chosen_rests_on_the_last_half_to_whole_window() -> None:
    policy = Window(n_arms=3, size=20, seed=0)
    for told in range(1, 101):
        policy.tell(policy.ask(), 1.0)
        chooser = policy.two if policy.second[0] else policy.one
        seen = told - int((policy.begun_two if policy.second[0] else policy.begun_one)[0])
        assert chooser.clock.wins.sum() <= seen
        assert seen <= 20
        assert told < 10 or seen >= 10


def test_a_duel_from_before_a_restart_teaches_only_the_copy_that_knew_of_it() -> None:
    policy = Window(n_arms=2, size=4, seed=0)
    late = policy.ask()
    for _ in range(2):  # the first copy starts afresh
        policy.tell(policy.ask(), 1.0)
    before = policy.one.clock.wins.sum(), policy.two.clock.wins.sum()
    policy.tell(late, 1.0)
    assert (policy.one.clock.wins.sum(), policy.two.clock.wins.sum()) == (before[0], before[1] + 1)


def test_the_base_and_its_parameters_travel_with_the_policy() -> None:
    policy = Window(arms=["a", "b"], base="if2", horizon=500, radius_constant=1.0, size=30, seed=3)
    for _ in range(77):
        policy.tell(policy.ask(), 0.0)
    again = Policy.from_json(policy.to_json())
    assert type(again) is Window.over(IF2)
    assert again.parameter_values()["radius_constant"] == 1.0
    assert [again.ask(id=n) for n in "abcde"] == [policy.ask(id=n) for n in "abcde"]


def test_a_window_over_its_own_default_is_the_same_class() -> None:
    assert Window.over(RUCB) is Window
    assert type(Window(n_arms=2, base=RUCB)) is Window


def test_a_wrong_base_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'rucb'"):
        Window(n_arms=2, base="rucbb")
    with pytest.raises(BadInput, match="base must be a policy's name or class, not 3"):
        Window(n_arms=2, base=3)
    with pytest.raises(BadInput, match="needs horizon"):
        Window(n_arms=2, base="if2")


def test_speed_and_memory_do_not_depend_on_the_size() -> None:
    small, large = (Window(n_arms=4, size=size, seed=0) for size in (10, 10_000_000))
    assert sum(t.nbytes for t in small.tables().values()) == sum(t.nbytes for t in large.tables().values())
    assert not np.isnan(simulate(large, FLIPS, 1000, 2, 1).regret().mean)
