"""Sets of points to search, as projections: the nearest point of the set."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from duelist.core.compile import kernel
from duelist.core.memory import Floats


@kernel
def length_of(points: Floats, row: int) -> float:
    """The length of the vector in a row."""
    total = 0.0
    for column in range(points.shape[1]):
        total += points[row, column] * points[row, column]
    return math.sqrt(total)


@kernel
def project_ball(points: Floats, row: int, radius: float) -> None:
    """All points up to `radius` from 0."""
    length = length_of(points, row)
    if length > radius:
        scale = radius / length
        for column in range(points.shape[1]):
            points[row, column] *= scale


@kernel
def project_sphere(points: Floats, row: int, radius: float) -> None:
    """The points `radius` from 0; all are equally near to 0 itself, which goes to the first axis."""
    length = length_of(points, row)
    if length == 0.0:
        points[row, 0] = radius
    else:
        scale = radius / length
        for column in range(points.shape[1]):
            points[row, column] *= scale


@kernel
def project_box(points: Floats, row: int, radius: float) -> None:
    """The points whose coordinates are all from -radius to radius."""
    for column in range(points.shape[1]):
        points[row, column] = min(max(points[row, column], -radius), radius)


class Domain(NamedTuple):
    """A set of points."""

    name: str
    project: Callable[[Floats, int, float], None]  # (points, row, radius): moves that row
    reach: Callable[[float, int], float]  # (radius, dimension): of the smallest ball around 0 that holds it


DOMAINS = {
    domain.name: domain
    for domain in (
        Domain("ball", project_ball, lambda radius, dimension: radius),
        Domain("sphere", project_sphere, lambda radius, dimension: radius),
        Domain("box", project_box, lambda radius, dimension: radius * math.sqrt(dimension)),
    )
}
