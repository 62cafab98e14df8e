"""Plans: all combinations, and an error with its line for whatever cannot run, before anything does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput, DuelistError
from duelist.sweeps import LearnerRuns, Plan, PolicyRuns

POLICIES = """\
policies = [
    "rucb",
    "rex3",
]
environments = ["arxiv", "worst-case:arms=7"]
horizon = [100, 1000]
runs = 10
seeds = [1, 2]

[set]
rucb.alpha = [0.51, 1]
"""
LEARNERS = """\
learners = ["pdgd", "dbgd"]
data = "synthetic:queries=20,documents=5"
folds = [1, 2]
clicks = ["perfect", "informational"]
impressions = 100
points = 3
set.rate = 0.5
"""


def plan(folder: Path, text: str) -> Plan:
    (folder / "plan.toml").write_text(text)
    return Plan.read(folder / "plan.toml")


def test_cells_are_all_combinations(tmp_path: Path) -> None:
    found = plan(tmp_path, POLICIES)
    assert (found.name, len(found.cells), found.runs) == ("plan", 3 * 2 * 2 * 2, 240)
    assert len({cell.key for cell in found.cells}) == 24
    first, last = found.cells[0], found.cells[-1]
    assert isinstance(first, PolicyRuns)
    assert (str(first.policy), first.environment, first.horizon, first.seed) == ("rucb:alpha=0.51", "arxiv", 100, 1)
    assert (str(last.policy), last.environment, last.horizon, last.seed) == ("rex3", "worst-case:arms=7", 1000, 2)


def test_learners_have_axes_of_their_own(tmp_path: Path) -> None:
    found = plan(tmp_path, LEARNERS)
    assert len(found.cells) == 8
    last = found.cells[-1]
    assert isinstance(last, LearnerRuns)
    assert (str(last.learner), last.fold, last.clicks, last.points) == ("dbgd:rate=0.5", 2, "informational", 3)


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (POLICIES, '"rex3"', '"rexx3"', r"line 3: unknown policy 'rexx3' \(did you mean 'rex3'\?\)"),
        (POLICIES, '"arxiv"', '"arxif"', r"line 5: 'arxif' is neither .* \(did you mean 'arxiv'\?\)"),
        (POLICIES, "arms=7", "arms=1", "line 5: worst-case: arms must be a whole number at least 2, not 1"),
        (POLICIES, "horizon", "horizn", r"line 6: a plan has no 'horizn' \(did you mean 'horizon'\?\)"),
        (POLICIES, "[100, 1000]", "[100, -5]", "line 6: horizon must be a whole number of at least 1, not -5"),
        (POLICIES, "runs = 10", "runs = 0.5", "line 7: runs must be a whole number of at least 1, not 0.5"),
        (POLICIES, "seeds = [1, 2]", "seeds = [3, 3]", "line .*: a cell comes twice: policy rucb"),
        (POLICIES, "rucb.alpha", "rucb.alhpa", r"line 10: set rucb.alhpa: no such parameter \(did you mean 'alpha'"),
        (POLICIES, "0.51", "0.1", "line 10: rucb: alpha must be a number above 0.5, not 0.1"),
        (POLICIES, "[set]", "[set", r"plan.toml: .*\(at line 10, column"),
        (POLICIES, "policies", "polices", r"policies or learners, one of the two; 'polices': \(did you mean"),
        (POLICIES, "runs = 10", 'engine = "gpu"', "line 7: engine must be one of cpu, cuda, not 'gpu'"),
        (POLICIES, "[set]\nrucb.alpha = [0.51, 1]", "set = 3", "line 10: set is a table of parameters"),
        (LEARNERS, "informational", "informal", "line 4: unknown clicks 'informal'"),
        (LEARNERS, "synthetic:", "nowhere/", "line 2: no directory 'nowhere/"),
        (LEARNERS, "queries=20", "quries=20", "line 2: synthetic has no parameter 'quries'"),
        (LEARNERS, "points = 3", 'drift = "abrup"', "line 6: unknown drift 'abrup'"),
        (LEARNERS, "points = 3", 'engine = "gpu"', "line 6: engine must be one of cpu, cuda, not 'gpu'"),
        (LEARNERS, 'data = "synthetic:queries=20,documents=5"\n', "", "a plan of learners needs data"),
    ],
)
def test_what_cannot_run_is_named_with_its_line(tmp_path: Path, text: str, old: str, new: str, message: str) -> None:
    assert old in text
    with pytest.raises(DuelistError, match=message):
        plan(tmp_path, text.replace(old, new, 1))


def test_a_plan_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no plan .*nowhere\.toml"):
        Plan.read(tmp_path / "nowhere.toml")


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["sweep", "tune"])
def test_the_examples_are_plans_and_the_page_quotes_them(name: str) -> None:
    assert Plan.read(EXAMPLES / f"{name}.toml").cells
    text = (EXAMPLES / f"{name}.toml").read_text().partition("\n")[2]  # without its first line, a comment
    assert text in (EXAMPLES.parent / "docs" / "sweeps.md").read_text(encoding="utf-8")


def test_a_plan_knows_which_workers_it_needs(tmp_path: Path) -> None:
    found = plan(tmp_path, POLICIES)
    assert (found.workers, found.with_engine("cuda").workers) == ("local", "cuda")
    with pytest.raises(BadInput, match="cells for both cpu and cuda needs engine dask"):
        _ = plan(tmp_path, f'engine = ["cpu", "cuda"]\n{POLICIES}').workers


def test_files_are_found_beside_the_plan_and_known_by_what_is_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    text = 'policies = "rucb"\nenvironments = "mine.csv"\n'
    keys = []
    for folder, chance in (("one", 0.6), ("two", 0.6), ("three", 0.7)):
        (tmp_path / folder).mkdir()
        np.savetxt(tmp_path / folder / "mine.csv", [[0.5, chance], [1 - chance, 0.5]], delimiter=",")
        keys.append(plan(tmp_path / folder, text).cells[0].key)
    assert keys[0] == keys[1] != keys[2]
