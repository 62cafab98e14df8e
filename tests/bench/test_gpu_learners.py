"""Tables and judgement of `duelist bench gpu --learners`; the engine itself is tested elsewhere."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from duelist.bench import gpu_learners
from duelist.data import Fold
from duelist.online import learn
from duelist.testing.learner import easy_fold


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines are the CPU, with the luck of the seed."""

    def on_cpu(*args: Any, engine: str = "cpu", **options: Any) -> Any:
        return learn(*args, **options)

    def fold(data: Any) -> tuple[str, Fold]:
        return "made up", easy_fold()

    monkeypatch.setattr(gpu_learners, "learn", on_cpu)
    monkeypatch.setattr(gpu_learners, "load_bench_fold", fold)
    monkeypatch.setattr(gpu_learners, "Device", lambda: SimpleNamespace(name="a device"))


@pytest.mark.usefixtures("here")
def test_speeds_stand_beside_those_of_one_core() -> None:
    rows = list(gpu_learners.bench_learning_speed(2, ["pdgd", "tally"], None))
    assert [(row["learner"], row["runs"], row["floor"]) for row in rows] == [("pdgd", 2, 30e6)]
    text = str(gpu_learners.learning_speed_table(rows))
    assert "a device: 2 runs of 1,000 impressions" in text
    assert "on made up" in text
    assert list(gpu_learners.bench_learning_speed(2, None, None, until=time.time() - 1)) == []


@pytest.mark.usefixtures("here")
def test_a_learner_is_compared_by_what_it_showed_and_what_it_learnt() -> None:
    rows = gpu_learners.agree_learning("pdgd", 6, 6, None, time.time() + 100)
    assert rows is not None
    assert [(row["instance"], row["agrees"]) for row in rows] == [("online", True), ("final", True)]
    assert gpu_learners.agree_learning("pdgd", 6, 6, None, time.time() - 1) is None
    rows[0]["agrees"], rows[0]["errors"] = False, 4.0
    text = str(gpu_learners.learning_agreement_table(rows))
    assert "(+4.0!)" in text
    assert "1 of 2 within 3.5 standard errors" in text


def test_a_learner_that_fails_disagrees(here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(gpu_learners, "learn", fail)
    rows = gpu_learners.agree_learning("pdgd", 6, 6, None, time.time() + 100)
    assert rows is not None
    assert [row["error"] for row in rows] == ["ValueError: broken"] * 2
    assert "failed!" in str(gpu_learners.learning_agreement_table(rows))
