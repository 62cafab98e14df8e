import math
from typing import Any

import numpy as np
import pytest

from duelist import BadInput, UnknownName
from duelist.core.memory import Floats
from duelist.online.continuous import Drift, Value, descend


def test_the_same_seed_is_the_same_run_on_any_number_of_cores() -> None:
    one = descend("dm2l", "p2", 5, 3000, runs=3, seed=7, cores=1)
    two = descend("dm2l", "p2", 5, 3000, runs=3, seed=7, cores=2)
    other = descend("dm2l", "p2", 5, 3000, runs=3, seed=8, cores=1)
    assert (one.regret == two.regret).all()
    assert (one.last == two.last).all()
    assert (one.regret != other.regret).all()
    assert len({tuple(row) for row in one.last.tolist()}) == 3


def test_the_curve_is_the_average_regret_so_far() -> None:
    found = descend("dbgd", "p1", 5, 1000, runs=2, points=4)
    assert found.checkpoints.tolist() == [250, 500, 750, 1000]
    assert np.allclose(found.curve * [250, 500, 750, 1000], found.regret)
    assert float(found.average.mean) == pytest.approx(found.regret[:, -1].mean() / 1000)
    assert (np.diff(found.regret) > 0).all()


def test_two_bad_points_cost_nearly_1() -> None:
    """The sum form: two losses, each of chance 1/2 more than a coin."""
    found = descend("dbgd", "p1", 5, 10, runs=1, start=np.full(5, 4.0), parameters={"rate": 1e-9, "distance": 1e-9})
    assert float(found.average.mean) == pytest.approx(1.0, abs=1e-9)


def plane(w: Floats) -> float:
    return float(5 * w[0])


@pytest.mark.parametrize(("domain", "best"), [("sphere", [1.0, 0.0, 0.0]), ("box", [1.0, 0.5, 0.5])])
def test_other_domains_and_links_and_functions(domain: str, best: list[float]) -> None:
    found = descend(
        "dbgd",
        Value(plane, best),
        3,
        20_000,
        runs=2,
        seed=1,
        domain=domain,
        link="normal",
        parameters={"radius": 1.0},
        cores=1,
    )
    assert found.last[:, 0].min() > 0.9
    assert found.value == "own"


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"algorithm": "adam"}, UnknownName, "unknown algorithm 'adam'. Known: dbgd, bgd1, bgd2, dm2l"),
    ({"algorithm": 3}, BadInput, "algorithm must be one of dbgd, bgd1, bgd2, dm2l or a Searcher class, not 3"),
    ({"value": "p9"}, UnknownName, "unknown value 'p9'. Known: p1"),
    ({"value": 3}, BadInput, "value must be one of p1, p2, p3, p4, p5, a function or a Value, not 3"),
    ({"link": "cubic"}, UnknownName, "unknown link 'cubic'. Known: logistic, normal"),
    ({"domain": "torus"}, UnknownName, "unknown domain 'torus'. Known: ball, sphere, box"),
    ({"dimension": 0}, BadInput, "dimension must be a whole number of at least 1, not 0"),
    ({"horizon": 1.5}, BadInput, r"horizon must be a whole number of at least 1, not 1\.5"),
    ({"start": [1.0, 2.0]}, BadInput, r"start must be a number or 3 numbers, not \[1.0, 2.0\]"),
    ({"start": np.nan}, BadInput, "start must be finite, not nan"),
    ({"parameters": {"speed": 1}}, BadInput, "dbgd has no parameter 'speed'; its parameters: horizon, radius"),
    ({"parameters": {"radius": 0.0}}, BadInput, r"DBGD: radius must be a number above 0, not 0\.0"),
    ({"drift": Drift(11.0)}, BadInput, r"the best point \[11.0, 0.0, 0.0\] is not in the ball of radius 10"),
    ({"drift": Drift(11.0, turns=1.0)}, BadInput, "is not in the ball of radius 10"),
    ({"value": plane}, BadInput, "the point said to be best is not: one was met that is"),
]


@pytest.mark.parametrize(("change", "error", "message"), BAD)
def test_bad_input_is_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    good: dict[str, Any] = {"algorithm": "dbgd", "value": "p1", "dimension": 3, "horizon": 100}
    with pytest.raises(error, match=message):
        descend(**{**good, **change})


def test_one_who_is_told_how_far_the_best_point_goes_takes_the_step_of_theorem_1() -> None:
    drift = Drift(away=2.0, turns=3.0)
    path = drift.length(20_000, 5)
    found = {
        told: descend("dbgd", "p1", 5, 20_000, 8, 1, {"path": told}, start=0.0, drift=drift, progress=False)
        for told in (0.0, path)
    }
    assert found[path].parameters["rate"] == pytest.approx(math.sqrt((500 + 20 * path) / 20_000))
    assert found[0.0].parameters["rate"] == pytest.approx(10 / math.sqrt(20_000))
    with pytest.raises(BadInput, match="no parameter 'path'"):
        descend("dm2l", "p1", 5, 100, parameters={"path": 3.0})
