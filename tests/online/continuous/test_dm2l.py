import math

import numpy as np
import pytest

from duelist.core.compile import python_function
from duelist.core.memory import Floats
from duelist.online.continuous import VALUES, Drift, descend
from duelist.online.continuous.dm2l import PointDM2L, expert_count


def into_ball(point: Floats, radius: float) -> Floats:
    length = float(np.linalg.norm(point))
    return point if length <= radius else point * (radius / length)


@pytest.mark.parametrize("settings", [{}, {"printed": True}, {"smaller": 0}, {"smaller": 2}])
def test_every_step_is_that_of_algorithms_2_and_3(settings: dict[str, float]) -> None:
    d, horizon, radius, delta = 3, 500, 2.0, 0.5
    world = Drift(1.0, turns=2.0)
    made = descend(
        "dm2l",
        "p1",
        d,
        horizon,
        1,
        seed=3,
        parameters={"radius": radius, "distance": delta, **settings},
        drift=world,
        points=25,
        start=0.0,
    )
    own, people = (np.random.default_rng(s) for s in np.random.SeedSequence(3).spawn(1)[0].spawn(2))
    extra = int(settings.get("smaller", 4))
    n = math.ceil(math.log2(math.sqrt(1 + 4 * horizon / 5))) + 1 + extra
    gammas = [2.0 ** (i - 1 - extra) * radius * math.sqrt(5 / horizon) for i in range(1, n + 1)]
    pi = np.array([(n + 1) / (i * (i + 1) * n) for i in range(1, n + 1)])
    assert pi.sum() == pytest.approx(1)
    alpha = 4 / math.sqrt(horizon) * (1 if settings.get("printed") else delta / (2 * radius * d))
    experts, regret, value = np.zeros((n, d)), [0.0], python_function(VALUES["p1"].function)
    for t in range(1, horizon + 1):
        w = pi @ experts
        u = np.array([own.standard_normal() for _ in range(d)])
        u /= np.linalg.norm(u)
        other = into_ball(w + delta * u, radius)
        angle = 2 * math.pi * 2 * t / horizon
        centre = np.array([math.cos(angle), math.sin(angle), 0])
        now, tried = value(w - centre), value(other - centre)
        regret.append(regret[-1] + 1 / (1 + math.exp(now)) + 1 / (1 + math.exp(tried)) - 1)
        if people.random() >= 1 / (1 + math.exp(tried - now)):
            losses = np.array([-(d / delta) * u @ (expert - w) for expert in experts])
            pi = pi * np.exp(-alpha * losses)
            pi /= pi.sum()
            experts = np.array([into_ball(e + g * u, radius) for e, g in zip(experts, gammas, strict=True)])
    assert np.allclose(made.last[0], pi @ experts)
    assert np.allclose(made.regret[0], np.array(regret)[made.checkpoints])


def test_the_number_of_experts_is_that_of_equation_6() -> None:
    assert [expert_count(t) for t in (1, 5, 1000, 10**5, 10**6)] == [2, 3, 6, 10, 11]
    assert len(PointDM2L(3, {"horizon": 1000}).experts) == 10


@pytest.mark.parametrize(
    ("turns", "settings", "figure", "error"),
    [
        (0, {"smaller": 0}, 0.816, 0.030),
        (1, {"smaller": 0}, 0.875, 0.029),
        (5, {"smaller": 0}, 0.956, 0.013),
        (20, {"smaller": 0}, 0.978, 0.005),
    ],
)
def test_regret_is_that_of_an_independent_implementation(
    turns: int, settings: dict[str, int], figure: float, error: float
) -> None:
    delta = math.sqrt(3 * 10 / (13 * math.sqrt(10**5)))  # Theorem 2 with lambda = L = 1
    found = descend(
        "dm2l",
        "p1",
        10,
        10**5,
        runs=8,
        seed=1,
        parameters={"radius": 5.0, "distance": delta, **settings},
        drift=Drift(2.0, turns=float(turns)),
        start=0.0,
        cores=1,
    )
    half = float(found.average.high - found.average.mean)
    assert abs(float(found.average.mean) - figure) < 2 * math.hypot(half, error)
