"""Every name of every family: a thing gives its spec back, and the spec makes an equal thing anywhere."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

from duelist.core.agent import Agent
from duelist.core.errors import BadInput, UnknownName
from duelist.core.registry import HOMES, find_family
from duelist.core.spec import Spec

# With parameters other than the usual ones, of every kind that a family has.
TYPED = {
    "policy": ["rucb:alpha=0.6", "window:base=d-ts,size=500", "if2:horizon=300"],
    "learner": ["pdgd:rate=0.5"],
    "environment": [
        "worst-case:arms=5,epsilon=0.2",
        "bradley-terry:arms=4,seed=3",
        "abrupt:arms=3,stretch=7",
        "matrix:cells=0.5+0.75+0.25+0.5",
        "utilities:means=0.9+0.1,ties=true",
    ],
    "drift": ["abrupt:times=30+60,seed=3", "abrupt:times=5", "smooth:turns=0.5,stages=7", "fixed:seed=9"],
    "method": [
        "probabilistic:tau=1.5",
        "optimized:per_click=negative,strict=true",
        "debiased-balanced:examination=1+.5",
    ],
    "clicks": [
        "perfect:grades=5",
        "almost-random:rule=examined",
        "cascade:click=0+0.5,stop=0+1",
        "cascade:click=.5,stop=.1",
    ],
    "ranker": ["svm-ndcg:k=5,truth=mean", "svm-acc3:C=10", "svm-map:relevant=1.5"],
}
NEEDS_MORE = {("environment", "matrix"), ("environment", "utilities"), ("clicks", "cascade")}  # data of one's own
OURS = [(f, n) for f in HOMES for n in find_family(f) if find_family(f).get(n).__module__.startswith("duelist.")]
BARE = [each for each in OURS if each not in NEEDS_MORE]
ALL = BARE + [(family, text) for family, texts in TYPED.items() for text in texts]


def make(spec: Spec) -> Any:
    known = find_family(spec.family).parameters(spec.name, spec.parameters)
    needed = {n: 100 for n, p in known.items() if p.required and n not in spec.parameters}
    whole = Spec(spec.family, spec.name, {**spec.parameters, **needed})
    if spec.family == "policy":
        return whole.make(n_arms=4, seed=1)
    if spec.family == "learner":
        return whole.make(4, seed=1)
    return whole.make(100, 4) if spec.family == "drift" else whole.make()


def content(thing: Any) -> Any:
    """Something to compare things by."""
    if isinstance(thing, Agent):
        return thing.to_json()
    if hasattr(thing, "memory"):
        return [type(thing).__name__, thing.describe(), *map(repr, thing.memory(50))]
    if hasattr(thing, "get_params"):
        return type(thing), thing.get_params()
    if hasattr(thing, "combine"):
        return type(thing), thing.combine(["abcd", "dbca"], 3, np.random.default_rng(1))
    return type(thing), {name: np.asarray(value).tolist() for name, value in vars(thing).items() if name != "made_by"}


@pytest.mark.parametrize(("family", "text"), ALL, ids=" ".join)
def test_what_a_spec_makes_gives_an_equal_spec_that_makes_an_equal_thing(family: str, text: str) -> None:
    thing = make(Spec.read(family, text))
    spec = thing.spec
    given = Spec.read(family, text).check().parameters
    assert (spec.family, spec.name) == (family, text.partition(":")[0])
    assert {name: spec.parameters[name] for name in given} == given
    assert spec.parameters.keys() == find_family(family).parameters(spec.name, spec.parameters).keys()
    ways = {
        "pickle": pickle.loads(pickle.dumps(spec)),
        "JSON": Spec.from_dict(json.loads(json.dumps(spec.to_dict()))),
        "the thing": Spec.read(family, thing),
    }
    assert all(each == spec for each in ways.values()), ways
    assert Spec.read(family, str(spec)).check().complete() == spec
    assert content(make(ways["JSON"])) == content(thing)


@pytest.mark.parametrize("family", HOMES)
def test_a_misspelt_name_and_parameter_are_answered_with_the_nearest(family: str) -> None:
    text = TYPED[family][0]
    name, _, settings = text.partition(":")
    with pytest.raises(UnknownName, match=f"unknown {family} '{name}x' .did you mean '{name}'"):
        Spec.read(family, f"{name}x").check()
    parameter = settings.partition("=")[0]
    with pytest.raises(BadInput, match=f"{name} has no parameter '{parameter}x' .did you mean '{parameter}'"):
        Spec.read(family, f"{name}:{parameter}x=1").check()
    with pytest.raises(BadInput, match=f"'{name}:{parameter}': parameters are written {name}:NAME=VALUE"):
        Spec.read(family, f"{name}:{parameter}").check()


def test_a_maker_is_as_good_as_its_name() -> None:
    from duelist.dueling.environments.instances import worst_case
    from duelist.offline import SVMMap

    assert Spec.read("environment", worst_case) == Spec("environment", "worst-case")
    assert Spec.read("ranker", SVMMap) == Spec("ranker", "svm-map")
    with pytest.raises(BadInput, match="is no ranker; known by name"):
        Spec.read("ranker", worst_case)
