"""Points of the plane at which several materials meet, or two and the boundary: solutions are like a power there."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.geometry import Sites
from fspielm.geometry.cells import runs_along

# Directions that are looked at around a point, and how far from it, of the size of the domain.
_DIRECTIONS = 360
_AROUND = 1e-5
# Points so close are one.
SAME = 1e-9
# What is expected where nothing can be told.
_UNKNOWN = 0.4
# Powers above this are those of smooth functions, up to how well angles are known; and so are whole numbers.
_SMOOTH, _WHOLE = 0.98, 0.02
# So many powers are looked at, counted from the lowest.
_POWERS = 4


@once
def meeting_points(problem: Problem) -> list[FloatArray]:
    """Where interfaces cross, turn or end, each once."""
    size = _size(problem)
    found: list[FloatArray] = []
    for line in problem.interfaces:
        if line.part.parameters == 0:
            continue
        runs = [run for side in (-1, 1) for run in runs_along(line.part, problem.material_of, side, size)]
        places = np.unique([*line.part.breaks, *(run.start for run in runs), *(run.end for run in runs)])
        for point in line.part.place(places[:, None]).points:
            if all(np.linalg.norm(point - other) > SAME * size for other in found):
                found.append(point)
    return found


def lowest_power(problem: Problem, point: FloatArray) -> float:
    """The lowest power of the distance in a solution at such a point; one where it is smooth in each material."""
    power = _powers_at(problem, point)[0]
    return power if power < _SMOOTH else 1.0


def lowest_without_data(problem: Problem, point: FloatArray) -> float:
    """The same where conditions bring nothing: whole powers are polynomials then, and sources bring the second one."""
    return min([each for each in _powers_at(problem, point) if abs(each - round(each)) > _WHOLE], default=2.0)


def is_on_rim(problem: Problem, point: FloatArray) -> bool:
    """Whether such a point is on the boundary of the domain."""
    return not problem.domain.contains(_around(point, _AROUND * _size(problem))).all()


def _around(point: FloatArray, radius: float) -> FloatArray:
    angles = 2 * math.pi * (np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS
    return np.asarray(point + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def _size(problem: Problem) -> float:
    lower, upper = problem.domain.bounding_box
    return float(np.max(upper - lower))


def _powers_at(problem: Problem, point: FloatArray) -> tuple[float, ...]:
    """The lowest powers, where the equation is one of second order."""
    around = _around(point, _AROUND * _size(problem))
    inside = problem.domain.contains(around)
    rows = problem.material_of(around)
    stiff = np.zeros(_DIRECTIONS)
    for row in np.unique(rows[inside], axis=0):
        here = np.flatnonzero(inside & np.all(rows == row, axis=1))
        equations = problem.equations_at(around[here[len(here) // 2]])
        own = [t for t in equations[0].operator.terms if t.orders in ((2, 0), (0, 2))]
        if len(problem.unknowns) > 1 or equations[0].operator.order != 2 or not own:
            return (_UNKNOWN,)
        stiff[here] = abs(sum(complex(t.at(Sites(around[here[:1]]))[0]) for t in own))
    if not np.any(stiff > 0):
        return (1.0,)
    # begun outside of the domain, where there is such
    turned = np.roll(stiff, -int(np.argmin(inside)))
    return _lowest_powers(tuple((turned / turned.max()).round(6).tolist()))


@lru_cache(maxsize=64)
def _lowest_powers(stiff: tuple[float, ...]) -> tuple[float, ...]:
    """The lowest powers in order, by finite elements around the point; of stiffness zero outside of the domain."""
    a, step = np.array(stiff), 2 * math.pi / len(stiff)
    closed = bool(np.all(a > 0))
    a = a[a > 0]
    n = len(a) + (not closed)
    first, second = np.arange(len(a)), (np.arange(len(a)) + 1) % n
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for i, j, same in ((first, first, True), (second, second, True), (first, second, False), (second, first, False)):
        np.add.at(K, (i, j), (1.0 if same else -1.0) * a / step)
        np.add.at(M, (i, j), (2.0 if same else 1.0) * a * step / 6)
    # the first is a constant; on the boundary, values may be prescribed as well
    squares = [*scipy.linalg.eigh(K, M, eigvals_only=True, subset_by_index=[1, _POWERS])]
    if not closed:
        held = K[1:-1, 1:-1], M[1:-1, 1:-1]
        squares += [*scipy.linalg.eigh(*held, eigvals_only=True, subset_by_index=[0, _POWERS - 1])]
    return tuple(math.sqrt(max(float(square), 0.0)) for square in sorted(squares))
