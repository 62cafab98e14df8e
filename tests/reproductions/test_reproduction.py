import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from duelist.reproductions import reproductions
from duelist.reproductions.reproduction import Report, Reproduction, Row, Setting, claim, compare, find, format_report
from duelist.reproductions.rex3_bound import bound
from duelist.reproductions.rex3_regret import ANYTIME, PLANNED, measure, paired
from duelist.reproductions.thesis_filters import median_interval
from typer.testing import CliRunner

from duelist import BadInput, UnknownName, load_environment
from duelist.cli import app


def test_a_published_mean_agrees_within_both_errors_and_not_beyond() -> None:
    sample = np.random.default_rng(0).normal(100, 10, 400)  # standard error 0.5
    assert compare("cell", 101.0, 1.0, sample).agrees
    assert not compare("cell", 104.0, 1.0, sample).agrees
    assert compare("cell", 104.0, 4.0, sample).agrees  # the other side is less sure


def test_a_claim_must_hold_for_the_whole_interval() -> None:
    sample = np.array([0.9, 1.0, 1.2])
    assert not claim("above 0.9", sample, lambda low, high: low > 0.9).agrees
    assert claim("above 0.5", sample, lambda low, high: low > 0.5).agrees


def test_one_regret_below_another_is_judged_by_the_ratio_of_the_means() -> None:
    luck = np.random.default_rng(1)
    low, high = luck.normal(50, 5, 100), luck.normal(100, 5, 100)
    assert paired("lower", low, high).agrees
    assert paired("lower", low, high).measured == pytest.approx(0.5, abs=0.02)
    assert not paired("lower", high, low).agrees
    assert not paired("lower", low, low).agrees


def test_the_interval_of_a_median_covers_it_as_often_as_it_says() -> None:
    luck = np.random.default_rng(2)
    intervals = [median_interval(luck.exponential(size=40)) for _ in range(1000)]
    covered = sum(low <= np.log(2) <= high for low, high in intervals)
    assert 930 <= covered <= 985


def test_the_bound_is_lowest_at_the_rate_of_the_paper() -> None:
    gammas = np.geomspace(0.001, 0.5, 2001)
    star = np.sqrt(64 * np.log(64) / (np.e * 50_000))
    assert gammas[bound(gammas, 64, 50_000).argmin()] == pytest.approx(star, rel=0.01)


def test_every_policy_of_the_figures_is_measured_at_its_horizons() -> None:
    measured = measure(load_environment("cyclic"), 4000, 4, "strong", Setting())
    assert set(measured.finals) == set(ANYTIME) | set(PLANNED)
    assert [line.x[-1] for line in measured.regret] == [4000] * 8
    assert len(measured.finals["RUCB"]) == 4


def test_a_missing_matrix_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"needs MSLR_Perfect_PMat\.npz in the folder preferences of --data"):
        find(reproductions.REPRODUCTIONS, "rex3-5-perfect").run(Setting(quick=True, data=tmp_path))
    with pytest.raises(UnknownName, match=r"Known: .*thesis-5\.1"):
        find(reproductions.REPRODUCTIONS, "thesis-9")


def test_each_reproduction_says_what_it_is_and_what_is_missing() -> None:
    names = [reproduction.name for reproduction in reproductions.REPRODUCTIONS]
    assert len(set(names)) == len(names)
    assert all(reproduction.source and reproduction.missing for reproduction in reproductions.REPRODUCTIONS)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Reproduction:
    rows = [Row("a cell", 2.0, 2.1, 1.9, 2.3, True), Row("a claim", None, 0.5, 0.4, 0.6, False)]
    report = Report(rows, lambda path: path.write_text("a chart"))
    made = Reproduction("tiny", "a paper", "nothing is missing", 1, lambda setting: report)
    monkeypatch.setattr(reproductions, "REPRODUCTIONS", (made,))
    monkeypatch.chdir(tmp_path)
    return made


def test_the_command_prints_rows_saves_a_chart_and_says_whether_all_agree(tiny: Reproduction) -> None:
    shown = CliRunner().invoke(app, ["reproduce", "tiny"])
    assert shown.exit_code == 0
    assert "NOT ALL AGREE" in shown.output
    assert "nothing is missing" in shown.output
    assert Path("tiny.png").read_text() == "a chart"
    printed = json.loads(CliRunner().invoke(app, ["reproduce", "tiny", "--json"]).output)
    assert set(printed) == {"name", "source", "rows", "agrees"}
    assert printed["rows"][1] == {
        "cell": "a claim",
        "published": None,
        "measured": 0.5,
        "low": 0.4,
        "high": 0.6,
        "agrees": False,
    }
    assert printed["agrees"] is False


def test_without_a_name_the_command_lists_what_there_is() -> None:
    listed = CliRunner().invoke(app, ["reproduce"]).output
    assert "thesis-5.1" in listed
    assert "rex3-8" in listed


def test_a_report_reads_as_a_table(tiny: Reproduction) -> None:
    table = format_report(replace(tiny, name="x").run(Setting()))
    assert "a cell       2.000  2.100 [1.900, 2.300]     yes" in table
    assert "a claim      claim  0.500 [0.400, 0.600]      NO" in table
