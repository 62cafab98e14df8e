from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.interleaving import TeamDraft, audit

Run = Callable[..., str]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


OWN = """
from duelist.interleaving import Shown, TeamDraft

class Eager(TeamDraft):
    def combine(self, rankings, length, rng):
        drafted = {}
        while len(drafted) < length:
            for ranker, ranking in enumerate(rankings):
                drafted |= {d: ranker for d in [d for d in ranking if d not in drafted][:1]}
        return Shown(tuple(drafted)[:length], 2, self.name, tuple(drafted.values())[:length])
"""


def test_a_method_is_reported_in_words(run: Run) -> None:
    assert run("audit", "team-draft") == f"{audit(TeamDraft())}\n"


def test_json_is_the_audit(run: Run) -> None:
    assert json.loads(run("audit", "team-draft", "--json")) == json.loads(json.dumps(audit(TeamDraft()).as_dict()))


def test_parameters_are_taken(run: Run) -> None:
    found = json.loads(run("audit", "optimized", "--set", "per_click=negative", "--json"))
    assert found["method"] == "optimized, per_click negative"
    assert found["fidelity"]["worst"]["value"] == pytest.approx(0.5)


def test_several_values_are_a_table_and_a_list(run: Run) -> None:
    found = json.loads(run("audit", "probabilistic:tau=1", "--json"))
    assert found["method"] == "probabilistic, tau 1.0"
    both = json.loads(run("audit", "probabilistic", "--set", "tau=1,3", "--json"))
    names = [each["method"] for each in both]
    assert names == ["probabilistic, tau 1.0", "probabilistic"]
    printed = run("audit", "probabilistic", "--set", "tau=1,3")
    assert [line.split("  ")[0] for line in printed.splitlines()[2:]] == names


def test_an_unknown_parameter_is_answered_with_the_nearest(run: Run) -> None:
    with pytest.raises(BadInput, match=r"--set tua: no such parameter .did you mean 'tau'.*; known here: tau"):
        run("audit", "probabilistic", "--set", "tua=1")


def test_a_parameter_needs_a_method(run: Run) -> None:
    with pytest.raises(BadInput, match="--set needs the method"):
        run("audit", "--set", "tau=1")


def test_a_method_of_ones_own_is_sampled(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    done = command("audit", "mine:Eager", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["method"] == "eager"
    assert found["sampled"]
    assert not found["unbiased"]["holds"]
    assert found["unbiased"]["worst"]["error"] > 0


def test_an_unknown_method_is_one_line_on_standard_error(command: Command) -> None:
    done = command("audit", "team-drafd")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'team-draft'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
