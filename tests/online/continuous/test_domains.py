import numpy as np
import pytest

from duelist.core.compile import compiled
from duelist.core.memory import Floats
from duelist.online.continuous.domains import DOMAINS, project_ball, project_box, project_sphere


@compiled
def ball(points: Floats, row: int, radius: float) -> None:
    project_ball(points, row, radius)


@compiled
def sphere(points: Floats, row: int, radius: float) -> None:
    project_sphere(points, row, radius)


@compiled
def box(points: Floats, row: int, radius: float) -> None:
    project_box(points, row, radius)


PROJECTIONS = {"ball": ball, "sphere": sphere, "box": box}


def inside(name: str, point: Floats, radius: float) -> bool:
    length, most = np.linalg.norm(point), np.abs(point).max()
    return bool({"ball": length <= radius, "sphere": np.isclose(length, radius), "box": most <= radius}[name])


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("seed", range(4))
def test_a_projection_is_the_nearest_point_of_the_domain(name: str, seed: int) -> None:
    luck = np.random.default_rng(seed)
    dimension, radius = int(luck.integers(1, 7)), float(luck.uniform(0.2, 3))
    points = luck.normal(0, 2, (40, dimension))
    given = points.copy()
    others = luck.uniform(-radius, radius, (500, dimension))
    if name != "box":
        others *= radius / np.linalg.norm(others, axis=1, keepdims=True)
    for row, point in enumerate(given):
        PROJECTIONS[name](points, row, radius)
        found = points[row].copy()
        assert inside(name, found * (1 - 1e-12), radius)
        distances = np.linalg.norm(others - point, axis=1)
        assert np.linalg.norm(found - point) <= distances.min() + 1e-12
        PROJECTIONS[name](points, row, radius)
        assert np.allclose(points[row], found, rtol=0, atol=1e-12)
        if name != "sphere" and inside(name, point, radius):
            assert (found == point).all()


def test_zero_goes_to_the_first_axis_of_the_sphere() -> None:
    points = np.zeros((1, 3))
    sphere(points, 0, 2.0)
    assert points.tolist() == [[2.0, 0.0, 0.0]]


@pytest.mark.parametrize("name", DOMAINS)
def test_the_ball_of_the_reach_holds_the_domain_and_no_smaller_one_does(name: str) -> None:
    corner = np.full((1, 4), 100.0)
    PROJECTIONS[name](corner, 0, 1.5)
    assert np.linalg.norm(corner) == pytest.approx(DOMAINS[name].reach(1.5, 4))
