import math

import numpy as np
import pytest

from duelist import BadInput
from duelist.core.compile import plain
from duelist.core.memory import Floats
from duelist.online.continuous.drift import Drift, place


def centres(drift: Drift, horizon: int, dimension: int) -> Floats:
    path, segment, centre = drift.path(horizon, dimension), np.zeros(1, np.int64), np.zeros(dimension)
    where, move = [], plain(place)
    for t in range(1, horizon + 1):
        before = centre.copy()
        moved = move(path, t, segment, centre)
        assert moved or (centre == before).all()
        where.append(centre.copy())
    return np.array(where)


def test_a_turning_best_point_stays_on_its_circle_and_comes_round() -> None:
    where = centres(Drift(2.0, turns=3.0), 600, 4)
    assert np.allclose(np.linalg.norm(where, axis=1), 2)
    assert np.allclose(where[199], [2, 0, 0, 0])
    assert np.allclose(where[49], [0, 2, 0, 0])
    length = np.linalg.norm(np.diff(where, axis=0), axis=1).sum()
    assert Drift(2.0, turns=3.0).length(600, 4) == pytest.approx(length, rel=0.01)


def test_a_jumping_best_point_jumps_at_equal_times_only() -> None:
    drift = Drift(2.0, jumps=3, seed=1)
    where = centres(drift, 100, 5)
    changes = np.flatnonzero(np.linalg.norm(np.diff(where, axis=0), axis=1)) + 2
    assert changes.tolist() == [26, 51, 76]
    assert np.allclose(np.linalg.norm(where, axis=1), 2)
    assert drift.length(100, 5) == pytest.approx(np.linalg.norm(np.diff(where, axis=0), axis=1).sum())
    assert not np.allclose(where, centres(Drift(2.0, jumps=3, seed=2), 100, 5))


def test_without_turns_and_jumps_it_stays() -> None:
    assert (centres(Drift(1.5), 10, 3) == [1.5, 0, 0]).all()
    assert Drift(1.5).length(10, 3) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"away": -1.0}, "away must be a number of at least 0, not -1.0"),
        ({"away": 1.0, "turns": math.nan}, "turns must be a number of at least 0, not nan"),
        ({"away": 1.0, "turns": 1.0, "jumps": 2}, "turns or jumps, not both"),
        ({"away": 1.0, "jumps": 2.5}, r"jumps must be a whole number of at least 0, not 2\.5"),
    ],
)
def test_bad_drifts_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Drift(**settings)  # type: ignore[arg-type]


def test_drifts_that_do_not_fit_the_run_are_refused() -> None:
    with pytest.raises(BadInput, match="turning needs at least 2 dimensions, not 1"):
        Drift(1.0, turns=1.0).path(100, 1)
    with pytest.raises(BadInput, match="100 jumps do not fit in 100 comparisons"):
        Drift(1.0, jumps=100).path(100, 3)
