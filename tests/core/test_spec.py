"""A thing that can be chosen by name, as data: from text, mappings and things; checked, stored and made."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from duelist.core.errors import BadInput, UnknownName
from duelist.core.spec import Spec
from duelist.dueling import RUCB, Uniform
from duelist.dueling.policies.window import Window


@pytest.mark.parametrize(
    ("given", "name", "parameters"),
    [
        ("rucb", "rucb", {}),
        ("rucb:alpha=0.6", "rucb", {"alpha": 0.6}),
        ("window:base=d-ts+,size=1000", "window", {"base": "d-ts+", "size": 1000}),
        ("my_module:Mine", "my_module:Mine", {}),
        ("my_module:Mine:rate=2", "my_module:Mine", {"rate": 2}),
        ("abrupt:times=300+600", "abrupt", {"times": (300, 600)}),
        ("rucb:alpha=0.6,0.7", "rucb", {"alpha": (0.6, 0.7)}),
        ({"name": "rucb"}, "rucb", {}),
        ({"name": "rucb", "alpha": 0.6}, "rucb", {"alpha": 0.6}),
        ({"name": "rucb", "parameters": {"alpha": 0.6}}, "rucb", {"alpha": 0.6}),
        ({"family": "policy", "name": "rucb", "parameters": {}}, "rucb", {}),
        (Spec("policy", "rucb", {"alpha": 0.7}), "rucb", {"alpha": 0.7}),
        (RUCB, "rucb", {}),
        (RUCB(3, alpha=0.8, seed=0), "rucb", {"alpha": 0.8}),
    ],
)
def test_a_spec_is_read_from_whatever_says_it(given: Any, name: str, parameters: dict[str, Any]) -> None:
    spec = Spec.read("policy", given)
    assert (spec.family, spec.name, dict(spec.parameters)) == ("policy", name, parameters)


def test_a_spec_is_read_from_toml() -> None:
    table = tomllib.loads("[policy]\nname = 'window'\nbase = 'rucb'\nsize = 1000")
    assert Spec.read("policy", table["policy"]) == Spec.read("policy", "window:base=rucb,size=1000")


@pytest.mark.parametrize("given", [{"alpha": 1}, {"name": 3}, {"name": "rucb", "parameters": [1]}, 3, None, int])
def test_what_says_no_spec_is_refused(given: Any) -> None:
    with pytest.raises(BadInput, match=r"a spec needs a family, a name and parameters|is no policy"):
        Spec.read("policy", given)


@pytest.mark.parametrize("given", [Spec("learner", "pdgd"), {"family": "learner", "name": "pdgd"}])
def test_a_spec_of_another_family_is_refused(given: Any) -> None:
    with pytest.raises(BadInput, match="a policy is needed here, not the learner 'pdgd'"):
        Spec.read("policy", given)


# Checked before it runs


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("rcub", UnknownName, r"unknown policy 'rcub' \(did you mean 'rucb'\?\)"),
        ("rucb:alhpa=1", BadInput, r"rucb has no parameter 'alhpa' \(did you mean 'alpha'\?\)"),
        ("rucb:alpha=0.5", BadInput, "rucb: alpha must be a number above 0.5, not 0.5"),
        ("rucb:alpha=0.6,0.7", BadInput, "alpha must be a number"),
        ("window:size=1", BadInput, "window: size must be a whole number at least 2, not 1"),
        ("window:base=rcub", UnknownName, "did you mean 'rucb'"),
        ("window:base=uniform,alpha=1", BadInput, "window has no parameter 'alpha'"),
    ],
)
def test_what_does_not_fit_is_named_before_anything_is_made(text: str, error: Any, complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        Spec.read("policy", text).check()


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(UnknownName, match=r"unknown family 'polciy' \(did you mean 'policy'\?\)"):
        Spec("polciy", "rucb").check()


def test_checking_brings_values_into_their_types() -> None:
    assert Spec("policy", "window", {"size": 10.0}).check().parameters == {"size": 10}
    assert type(Spec("policy", "window", {"size": 10.0}).check().parameters["size"]) is int


def test_which_parameters_there_are_depends_on_what_is_held() -> None:
    held = Spec.read("policy", "window:base=rex3").complete()
    assert set(held.parameters) == {"base", "size", "gamma", "gain", "horizon"}


# Made and given back


def test_a_thing_made_gives_its_spec_back_with_the_defaults() -> None:
    spec = Spec.read("policy", "window:base=if2,horizon=500")
    policy = spec.make(n_arms=3, seed=1)
    assert policy.spec == spec.check().complete()
    assert policy.spec.parameters["size"] == 10_000
    assert policy.spec.make(n_arms=3, seed=1).ask(id="a") == policy.ask(id="a")


def test_what_is_no_parameter_is_passed_on() -> None:
    policy = Spec("policy", "rucb").make(arms=["old", "new"], seed=1, max_open=7)
    assert (list(policy.arms), policy.max_open) == (["old", "new"], 7)


# Stored


SPECS = [
    Spec("policy", "rucb"),
    Spec("policy", "window", {"base": "d-ts+", "size": 1000, "alpha": 0.6}),
    Spec("policy", "versatile-db", {"shared": True}),
]


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_survives_text_json_and_pickle(spec: Spec) -> None:
    assert Spec.read("policy", str(spec)) == spec
    assert Spec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_a_spec_finds_its_family_in_a_process_that_imported_nothing() -> None:
    code = "import json, sys; from duelist.core.spec import Spec; "
    code += "print(Spec.from_dict(json.loads(sys.argv[1])).make(n_arms=3, seed=0))"
    spec = json.dumps(SPECS[1].to_dict())
    done = subprocess.run([sys.executable, "-c", code, spec], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Window_DoubleThompsonPlus(n_arms=3, base=d-ts+, size=1000, alpha=0.6)")


def test_equal_specs_are_one_in_a_set() -> None:
    one, same = Spec("policy", "p", {"a": 1, "b": 2}), Spec("policy", "p", {"b": 2.0, "a": 1.0})
    assert one == same
    assert len({one, same, Spec("policy", "p", {"a": 1, "b": 3}), Spec("policy", "p", {"a": (1, 2)})}) == 3


def test_a_spec_cannot_be_changed_by_accident() -> None:
    with pytest.raises(AttributeError):
        Spec("policy", "rucb").name = "if2"  # type: ignore[misc]


def test_a_class_around_another_names_what_it_holds() -> None:
    assert Window(n_arms=2, base=Uniform, seed=0).spec == Spec("policy", "window", {"base": "uniform", "size": 10_000})
