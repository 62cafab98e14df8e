from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats
from duelist.core.spec import Spec
from duelist.dueling import (
    ENVIRONMENTS,
    Adversarial,
    Deceptive,
    Drifting,
    Matrix,
    Preferences,
    Utilities,
    bradley_terry,
    gaussian,
    load_environment,
)
from duelist.dueling.environments.instances import worst_case


def preference(name: str) -> Floats:
    environment = load_environment(name)
    assert isinstance(environment, Matrix)
    return environment.preference


def test_every_named_instance_of_the_papers_is_there() -> None:
    named = {"arxiv", "savage-30", "bvs-20", "worst-case", "bradley-terry", "arithmetic", "cyclic"}
    assert named <= set(ENVIRONMENTS)
    assert isinstance(load_environment("deceptive"), Deceptive)


def test_no_condorcet_has_one_copeland_winner_and_no_condorcet_winner() -> None:
    facts = Preferences.of(preference("no-condorcet"))
    assert (facts.condorcet, facts.copeland, facts.ties) == (None, [0], 0)


def test_each_arm_is_the_best_in_its_turn() -> None:
    turns = load_environment("abrupt:arms=3,stretch=10,changes=3,lead=0.4")
    assert isinstance(turns, Drifting)
    assert turns.times.tolist() == [1, 11, 21, 31]
    assert turns.means.argmax(axis=1).tolist() == [0, 1, 2, 0]
    assert np.allclose(np.ptp(turns.means, axis=1), 0.4)
    assert not turns.smooth
    same = load_environment("smooth:arms=3,stretch=10,changes=3,lead=0.4")
    assert isinstance(same, Drifting)
    assert same.smooth
    assert np.array_equal(same.means, turns.means)


@pytest.mark.parametrize("setting", ["stretch=0", "changes=0", "lead=0", "lead=1.5"])
def test_turns_refuse_what_cannot_be(setting: str) -> None:
    with pytest.raises(BadInput, match=setting.split("=")[0]):
        load_environment(f"abrupt:{setting}")


def test_arxiv_has_the_published_numbers() -> None:
    above_the_diagonal = [55, 55, 54, 61, 61, 55, 55, 58, 60, 54, 51, 56, 54, 50, 51]
    matrix = preference("arxiv")
    assert [round(100 * matrix[pair], 9) for pair in itertools.combinations(range(6), 2)] == above_the_diagonal
    facts = Preferences.of(matrix)
    assert (facts.condorcet, facts.copeland, facts.borda, facts.ties) == (0, [0], [0], 1)
    assert [facts.total_order, facts.strong_transitivity, facts.stochastic_triangle_inequality] == [False] * 3


@pytest.mark.parametrize(
    ("name", "file"), [("arxiv", "arxiv-6.txt"), ("arithmetic", "arithmetic-8.txt"), ("cyclic", "cyclic-4.txt")]
)
def test_instances_equal_the_public_files(data: Callable[[str], Path], name: str, file: str) -> None:
    np.testing.assert_allclose(preference(name), Matrix.read(data(f"preferences/{file}")).preference, atol=1e-12)


@pytest.mark.parametrize(
    ("clicks", "condorcet", "copeland", "borda"),
    [("Perfect", 109, 109, 109), ("Navigational", 109, 109, 109), ("Informational", None, 114, 109)],
)
def test_winners_of_the_mslr_rankers(
    data: Callable[[str], Path], clicks: str, condorcet: int | None, copeland: int, borda: int
) -> None:
    facts = Preferences.of(Matrix.read(data(f"preferences/MSLR_{clicks}_PMat.npz")).preference)
    assert (facts.n_arms, facts.condorcet, facts.copeland, facts.borda) == (136, condorcet, [copeland], [borda])


def test_savage_30_has_the_papers_winner_and_scores() -> None:
    matrix = preference("savage-30")
    borda = matrix.sum(1) - 0.5
    facts = Preferences.of(matrix)
    assert [round(float(borda[arm]), 3) for arm in (0, 1, 29)] == [22.233, 22.167, 0]
    assert (facts.condorcet, facts.borda, round(facts.smallest_gap, 4)) == (0, [0], 0.0333)


def test_bvs_20_has_a_borda_winner_that_is_not_the_condorcet_winner() -> None:
    matrix = preference("bvs-20")
    borda = matrix.sum(1) - 0.5
    facts = Preferences.of(matrix)
    assert [round(float(borda[arm]), 2) for arm in (0, 1)] == [9.69, 18.49]
    assert (facts.condorcet, facts.borda, facts.smallest_gap) == (0, [1], 0.01)


def test_in_the_worst_case_every_better_arm_wins_by_epsilon() -> None:
    matrix = preference("worst-case:arms=5,epsilon=0.2")
    assert all(matrix[i, j] == pytest.approx(0.7) for i, j in itertools.combinations(range(5), 2))
    assert preference("worst-case").shape == (100, 100)
    assert preference("worst-case")[0, 1] == pytest.approx(0.6)


def test_the_best_random_bradley_terry_arm_is_epsilon_ahead_of_the_second() -> None:
    matrix = preference("bradley-terry:arms=50,epsilon=0.15,seed=3")
    assert matrix[0, 1:].min() == pytest.approx(0.65)
    odds = matrix / (1 - matrix)
    for i, j, k in itertools.permutations(range(4), 3):
        assert odds[i, j] * odds[j, k] == pytest.approx(odds[i, k])


def test_random_bradley_terry_weights_are_uniform() -> None:
    matrix = preference("bradley-terry:arms=400,seed=1")
    weights = (matrix / (1 - matrix))[1:, 0]  # of all but the best arm, on some scale
    weights = np.sort(weights / weights.max())[:-1]  # below their maximum, they are uniform up to it
    assert stats.kstest(weights, "uniform").pvalue > 0.01


def test_the_seed_of_an_instance_makes_it() -> None:
    assert (preference("bradley-terry:seed=1") == preference("bradley-terry:seed=1")).all()
    assert (preference("bradley-terry:seed=1") != preference("bradley-terry:seed=2")).any()


def test_arithmetic_gaps_grow_by_a_step() -> None:
    matrix = preference("arithmetic:arms=4,step=0.1")
    assert all(matrix[i, j] == pytest.approx(0.5 + 0.1 * (j - i)) for i, j in itertools.product(range(4), repeat=2))


def test_a_bradley_terry_arm_wins_with_its_share_of_the_weight() -> None:
    weights = [3, 1, 0.5]
    matrix = bradley_terry(weights).preference
    for i, j in itertools.product(range(3), repeat=2):
        assert matrix[i, j] == pytest.approx(weights[i] / (weights[i] + weights[j]))


def test_a_gaussian_arm_wins_as_often_as_its_draw_is_higher() -> None:
    means, n = [1.0, 0.3, -0.5], 40_000
    draws = np.random.default_rng(0).normal(np.array(means)[:, None, None], 2.0, (3, 2, n))
    matrix = gaussian(means, deviation=2.0).preference
    for i, j in itertools.product(range(3), repeat=2):
        p = matrix[i, j]
        share = (draws[i, 0] > draws[j, 1]).mean()
        assert share == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / n))


@pytest.mark.parametrize("weights", [[1, 0], [1, -1], [1, np.inf], [1, np.nan], [[1, 2]], [1], [], ["a", "b"]])
def test_bad_bradley_terry_weights_are_refused(weights: Any) -> None:
    with pytest.raises(BadInput, match=r"(?i)bradley-terry"):
        bradley_terry(weights)


@pytest.mark.parametrize(
    ("means", "deviation"),
    [([1, np.nan], 1), ([1, np.inf], 1), ([1, 2], 0), ([1, 2], -1), ([[1, 2]], 1), ([1], 1), (["a", "b"], 1)],
)
def test_bad_gaussian_arms_are_refused(means: Any, deviation: float) -> None:
    with pytest.raises(BadInput, match=r"(?i)gaussian"):
        gaussian(means, deviation)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("arxiv:arms=7", "arxiv has no parameter 'arms'; its parameters: none"),
        ("worst-case:epsilom=0.1", "no parameter 'epsilom' .did you mean 'epsilon'.*; its parameters: arms, epsilon"),
        ("worst-case:arms=ten", "worst-case: arms must be a whole number at least 2, not 'ten'"),
        ("worst-case:arms", "'worst-case:arms': parameters are written worst-case:NAME=VALUE"),
        ("worst-case:arms=", "settings are written NAME=VALUE, each name once, not 'arms='"),
        ("worst-case:arms=5,arms=6", "each name once, not 'arms=5,arms=6'"),
        ("worst-case:arms=5,6", r"arms must be a whole number at least 2, not \(5, 6\)"),
        ("worst-case:epsilon=x", "worst-case: epsilon must be a number .*, not 'x'"),
        ("worst-case:arms=1", "worst-case: arms must be a whole number at least 2, not 1"),
        ("arithmetic:arms=1", "arithmetic: arms must be a whole number at least 2, not 1"),
        ("worst-case:epsilon=0.6", r"worst-case: epsilon must be .*at most 0\.5, not 0\.6"),
        ("bradley-terry:epsilon=0.5", "bradley-terry: epsilon must be .*not 0.5"),
        ("bradley-terry:epsilon=0.6", "bradley-terry: epsilon must be .*not 0.6"),
        ("bradley-terry:seed=-1", "bradley-terry: seed must be .*not -1"),
        ("matrix", "matrix needs either cells, row after row, or the path of a file"),
        ("matrix:cells=0.5+0.5+0.5", "cells must be as many as a square has, not 3"),
        ("matrix:cells=0.5+0.7+0.4+0.5", r"P\[0, 1\] \+ P\[1, 0\] must be 1"),
        ("matrix:path=nowhere.txt", "no matrix file 'nowhere.txt'"),
        ("utilities:means=0.5+2", "utilities: means must be a number at least 0 and at most 1, not 2"),
    ],
)
def test_bad_settings_of_an_instance_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        load_environment(text)


def test_an_unknown_instance_is_refused_with_the_nearest_name_and_all_names() -> None:
    with pytest.raises(
        UnknownName, match=r"'arxive' is neither a file nor .*\(did you mean 'arxiv'\?\)\. Known: .*cyclic"
    ):
        load_environment("arxive")


def test_a_path_is_a_matrix_file(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("0.5,0.8\n0.2,0.5\n")
    for path in (tmp_path / "m.csv", str(tmp_path / "m.csv")):
        environment = load_environment(path)
        assert isinstance(environment, Matrix)
        assert environment.preference[0, 1] == 0.8


def test_a_function_of_an_instance_checks_too() -> None:
    with pytest.raises(BadInput, match="worst-case: arms must be a whole number at least 2, not 1"):
        worst_case(arms=1)


def test_a_file_is_made_again_from_its_path(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("0.5,0.8\n0.2,0.5\n")
    environment = load_environment(tmp_path / "m.csv")
    assert environment.spec == Spec("environment", "matrix", {"cells": (), "path": str(tmp_path / "m.csv")})
    again = load_environment(environment.spec)
    assert isinstance(again, Matrix)
    assert (again.preference[0, 1], again.describe()) == (0.8, "m.csv, 2 arms")


def test_an_array_is_its_own_spec() -> None:
    given = gaussian([1, 0.4, 0.3])
    again = load_environment(Spec.from_dict(json.loads(json.dumps(given.spec.to_dict()))))
    assert isinstance(again, Matrix)
    assert (again.preference == given.preference).all()
    text = load_environment(str(given.spec))
    assert isinstance(text, Matrix)
    assert (text.preference == given.preference).all()
    assert str(Utilities([0.5, 0.25], ties=True).spec) == "utilities:means=0.5+0.25,ties=true"


def test_what_no_name_made_says_so() -> None:
    class Mine(Matrix):
        pass

    for environment in (Mine([[0.5, 0.6], [0.4, 0.5]]), Drifting([1], [[0.1, 0.2]]), Adversarial([[1, 0]])):
        with pytest.raises(BadInput, match=f"this {type(environment).__name__} was not made by a name"):
            environment.spec  # noqa: B018


def test_an_environment_of_ones_own_is_loaded_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_world.py").write_text(
        "from duelist.core.named import named\n"
        "from duelist.dueling import ENVIRONMENTS, Utilities\n"
        "@named(ENVIRONMENTS, 'lucky')\n"
        "def lucky(top: float = 0.9) -> Utilities:\n"
        "    return Utilities([top, 0.5])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(ENVIRONMENTS, "known", dict(ENVIRONMENTS.known))
    environment = load_environment("my_world:lucky:top=0.7")
    assert isinstance(environment, Utilities)
    assert (environment.means[0], str(environment.spec)) == (0.7, "lucky:top=0.7")
    with pytest.raises(UnknownName, match="cannot load environment 'my_world:unlucky'"):
        load_environment("my_world:unlucky")


def test_strong_preferences_are_an_order_without_doubt() -> None:
    matrix = preference("strong:arms=12,seed=3")
    order = np.argsort(-(matrix > 0.5).sum(1))
    above = matrix[np.ix_(order, order)][np.triu_indices(12, 1)]
    assert above.min() >= 0.9
    assert above.max() <= 0.99
    assert list(order) != list(range(12))


def test_one_arm_is_out_of_the_tangle() -> None:
    matrix = preference("tangled:arms=12,seed=3")
    winner = Preferences.of(matrix).condorcet
    assert winner is not None
    others = np.delete(matrix[winner], winner)
    assert 0.52 <= others.min() <= others.max() <= 0.75
    rest = np.delete(np.delete(matrix, winner, 0), winner, 1)
    assert rest.max() > 0.75  # stronger than the winner's
    assert rest.max() <= 0.9


def test_the_best_three_of_a_circle_beat_each_other_and_everybody_else() -> None:
    matrix = preference("circle:arms=12,seed=3,lead=0.2")
    best = Preferences.of(matrix).copeland
    assert np.sort(matrix[np.ix_(best, best)], axis=1).round(12).tolist() == [[0.3, 0.5, 0.7]] * 3
    assert (np.delete(matrix[best], best, axis=1) > 0.5).all()


def test_in_a_tournament_each_pair_is_anything() -> None:
    matrix = preference("tournament:arms=60,seed=3")
    assert stats.kstest(matrix[np.triu_indices(60, 1)], "uniform").pvalue > 0.001
    assert Preferences.of(matrix).condorcet is None
