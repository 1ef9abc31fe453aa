"""Unknowns as sums of functions, values at given points, and distances from known functions."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, NumberArray, as_finite_points, spread_out
from fspielm.basis.basis import Basis, JoinedBasis
from fspielm.basis.wrapping import Component
from fspielm.errors import OutsideWarning, ProblemError
from fspielm.expr.functions import called_by_solver
from fspielm.geometry.domain import Domain
from fspielm.problem.problem import Problem

# Functions and their coefficients, in one row or several.
Sum = tuple[Basis, NumberArray]

Outside: TypeAlias = Literal["nan", "extend"]

# Names of the components of a vector.
_LETTERS = ("u", "v", "w")
# Points along each axis of a grid, by dimension: the paper's 100 x 100, and about as many otherwise.
_COUNTS = {1: 10_000, 2: 100, 3: 41, 4: 16}


def sums_of(problem: Problem, basis: Basis, coefficients: NumberArray) -> tuple[Sum, ...]:
    """Each unknown as a sum of real functions of its own: a basis, and coefficients ``(1, M)``."""
    stacked = coefficients[None, :] if coefficients.ndim == 1 else coefficients
    each = [basis.field(place, stacked) for place in range(len(problem.unknowns))]
    if problem.whole is None:
        return tuple(each)
    pairs = zip(each[::2], each[1::2], strict=True)
    return tuple(
        (JoinedBasis([basis, other]), np.concatenate([real, 1j * imaginary], axis=1))
        for (basis, real), (other, imaginary) in pairs
    )


def with_conjugates(sums: Sequence[Sum]) -> Sum:
    """One sum for all complex unknowns, followed by their conjugates as further unknowns."""
    number = 2 * len(sums)
    both = [*sums, *((basis, coefficients.conj()) for basis, coefficients in sums)]
    basis = JoinedBasis([Component(each, place, number) for place, (each, _) in enumerate(both)])
    return basis, np.concatenate([coefficients[0] for _, coefficients in both])


def vectors_of(problem: Problem) -> dict[str, tuple[int, ...]]:
    """The vectors among the unknowns, by name: the places of their components along x, y and so on.

    The names of the unknowns tell: ``u, v, w`` is the vector ``uvw``; ``Ex, Ey`` or ``E_x, E_y`` is ``E``; so is
    ``E1, E2`` or ``E_1, E_2``. A vector has one component for each coordinate of space.
    """
    names = problem.names
    space = [str(symbol) for symbol in problem.coordinates[: problem.dimension - (problem.domain.time is not None)]]
    if len(space) < 2:
        return {}
    numbers = [str(number + 1) for number in range(len(space))]
    found = _vector("".join(_LETTERS[: len(space)]), _LETTERS[: len(space)], names) if len(space) <= 3 else {}
    for ends in (space, numbers):
        for stem in dict.fromkeys(name.removesuffix(ends[0]) for name in names if name.endswith(ends[0])):
            if stem.rstrip("_"):
                found |= _vector(stem.rstrip("_"), [stem + end for end in ends], names)
    return {vector: places for vector, places in found.items() if vector not in names}


def _vector(vector: str, components: Sequence[str], names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    if not set(components) <= set(names):
        return {}
    return {vector: tuple(names.index(component) for component in components)}


def at_points(
    function: Callable[[FloatArray], NumberArray], domain: Domain, points: ArrayLike, outside: Outside
) -> NumberArray:
    """Values ``(n, ...)`` of a function at points ``(n, d)``; nan, with one warning, clearly outside of the domain."""
    if outside not in get_args(Outside):
        raise ProblemError(f"outside must be one of {list(get_args(Outside))}; got {outside!r}")
    array = as_finite_points(points, domain.dimension)
    if outside == "extend" or called_by_solver() or (inside := domain._contains_nearly(array)).all():
        return function(array)
    values = spread_out(function(array[inside]), inside)
    place = ", ".join(f"{value:.6g}" for value in array[np.argmin(inside)])
    warnings.warn(
        f"{np.count_nonzero(~inside)} of {len(array)} points lie outside of the domain, the first at ({place}), and "
        'have the value nan; outside="extend" evaluates the functions of the solution there, which mean nothing',
        OutsideWarning,
        stacklevel=_user_stacklevel(),
    )
    return values


def _user_stacklevel() -> int:
    """The stack level of the first caller outside of fspielm."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("fspielm."):
        frame, level = frame.f_back, level + 1
    return level


def regular_grid(domain: Domain) -> FloatArray:
    """Points of an even grid over the bounding box that lie in the domain, shape ``(n, d)``."""
    count = default_count(domain.dimension)
    return grid_inside(domain, [np.linspace(a, b, count) for a, b in zip(*domain.bounding_box, strict=True)])


def default_count(dimension: int) -> int:
    """The default number of grid points along each axis."""
    return _COUNTS[min(dimension, max(_COUNTS))]


def grid_inside(domain: Domain, axes: Sequence[FloatArray]) -> FloatArray:
    """Points of the grid with these coordinates along the axes that lie in the domain, shape ``(n, d)``."""
    points = meshed(axes)
    return points[domain.contains(points)]


def meshed(axes: Sequence[FloatArray]) -> FloatArray:
    """All points with these coordinates along the axes, the last one fastest, shape ``(n, d)``."""
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def relative_error(function: Callable[[FloatArray], ArrayLike], exact: FloatArray, points: FloatArray) -> float:
    """Relative L2 error of `function` at `points`, where the values should be `exact`."""
    if not len(points):
        raise ProblemError("no point of the measuring grid lies in the domain, which is too thin for it")
    error, size = np.linalg.norm(np.asarray(function(points)) - exact), np.linalg.norm(exact)
    return float(error / size) if size > 0 else float(error)
