"""Powers of the distance from a corner with which solutions may begin there, for any equations of second order.

Near a corner a solution is a sum of ``r^z phi(theta)`` that satisfy the equations and conditions with their highest
derivatives alone. Of such functions a derivative along x is ``r^(z - 1) (z cos - sin d/dtheta) phi``, so that z is an
eigenvalue of a polynomial of matrices on the values of phi at Chebyshev's nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Operator, Problem, sides_of
from fspielm.errors import ProblemError
from fspielm.geometry import Corner, Sites

# Nodes: an eigenvalue counts if it is found with both, up to this.
_NODES = (18, 23)
_SAME = 1e-6
# Those that are looked at.
_LEAST, _MOST = 0.05, 6.0


def wedge_power(problem: Problem, corner: Corner) -> float | None:
    """The lowest power at a corner but for linear functions; None where it cannot be told."""
    orders = [equation.operator.order for equation in problem.equations]
    sides = sides_of(problem, corner)
    unknowns = len(problem.unknowns)
    if set(orders) != {2} or len(orders) != unknowns or {len(sides.first), len(sides.second)} != {unknowns}:
        return None
    equations = [equation.operator for equation in problem.equations]
    conditions = [[condition.operator for condition in side] for side in (sides.first, sides.second)]
    try:
        once, again = (_powers(corner, equations, conditions, nodes) for nodes in _NODES)
    except ProblemError:  # a coefficient has no value at the corner: whoever needs it there says so
        return None
    found = [z.real for z in once if len(again) and np.abs(again - z).min() < _SAME]
    return min(found, default=None)


def _powers(
    corner: Corner, equations: Sequence[Operator], conditions: Sequence[Sequence[Operator]], nodes: int
) -> NumberArray:
    """All with a real part in question, as far as so many nodes tell."""
    unit = np.cos(np.pi * np.arange(nodes) / (nodes - 1))[::-1]
    angles = corner.start + 0.5 * corner.opening * (1 + unit)
    slope = _slopes(unit) * 2 / corner.opening
    with np.errstate(over="ignore", invalid="ignore"):
        rows = {
            z: np.concatenate(
                [
                    *(_applied(each, corner, angles, slope, z, equations)[1:-1] for each in equations),
                    *(_applied(each, corner, angles, slope, z, equations)[:1] for each in conditions[0]),
                    *(_applied(each, corner, angles, slope, z, equations)[-1:] for each in conditions[1]),
                ]
            )
            for z in (-1.0, 0.0, 1.0)
        }
        # a polynomial of second degree through these
        zeroth, first, second = rows[0.0], 0.5 * (rows[1.0] - rows[-1.0]), 0.5 * (rows[1.0] + rows[-1.0]) - rows[0.0]
    if not np.isfinite([zeroth, first, second]).all():
        return np.empty(0)
    one, none = np.eye(len(zeroth)), np.zeros_like(zeroth)
    values, vectors = scipy.linalg.eig(
        np.block([[-zeroth, none], [none, one]]), np.block([[first, second], [one, none]])
    )
    kept = np.isfinite(values) & (values.real > _LEAST) & (values.real < _MOST)
    kept[kept] = [
        abs(z - 1) > _SAME or not _is_linear(vector[: len(one)], angles)
        for z, vector in zip(values[kept], vectors[:, kept].T, strict=True)
    ]
    return np.asarray(values[kept])


def _applied(
    operator: Operator, corner: Corner, angles: FloatArray, slope: FloatArray, z: float, equations: Sequence[Operator]
) -> NumberArray:
    """The highest derivatives of an operator on the values of ``r^z phi``, at all angles, with coefficients there."""
    along = corner.start + np.array([0.0, corner.opening])
    normals = np.array([[math.sin(along[0]), -math.cos(along[0])], [-math.sin(along[1]), math.cos(along[1])]])
    each = normals[(np.arange(len(angles)) >= len(angles) // 2).astype(int)]
    sites = Sites(np.tile(corner.point, (len(angles), 1)), each)
    found = np.zeros((len(angles), len(equations) * len(angles)), dtype=complex)
    for term in operator.terms:
        if sum(term.orders) < operator.order:
            continue
        matrix, power = np.eye(len(angles)), z
        for axis in [axis for axis, order in enumerate(term.orders) for _ in range(order)]:
            by = (np.cos(angles), -np.sin(angles)) if axis == 0 else (np.sin(angles), np.cos(angles))
            matrix = power * by[0][:, None] * matrix + by[1][:, None] * (slope @ matrix)
            power -= 1
        columns = slice(term.unknown * len(angles), (term.unknown + 1) * len(angles))
        found[:, columns] += np.reshape(term.at(sites), (-1, 1)) * matrix
    return found


def _is_linear(values: NumberArray, angles: FloatArray) -> bool:
    """Whether all unknowns are linear functions of the coordinates, as far as rounding lets them be."""
    parts = values.reshape(-1, len(angles)).T
    plane = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    left = parts - plane @ np.linalg.lstsq(plane, parts, rcond=None)[0]
    return bool(np.linalg.norm(left) < math.sqrt(_SAME) * np.linalg.norm(parts))


def _slopes(nodes: FloatArray) -> FloatArray:
    """The matrix of derivatives of polynomials through values at Chebyshev's nodes, both ends included."""
    weights = np.ones(len(nodes))
    weights[1::2] = -1
    weights[[0, -1]] *= 0.5
    apart = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    found = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(found, 0.0)
    return np.asarray(found - np.diag(found.sum(axis=1)))
