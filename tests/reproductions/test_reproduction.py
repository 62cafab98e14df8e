"""One runner, one list, one command."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelist import BadInput, MissingExtra, UnknownName
from duelist.cli import app
from duelist.core.spec import Spec
from duelist.dueling.environments import Matrix, load_environment
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions import catalogue
from duelist.reproductions.catalogue import CATALOGUE, Listed, find
from duelist.reproductions.policy_cells import PolicyCell
from duelist.reproductions.reproduction import Found, Report, Reproduction, Setting, measure_cells
from duelist.reproductions.samples import ratio_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row, exactly
from duelist.sweeps import Done, Local, PolicyRuns
from duelist.sweeps.tasks import Task

UNIFORM, RUCB = (Spec.read("policy", name) for name in ("uniform", "rucb"))
# By hand: on two arms .9 and .1, uniform play loses .2 a duel.
EXACT = Reference("independent", "by hand", 200.0, error=8.0)
WORLD = [[0.5, 0.9], [0.1, 0.5]]


def chart(found: Found) -> Lines:
    return Lines([Panel("runs", [Series(label, [1], [len(m.sample)]) for label, m in found.items()])], "x", "small")


def beats(found: Found) -> list[Row]:
    ratio = ratio_of(found["RUCB"].sample, found["RANDOM"].sample)
    return [Row("ratio", Reference("claim", "section 1", below=1.0), ratio), Row("seen", OBSERVATION, exactly(1.0))]


def small(random: Spec = UNIFORM, rucb: Spec = RUCB, horizon: int = 1000) -> Reproduction:
    """A reproduction of which parts can be broken."""
    cells = [
        PolicyCell("RANDOM", random, lambda setting, runs: [Matrix(WORLD)], horizon, 20, 5, reference=EXACT),
        PolicyCell("RUCB", rucb, lambda setting, runs: [Matrix(WORLD)], horizon, 20, 5),
        PolicyCell("long", rucb, lambda setting, runs: [Matrix(WORLD)], 2000, 2, quick=False),
    ]
    return Reproduction("small", "a paper", "nothing is missing", cells, beats, chart)


def test_the_runner_measures_cells_and_judges_them() -> None:
    steps: list[int] = []
    report = small().run(Setting(advance=steps.append))
    assert [(row.cell, row.agrees) for row in report.rows] == [
        ("RANDOM, strong regret", True),
        ("ratio", True),
        ("seen", None),
    ]
    assert report.agrees
    assert report.verdict == "all 2 agree"
    assert sum(steps) == 3
    assert [line.label for line in report.chart.panels[0].lines] == ["RANDOM", "RUCB", "long"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("broken", "verdicts"),
    [
        ({"horizon": 1300}, [False, True, None]),
        ({"random": RUCB}, [False, False, None]),
        ({"rucb": UNIFORM}, [True, False, None]),
    ],
    ids=["horizon", "another policy", "nothing learns"],
)
def test_what_is_broken_changes_the_verdict(broken: dict[str, object], verdicts: list[bool | None]) -> None:
    report = small(**broken).run(Setting())  # type: ignore[arg-type]
    assert [row.agrees for row in report.rows] == verdicts
    assert not report.agrees
    assert report.verdict.startswith("NOT ALL AGREE")


def test_the_small_version_has_fewer_runs_and_cells() -> None:
    report = small().run(Setting(quick=True))
    lines = report.chart.panels[0].lines  # type: ignore[attr-defined]
    assert [(line.label, line.y) for line in lines] == [("RANDOM", [5]), ("RUCB", [5])]


def test_what_was_kept_is_not_run_again_and_judged_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []
    first = small().run(Setting(keep=tmp_path))
    monkeypatch.setattr(PolicyRuns, "run", None)
    again = small().run(Setting(keep=tmp_path, advance=steps.append))
    assert [row.summary() for row in again.rows] == [row.summary() for row in first.rows]
    assert sum(steps) == 3


def test_whoever_runs_the_cells_gives_the_same(tmp_path: Path) -> None:
    cell = PolicyCell("RANDOM", UNIFORM, "bradley-terry:arms=5,seed={run}", horizon=500, runs=4)
    workers = Local(1)
    try:
        (there,) = measure_cells([cell], Setting(workers=workers)).values()
    finally:
        workers.close()
    assert there.sample.tolist() == cell.measure(Setting()).sample.tolist()


def test_a_cell_that_cannot_run_elsewhere_is_named(tmp_path: Path) -> None:
    class Refuses:
        chunk: float | None = None
        workers: int | None = None

        def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
            return (Done(task, [], "no room") for task in tasks)

        def close(self) -> None:
            pass

    with pytest.raises(BadInput, match=r"policy uniform, environment matrix, 2 arms.*: runs 0 to 19: no room"):
        small().run(Setting(workers=Refuses()))


def test_observations_alone_are_nothing_to_agree_with() -> None:
    report = Report([Row("seen", OBSERVATION, exactly(1.0))], chart({}))
    assert report.agrees
    assert report.verdict == "nothing to agree with"


def test_a_reproduction_is_either_cells_or_code() -> None:
    with pytest.raises(BadInput, match="either cells and a chart to draw, or code"):
        Reproduction("nothing", "a paper", "")


def test_another_world_for_each_run() -> None:
    cell = PolicyCell("RANDOM", UNIFORM, "bradley-terry:arms=5,seed={run}", horizon=500, runs=4)
    worlds = [load_environment(str(world)).preference[0, 1] for world in cell.worlds(Setting(), 4)]  # type: ignore[attr-defined]
    assert len(set(worlds)) == 4
    assert len(cell.measure(Setting()).sample) == 4


def test_every_entry_of_the_list_is_there_under_its_name() -> None:
    for name, entry in CATALOGUE.items():
        reproduction = find(name)
        assert (reproduction.name, reproduction.source) == (name, entry.source)
        assert reproduction.missing
        assert (reproduction.steps > 0) == (reproduction.code is not None)
        labels = [cell.label for cell in reproduction.cells]
        assert len(set(labels)) == len(labels)


def test_a_missing_matrix_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"needs MSLR_Perfect_PMat\.npz in the folder preferences of --data"):
        find("rex3-5-perfect").run(Setting(quick=True, data=tmp_path))


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'thesis-5\.1'\?\)\. Known: .*rex3-8"):
        find("thesis-5.11")


def test_a_missing_extra_is_named_in_the_list_and_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.PACKAGES, "offline", ("no_such_package",))
    listed = CliRunner().invoke(app, ["reproduce"]).output.splitlines()
    assert [line.split()[0] for line in listed] == list(CATALOGUE)
    needing = {line.split()[0] for line in listed if line.endswith("(needs duelist[offline])")}
    assert needing == {name for name, entry in CATALOGUE.items() if entry.extra}
    assert "thesis-3.6" in needing
    with pytest.raises(MissingExtra, match=r"'thesis-3\.6' needs more packages: pip install 'duelist\[offline\]'"):
        find("thesis-3.6")


def test_the_list_loads_no_reproduction_and_no_compiler() -> None:
    code = """
    import sys
    from typer.testing import CliRunner
    from duelist.cli import app
    assert "rex3-8" in CliRunner().invoke(app, ["reproduce"]).output
    print([name for name in ("numpy", "numba", "duelist.reproductions.reproduction") if name in sys.modules])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A user's own module, which has a reproduction that says NO."""
    module = """
    from duelist.present.charts import Lines, Panel, Series
    from duelist.reproductions.reproduction import Report, Reproduction
    from duelist.reproductions.verdicts import Reference, Row, exactly
    rows = [Row("a cell", Reference("published", "Table 9", 2.0), exactly(2.0)),
            Row("a claim", Reference("claim", "section 9", below=0.4), exactly(0.5))]
    report = Report(rows, Lines([Panel("y", [Series("line", [1, 2], [1, 2])])], "x", "small"))
    TINY = Reproduction("tiny", "a paper", "nothing is missing", code=lambda setting: report, steps=1)
    """
    (tmp_path / "my_paper.py").write_text(textwrap.dedent(module))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return "my_paper:TINY"


def test_the_command_prints_rows_saves_a_chart_and_says_whether_all_agree(own: str) -> None:
    shown = CliRunner().invoke(app, ["reproduce", own])
    assert shown.exit_code == 0
    assert "a claim      claim  below 0.4  0.500 [0.500, 0.500]      NO" in shown.output
    assert "NOT ALL AGREE: 1 of 2 do not; chart saved to tiny.png\nnothing is missing" in shown.output
    assert Path("tiny.png").stat().st_size > 1000


def test_strict_exits_with_1_when_not_all_agree(own: str) -> None:
    assert CliRunner().invoke(app, ["reproduce", own, "--strict"]).exit_code == 1
    assert CliRunner().invoke(app, ["reproduce", "thesis-3.2", "--strict"]).exit_code == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--engine", "gpu"), "engine must be one of cpu, cuda, not 'gpu'"),
        (("--workers", "0"), "workers must be a whole number of at least 1, not 0"),
    ],
)
def test_who_cannot_run_it_is_refused(own: str, option: tuple[str, str], message: str) -> None:
    assert message in str(CliRunner().invoke(app, ["reproduce", own, *option]).exception)


def test_json_has_all_of_it(own: str) -> None:
    printed = json.loads(CliRunner().invoke(app, ["reproduce", own, "--json"]).output)
    assert set(printed) == {"name", "source", "missing", "rows", "agrees"}
    assert [row["kind"] for row in printed["rows"]] == ["published", "claim"]
    assert printed["agrees"] is False


def test_without_matplotlib_the_chart_is_skipped(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    shown = CliRunner().invoke(app, ["reproduce", own])
    assert shown.exit_code == 0
    assert "no chart: charts need matplotlib: pip install 'duelist[charts]'" in shown.output


@pytest.mark.parametrize(
    ("name", "message"), [("no_such:X", "cannot load reproduction 'no_such:X'"), ("math:pi", "not a reproduction")]
)
def test_what_is_no_reproduction_is_refused(name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        find(name)


def test_an_entry_knows_whether_its_extra_is_there() -> None:
    entry = Listed("a paper", "module:NAME", "offline")
    assert entry.missing == ""
    assert entry._replace(extra="").missing == ""
