from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from duelist.core.errors import UnknownName
from duelist.dueling.facts import facts_of
from duelist.dueling.policy import POLICIES, VIEWS

Run = Callable[..., str]
Command = Callable[..., "subprocess.CompletedProcess[str]"]

NAMES = "uniform if1 if2 btm savage savage-copeland savage-borda rucb sparring-ucb sparring-exp3 sparring-thompson rex3"


def test_every_policy_of_the_papers_is_listed_with_what_it_needs(run: Run) -> None:
    facts = {fact["policy"]: fact for fact in json.loads(run("policies", "--json"))}
    assert set(NAMES.split()) <= facts.keys()
    for name in NAMES.split():
        fact = facts[name]
        assert all(fact[key].strip() for key in ("summary", "needs", "horizon", "regret", "departs", "ties")), name
        assert fact["view"] in VIEWS
        assert all(about["help"] for about in fact["parameters"].values()), name


def test_what_is_said_of_the_horizon_is_what_the_parameters_ask(run: Run) -> None:
    for fact in json.loads(run("policies", "--json")):
        if fact["policy"] in NAMES.split():
            required = fact["parameters"].get("horizon", {"required": False})["required"]
            assert required == fact["horizon"].startswith("needed.")


def test_the_table_has_a_row_for_every_policy_with_nothing_cut_off(command: Command) -> None:
    done = command("policies")
    first_words = {words[0] for line in done.stdout.splitlines() if (words := line.strip("│ ").split())}
    assert set(NAMES.split()) <= first_words
    assert "…" not in done.stdout


def test_one_policy_is_shown_with_its_parameters(run: Run) -> None:
    text = run("policies", "rucb")
    assert "needs    a Condorcet winner" in text
    assert "--set alpha=0.51   exploration; the regret bound needs more than 1/2" in text


def test_a_parameter_without_a_default_is_not_shown_with_one(run: Run) -> None:
    assert "horizon=0" not in run("policies", "if2")  # which would be refused


def test_json_of_one_policy_is_one_object(run: Run) -> None:
    assert json.loads(run("policies", "rucb", "--json")) == facts_of(POLICIES.get("rucb"))


def test_an_unknown_policy_is_refused(run: Run) -> None:
    with pytest.raises(UnknownName, match="unknown policy 'nobody'"):
        run("policies", "nobody")
