from __future__ import annotations

import importlib
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Ints
from duelist.core.spec import Spec
from duelist.dueling import Environment, Matrix, Policy, Result, Uniform, load_environment, simulate
from duelist.dueling.result import join_runs

P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]]


def contents(result: Result) -> dict[str, Any]:
    """All of a result but its speed."""
    arrays = {f"sums.{view}": result.sums[view].tolist() for view in result.sums}
    arrays |= {name: getattr(result, name).tolist() for name in ("checkpoints", "hits", "found")}
    facts = {name: value for name, value in result.summary().items() if name != "steps_per_second"}
    return facts | arrays


# Seeds and cores


def test_the_same_seed_gives_the_same_result_whatever_the_cores() -> None:
    once, twice, spread = (contents(simulate("uniform", P, 500, runs=7, seed=3, cores=cores)) for cores in (1, 1, 2))
    assert once == twice == spread


def test_different_seeds_and_different_runs_differ() -> None:
    one, other = (simulate("uniform", P, 500, runs=5, seed=seed).curve()[:, -1] for seed in (0, 1))
    assert len({*one, *other}) == 10


def test_a_result_does_not_depend_on_how_often_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = contents(simulate("uniform", P, 5000, runs=2))
    # The module, not the function that the package calls by the same name.
    monkeypatch.setattr(importlib.import_module("duelist.dueling.simulate"), "SLICE", 100)
    assert contents(simulate("uniform", P, 5000, runs=2)) == whole


def test_progress_goes_to_standard_error_and_only_where_somebody_looks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate("uniform", P, 100, runs=2)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, as far as rich can tell
    simulate("uniform", P, 100, runs=2, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "uniform on matrix, 3 arms" in shown.err


# Policies


def test_a_policy_may_be_a_name_a_class_an_instance_a_path_or_a_spec() -> None:
    path = "duelist.dueling.policies.uniform:Uniform"
    ways: list[Any] = ["uniform", Uniform, Uniform(n_arms=3, seed=99), path, Spec("policy", "uniform")]
    first, *others = (contents(simulate(way, P, 200, runs=2)) for way in ways)
    assert first["policy"] == "uniform"
    assert all(other == first for other in others)


def test_an_instance_lends_its_parameters_and_is_not_touched(walk: type[Policy]) -> None:
    policy = walk(n_arms=3, answer=2)
    result = simulate(policy, P, 20, runs=1)
    assert result.parameters == {"answer": 2}
    assert (policy.told, policy.asked) == (0, 0)


def test_parameters_are_passed_on_and_reported(walk: type[Policy]) -> None:
    assert simulate(walk, P, 20, runs=1, parameters={"answer": 1}).parameters == {"answer": 1}
    assert simulate(walk(3, answer=2), P, 20, runs=1, parameters={"answer": 1}).parameters == {"answer": 1}


@pytest.mark.parametrize("way", ["walk:answer=1", Spec("policy", "walk", {"answer": 1.0})])
def test_parameters_may_stand_beside_the_name(walk: type[Policy], way: Any) -> None:
    assert simulate(way, P, 20, runs=1).parameters == {"answer": 1}
    assert simulate(way, P, 20, runs=1, parameters={"answer": 2}).parameters == {"answer": 2}


def test_a_result_says_which_policy_ran_and_can_be_run_again() -> None:
    result = simulate("window:base=if2", P, 300, runs=2)
    assert result.spec == Spec.read("policy", "window:base=if2,horizon=300").check().complete()
    assert contents(simulate(result.spec, P, 300, runs=2)) == contents(result)


def test_a_run_has_the_same_luck_alone_as_among_others() -> None:
    alone, among = (simulate("uniform", P, 500, runs=runs, seed=3).curve() for runs in (1, 4))
    assert alone[0].tolist() == among[0].tolist()


def test_runs_made_in_parts_are_the_runs_made_at_once() -> None:
    whole = simulate("uniform", P, 500, runs=7, seed=3)
    parts = [simulate("uniform", P, 500, runs=runs, seed=3, first=first) for first, runs in ((0, 2), (2, 4), (6, 1))]
    assert contents(join_runs(parts)) == contents(whole)
    with pytest.raises(BadInput, match="first must be a whole number of at least 0, not -1"):
        simulate("uniform", P, 500, first=-1)


def test_a_policy_that_plans_ahead_is_given_the_horizon() -> None:
    assert simulate("if2", P, 300, runs=1).parameters["horizon"] == 300
    assert simulate("if2", P, 300, runs=1, parameters={"horizon": 1000}).parameters["horizon"] == 1000


@pytest.mark.parametrize(
    ("policy", "error", "complaint"),
    [
        ("unifrom", UnknownName, r"unknown policy 'unifrom' \(did you mean 'uniform'\?\)"),
        ("no_such_module:Class", UnknownName, "cannot load policy 'no_such_module:Class'"),
        ("math:pi", UnknownName, "'math:pi' is not a policy"),
        (int, BadInput, "<class 'int'> is no policy; known by name: .*auto, "),
        (None, BadInput, "None is no policy"),
        ("rucb:alhpa=1", BadInput, r"no parameter 'alhpa' \(did you mean 'alpha'\?\)"),
        ("rucb:alpha", BadInput, "parameters are written rucb:NAME=VALUE"),
        (Spec("learner", "pdgd"), BadInput, "a policy is needed here, not the learner 'pdgd'"),
    ],
)
def test_what_is_not_a_policy_is_refused(policy: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        simulate(policy, P, 10)


def test_a_policy_of_other_arms_than_the_environments_is_refused() -> None:
    with pytest.raises(BadInput, match="the policy has 4 arms, the environment 3"):
        simulate(Uniform(n_arms=4), P, 10)


def test_a_bad_parameter_is_refused_before_any_run() -> None:
    with pytest.raises(BadInput, match="Uniform has no parameter 'alpha'"):
        simulate("uniform", P, 10**15, parameters={"alpha": 1})


# Environments


def test_an_environment_may_be_a_matrix_a_name_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "arxiv"
    np.savetxt(path.with_suffix(".txt"), Matrix(load_environment("arxiv").memory(1).preference).preference)
    curves = [
        simulate("uniform", environment, 200, runs=2).curve()
        for environment in ("arxiv", load_environment("arxiv"), path.with_suffix(".txt"), str(path.with_suffix(".txt")))
    ]
    for curve in curves[1:]:
        np.testing.assert_allclose(curve, curves[0])


def test_the_layout_of_the_users_array_does_not_matter() -> None:
    plain_result = contents(simulate("uniform", np.array(P), 200, runs=2))
    for matrix in (np.asfortranarray(P), np.array(P).repeat(2, 0).repeat(2, 1)[::2, ::2]):
        assert contents(simulate("uniform", matrix, 200, runs=2)) == plain_result


@pytest.mark.parametrize("environment", [[[0.5, 0.7], [0.4, 0.5]], 5, "no-such-file.txt"])
def test_what_is_not_an_environment_is_refused(environment: Any) -> None:
    with pytest.raises((BadInput, UnknownName)):
        simulate("uniform", environment, 10)


# Numbers


@pytest.mark.parametrize(
    ("numbers", "complaint"),
    [
        ({"horizon": 0}, "horizon must be a whole number of at least 1, not 0"),
        ({"horizon": 10.5}, "horizon must be a whole number of at least 1, not 10.5"),
        ({"horizon": "many"}, "horizon must be a whole number of at least 1, not 'many'"),
        ({"horizon": True}, "horizon must be a whole number of at least 1, not True"),
        ({"runs": 0}, "runs must be a whole number of at least 1, not 0"),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"seed": None}, "seed must be a whole number of at least 0, not None"),
        ({"points": 0}, "points must be a whole number of at least 1, not 0"),
        ({"cores": -1}, "cores must be a whole number of at least 1, not -1"),
        ({"cores": 0}, "cores must be a whole number of at least 1, not 0"),
        ({"cores": 1.5}, "cores must be a whole number of at least 1, not 1.5"),
    ],
)
@pytest.mark.parametrize("policy", ["uniform", "if2"])
def test_bad_numbers_are_refused_by_name(policy: str, numbers: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        simulate(policy, P, **{"horizon": 10, "runs": 2, **numbers})


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    plain_numbers = contents(simulate("uniform", P, 50, runs=2, seed=4))
    assert contents(simulate("uniform", P, np.int64(50), runs=np.int32(2), seed=np.int64(4))) == plain_numbers  # type: ignore[arg-type]


# Curves


@pytest.mark.parametrize(("horizon", "points"), [(1, 100), (7, 100), (1000, 2), (12_345, 40), (1000, 1)])
def test_checkpoints_are_log_spaced_and_end_in_the_horizon(horizon: int, points: int) -> None:
    times = simulate("uniform", P, horizon, runs=1, points=points).checkpoints
    assert times[-1] == horizon
    assert len(times) <= points
    assert (np.diff(times) > 0).all()
    if points > 1:
        assert times[0] == 1
        ratio = horizon ** (1 / (points - 1))
        # Each is rounded by at most half a duel.
        assert (times[1:] + 0.5 <= (times[:-1] + 0.5) * ratio + 1).all()
        assert len(times) >= min(points, horizon) // 2


def test_regret_at_a_checkpoint_is_regret_at_that_horizon(
    walked: Callable[[Environment, int], tuple[Result, Ints, Ints]], walk: type[Policy]
) -> None:
    every_duel, _, _ = walked(Matrix(P), 30)
    few = simulate(walk, P, 30, runs=1, points=5)
    assert few.curve()[0].tolist() == every_duel.curve()[0, few.checkpoints - 1].tolist()


def test_accuracy_is_the_share_of_runs_whose_duel_was_of_the_best_arm_with_itself(walk: type[Policy]) -> None:
    # The walk begins with the pair (0, 0), and comes back to it every nine duels.
    result = simulate(walk, P, 19, runs=3, points=1000)
    assert np.flatnonzero(result.accuracy).tolist() == [0, 9, 18]
    assert set(result.accuracy) == {0.0, 1.0}


@pytest.mark.parametrize(("answer", "rate"), [(0, 1.0), (1, 0.0), (2, 0.0)])
def test_best_arm_rate_is_the_share_of_runs_with_the_right_answer(walk: type[Policy], answer: int, rate: float) -> None:
    assert simulate(walk, P, 10, runs=4, parameters={"answer": answer}).best_arm_rate == rate


def test_best_arm_rate_is_a_share_where_some_runs_are_wrong() -> None:
    result = simulate("uniform", P, 4, runs=200)
    assert result.best_arm_rate == result.found.mean()
    assert 0.2 < result.best_arm_rate < 0.9


def test_speed_is_of_one_core_without_compiling(walk: type[Policy]) -> None:
    slow, fast = (simulate(walk, P, 200_000, runs=2, cores=cores).steps_per_second for cores in (1, 2))
    assert slow > 1e6
    assert 0.2 < fast / slow < 5  # not twice as fast because of twice the cores, give or take a busy machine


def test_memory_does_not_grow_with_the_horizon() -> None:
    def peak(horizon: int) -> int:
        tracemalloc.start()
        simulate("uniform", P, horizon, runs=2, points=10, cores=2)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    peak(10)  # what is made once, such as the compiled loop
    assert peak(1_000_000) < peak(1000) + 50_000
