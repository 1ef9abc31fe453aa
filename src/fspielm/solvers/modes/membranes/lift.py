"""What is left at the boundary, as an error of a function inside: bounds for a membrane's free walls and held rim.

Let u satisfy the equation at an energy E, and w satisfy ``-laplacian w + s w = 0`` with the values of u where those of
modes are zero, and with its slopes where theirs are. Then u - w is a function of the problem at the shift -s, and
``(E + s) T u = u - w`` with T the inverse there: an energy of a mode is no farther away than ``(E + s) e / (1 - e)``,
with e the norm of w beside that of u. The part of w with values is at most as large as these anywhere. For that with
slopes b, let f solve ``-laplacian f + s f = w`` with the conditions of modes: the integral of ``w^2`` is one of ``b f``
over the free walls. With a vector field a that has ``a n >= 1`` there, the integral of ``f^2`` over them is at most
that of ``div(a f^2)`` over the domain, for f is zero on the rest of the boundary; and that is at most
``A |f|^2 + 2 B |f| |grad f|``, with A the largest divergence and B the largest size of a. Since ``|f| <= |w| / s`` and
``|grad f|^2 + s |f|^2 <= |w| |f|``, the norm of w is at most ``sqrt(A / s^2 + c B / s^1.5)`` times that of b, where c
is twice the largest of ``t^1.5 (1 - t)^0.5``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.geometry import Domain, PlaneCurve, Sites

# The c of the bound.
_LARGEST = 3 * math.sqrt(3) / 8
# Degrees of fields that are tried; directions along which they are measured; what is left out between places.
_DEGREES, _DIRECTIONS, _BETWEEN = (1, 3, 5), 12, 1.05
# Places inside, and of each wall, where a field is found, and where it is measured.
_PLACES, _MORE_PLACES = 120, 2000
_WALLS, _MORE_WALLS = 24, 400
# Shifts that are tried, in units of an energy.
_SHIFTS = np.geomspace(0.05, 20.0, 40)


@final
@dataclass(frozen=True)
class TraceField:
    """A vector field that leaves through free walls with a speed of one or more.

    Attributes
    ----------
    divergence : float
        The largest.
    size : float
        The largest.
    """

    divergence: float
    size: float

    def lifting(self, shift: float) -> float:
        """The norm at most of what satisfies the equation at minus a shift, in units of its slopes at free walls."""
        return math.sqrt(self.divergence / shift**2 + _LARGEST * self.size / shift**1.5)

    def best(self, energy: float, held: float, free: float) -> tuple[float, float]:
        """The shift that bounds an energy best, and the error e, for an error by values and a norm of slopes."""
        if not free:
            return 0.0, held
        shifts = energy * _SHIFTS
        errors = np.array([held + self.lifting(shift) * free for shift in shifts])
        place = int(np.argmin((energy + shifts) * errors))
        return float(shifts[place]), float(errors[place])


def trace_field(domain: Domain, walls: Sequence[PlaneCurve], wave: float) -> TraceField | None:
    """For free walls, one of polynomials, the best for a wavenumber of the least degree; None if there is none."""
    if not walls:
        return TraceField(0.0, 0.0)
    rng = np.random.default_rng(0)  # only looks
    few, more = (_along(walls, places) for places in (_WALLS, _MORE_WALLS))
    inside = np.concatenate([domain.sample(_PLACES, rng, "low-discrepancy"), few.points])
    measured = np.concatenate([domain.sample(_MORE_PLACES, rng, "low-discrepancy"), more.points])
    for degree in _DEGREES:
        found = _of_degree(domain, degree, few, inside, wave)
        field = None if found is None else found.measured(measured, more)
        if field is not None:
            return field
    return None


def _along(walls: Sequence[PlaneCurve], places: int) -> Sites:
    """So many of each wall, its ends among them."""
    each = [(curve, curve.parameter(np.linspace(0.0, 1.0, places))) for curve in walls]
    points, normals = ([getattr(curve, name)(t) for curve, t in each] for name in ("point", "normals"))
    return Sites(np.concatenate(points), np.concatenate(normals))


@final
@dataclass(frozen=True, eq=False)
class _Polynomials:
    """Of two components, with coefficients ``(2, n)``, in coordinates from a center in units of a scale."""

    center: FloatArray
    scale: float
    powers: FloatArray
    coefficients: FloatArray

    def measured(self, points: FloatArray, walls: Sites) -> TraceField | None:
        assert walls.normals is not None
        rows, x, y = _tables(self, points)
        at_walls = _tables(self, walls.points)[0] @ self.coefficients.T
        least = float(np.sum(at_walls * walls.normals, axis=1).min()) / _BETWEEN
        if least <= 0:
            return None
        divergence = float(np.abs(x @ self.coefficients[0] + y @ self.coefficients[1]).max())
        size = float(np.linalg.norm(rows @ self.coefficients.T, axis=1).max())
        return TraceField(_BETWEEN * divergence / least, _BETWEEN * size / least)


def _tables(field: _Polynomials, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The monomials and their derivatives along both axes."""
    x, y = ((points - field.center) / field.scale).T[:, :, None]
    p, q = field.powers.T
    along = p * x ** np.maximum(p - 1, 0) * y**q / field.scale
    across = q * x**p * y ** np.maximum(q - 1, 0) / field.scale
    return x**p * y**q, along, across


def _of_degree(domain: Domain, degree: int, walls: Sites, inside: FloatArray, wave: float) -> _Polynomials | None:
    """The field of least ``divergence + c size wave`` that leaves through the walls."""
    assert walls.normals is not None
    lower, upper = domain.bounding_box
    powers = np.array([(p, n - p) for n in range(degree + 1) for p in range(n + 1)], dtype=np.float64)
    field = _Polynomials(0.5 * (lower + upper), 0.5 * float(np.max(upper - lower)), powers, np.zeros((2, len(powers))))
    rows, x, y = _tables(field, inside)
    on_walls = _tables(field, walls.points)[0]
    leaves = np.hstack([on_walls * walls.normals[:, :1], on_walls * walls.normals[:, 1:]])
    divergence, none = np.hstack([x, y]), np.zeros((len(inside), 1))
    turns = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    limits = [
        np.hstack([-leaves, np.zeros((len(leaves), 2))]),
        *(np.hstack([sign * divergence, none - 1, none]) for sign in (1, -1)),
        *(np.hstack([math.cos(turn) * rows, math.sin(turn) * rows, none, none - 1]) for turn in turns),
    ]
    bounds = np.concatenate([-np.ones(len(leaves)), np.zeros(len(inside) * (2 + _DIRECTIONS))])
    cost = np.append(np.zeros(2 * len(powers)), [1.0, _LARGEST * wave])
    free = [(None, None)] * len(cost)
    solved = scipy.optimize.linprog(cost, np.concatenate(limits), bounds, bounds=free, method="highs")
    if solved.status != 0:
        return None
    coefficients = solved.x[:-2].reshape(2, len(powers))
    return _Polynomials(field.center, field.scale, powers, coefficients)
