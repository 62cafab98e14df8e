import math
from typing import Any

import numpy as np
import pytest

from duelist.core.compile import plain, python_function, rebind
from duelist.core.memory import Floats
from duelist.online.continuous import ALGORITHMS, DOMAINS, VALUES, Drift, Value, descend
from duelist.online.continuous.dbgd import PointDBGD
from duelist.online.continuous.descend import _search, _world
from duelist.online.continuous.loop import compiled_run
from duelist.online.continuous.steps import (
    informed_rate,
    practical_distance,
    proven_distance,
    proven_rate,
    regret_bound,
)


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def into_ball(point: Floats, radius: float) -> Floats:
    length = float(np.linalg.norm(point))
    return point if length <= radius else point * (radius / length)


@pytest.mark.parametrize("name", ["dbgd", "bgd1", "bgd2"])
def test_every_step_is_that_of_the_pseudo_code(name: str) -> None:
    d, horizon, radius = 5, 400, 1.5
    delta, gamma = 0.9, 0.4  # large, so that points are projected
    made = descend(
        name, "p5", d, horizon, 1, seed=3, parameters={"radius": radius, "distance": delta, "rate": gamma}, points=40
    )
    own, people = (np.random.default_rng(s) for s in np.random.SeedSequence(3).spawn(1)[0].spawn(2))
    value, w, regret, projected = python_function(VALUES["p5"].function), np.ones(d), [0.0], 0
    w = into_ball(w, radius)
    for _ in range(horizon):
        u = np.array([own.standard_normal() for _ in range(d)])
        u /= np.linalg.norm(u)
        other = into_ball(w + delta * u, radius)
        projected += int(np.linalg.norm(w + delta * u) > radius)
        chance = logistic(value(w) - value(other))
        best = value(np.zeros(d))
        regret.append(regret[-1] + logistic(best - value(w)) + logistic(best - value(other)) - 1)
        won = people.random() >= chance
        step = {"dbgd": gamma * won, "bgd1": -gamma * chance, "bgd2": -gamma * (chance - 0.5)}[name]
        w = into_ball(w + step * u, radius)
    assert projected > 20
    assert np.allclose(made.last[0], w)
    assert np.allclose(made.regret[0], np.array(regret)[made.checkpoints])


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_compiled_equals_plain(name: str, domain: str) -> None:
    best = DOMAINS[domain].reach(1.5, 4) * np.array([[0.5, 0.5, 0.5, 0.5]])
    search = _search(
        name,
        Value(lambda w: w[0] + w[1] + w[2] + w[3], best[0], "plane"),
        4,
        300,
        {"radius": 1.5, "rate": 0.3, "distance": 0.4},
        "logistic",
        domain,
        None,
        None,
    )
    loop, ends = compiled_run(search.kind, search.function, search.link, search.domain), []
    for run in (loop, plain(loop.bound)):
        algorithm, world, totals = search.kind(4, search.settings), _world(search), np.zeros(2)
        algorithm.begin(search.start)
        run(algorithm.memory, world, 0, 300, totals, np.random.default_rng(5), np.random.default_rng(6))
        ends.append((algorithm.points.copy(), totals))
    assert np.allclose(ends[0][0], ends[1][0], rtol=0, atol=1e-12)
    assert ends[0][1] == pytest.approx(ends[1][1])


def test_the_mean_step_is_the_slope_of_the_smoothed_chance_to_lose() -> None:
    """Lemmas 1 and 2: E[X u] = -(delta / d) times the gradient of the mean chance over the ball around the point."""
    w, delta, value = np.array([0.6, -0.3]), 0.7, python_function(VALUES["p1"].function)

    def smoothed(centre: Floats) -> float:
        """The mean of P(w beats .) over the disc of radius delta, by its midpoints."""
        radii = np.sqrt((np.arange(200) + 0.5) / 200) * delta
        angles = 2 * math.pi * (np.arange(400) + 0.5) / 400
        x = centre[0] + radii[:, None] * np.cos(angles)
        y = centre[1] + radii[:, None] * np.sin(angles)
        return float(logistic(value(w) + x**2 + y**2).mean())

    h = 1e-4
    slope = np.array([(smoothed(w + h * e) - smoothed(w - h * e)) / (2 * h) for e in np.eye(2)])
    bound = {"project": DOMAINS["ball"].project}
    aim, move = (plain(rebind(getattr(PointDBGD, name), bound)) for name in ("aim", "move"))
    algorithm = PointDBGD(2, {"horizon": 1, "distance": delta, "rate": 1.0, "radius": 9.0})
    luck, steps = np.random.default_rng(0), []
    for _ in range(30_000):
        algorithm.begin(w)
        aim(algorithm.memory, luck)
        chance = logistic(value(w) - value(algorithm.points[1]))
        move(algorithm.memory, bool(luck.random() >= chance), chance)
        steps.append(algorithm.points[0] - w)
    mean, error = np.mean(steps, 0), np.std(steps, 0) / math.sqrt(len(steps))
    assert (np.abs(mean + delta / 2 * slope) < 4 * error).all()
    assert (np.abs(mean) > 8 * error).any()


def test_step_sizes_are_those_of_the_papers() -> None:
    assert proven_distance(10**4, 10, 50, 2.0) == pytest.approx(math.sqrt(1000) / (math.sqrt(26) * 10))
    assert practical_distance(10**4, 10, 50, 3.0) == pytest.approx(3 * math.sqrt(200) / 10)
    assert proven_rate(10**4, 10) == pytest.approx(0.1)
    assert informed_rate(10**4, 10, 15) == pytest.approx(math.sqrt(800 / 10**4))
    used = descend("dbgd", "p1", 50, 10_000, 1).parameters
    assert (used["distance"], used["rate"]) == pytest.approx((math.sqrt(200) / 10, 0.1))
    used = descend("dbgd", "p1", 4, 10_000, 1, domain="box", parameters={"lipschitz": 2.0}).parameters
    assert (used["distance"], used["rate"]) == pytest.approx((proven_distance(10**4, 20, 4, 2.0), 0.2))


def off_centre(w: Floats) -> float:
    return float(-((w[0] - 0.6) ** 2) - w[1] ** 2)


def test_regret_stays_below_the_bound_and_falls_as_it_says() -> None:
    averages = []
    for horizon in (20_000, 320_000):
        found = descend(
            "dbgd",
            Value(off_centre, [0.6, 0.0]),
            2,
            horizon,
            runs=24,
            seed=1,
            start=0.0,
            parameters={"radius": 1.0, "lipschitz": 0.8},  # 1/4 of the steepest slope of the value, 2 x 1.6
            cores=1,
        )
        averages.append(found.average)
        bound = regret_bound(horizon, 1.0, 2, 3.2, 0.25, 1 / (6 * math.sqrt(3)))
        assert found.average.high < bound / horizon < 1.2
    # Regret in all grows more slowly than the horizon: clearly less a comparison after 16 times as many.
    assert averages[1].high < averages[0].low


def test_the_bound_says_nothing_for_short_runs() -> None:
    assert regret_bound(10, 10, 50, 20, 0.25, 0.1) == math.inf


# The figures are one run each. The spread is that of eight runs of ours with seeds not used here.
@pytest.mark.parametrize(
    ("name", "value", "figure", "spread"),
    [
        ("dbgd", "p1", 0.304, 0.0045),
        ("dbgd", "p5", 0.655, 0.0023),
        ("bgd1", "p1", 0.225, 0.0036),
        ("bgd2", "p1", 0.070, 0.0005),
        ("bgd1", "p5", 0.773, 0.0026),
        ("bgd2", "p5", 0.562, 0.0012),
    ],
)
def test_average_regret_is_that_of_an_independent_implementation(
    name: str, value: str, figure: float, spread: float
) -> None:
    found = descend(name, value, 50, 10**6, runs=2, seed=2, cores=1)
    assert float(found.average.mean) == pytest.approx(figure, abs=3 * math.sqrt(1 + 1 / 2) * spread)


def test_a_best_point_that_jumps_is_found_again() -> None:
    drift = Drift(1.0, jumps=1, seed=4)
    found = descend("dbgd", "p1", 3, 60_000, runs=16, drift=drift, parameters={"radius": 2.0}, cores=1)
    assert np.linalg.norm(found.last.mean(0) - drift.path(60_000, 3).centres[-1]) < 0.15
