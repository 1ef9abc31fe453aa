"""Fields inside of objects whose wavenumber varies, as problems of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.conditions import Robin
from fspielm.equations.givens import read_givens
from fspielm.equations.media import media_of
from fspielm.equations.open_domain import wavenumber_of
from fspielm.equations.operator import Operator, along_normal, identity
from fspielm.equations.relations import Relation
from fspielm.errors import ProblemError

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

Data: TypeAlias = Callable[[FloatArray, FloatArray], NumberArray]

# Places in the object where waves are looked at.
_LOOKS = 2000


def varying_media(problem: Problem) -> tuple[int, ...]:
    """The unknowns of a two-sided problem whose wavenumbers vary."""
    return tuple(n for n, equation in enumerate(problem.equations) if n > 0 and not equation.operator.is_constant)


def fastest_inside(problem: Problem) -> float:
    """The largest wavenumber inside of the objects of a two-sided problem, where waves may not grow.

    Raises
    ------
    ProblemError
        If they do.
    """
    return max(_fastest(equation) for equation in problem.equations[1:])


def _fastest(equation: Relation) -> float:
    sites = equation.sample(_LOOKS, np.random.default_rng(0), "low-discrepancy")  # only looks
    (square,) = (term.at(sites) for term in equation.operator.terms if term.order == 0)
    growing = np.flatnonzero(np.imag(square) < -1e-12 * np.abs(square).max())
    if len(growing):
        place = ", ".join(f"{value:.4g}" for value in sites.points[growing[0]])
        raise ProblemError(
            f"Transparent: the square of the wavenumber must not have a negative imaginary part, for a time factor "
            f"exp(-i omega t); at ({place}) it is {square[growing[0]]:.4g}"
        )
    return float(np.sqrt(np.abs(square).max()))


def impedance(problem: Problem, number: int) -> complex:
    """The number i eta of what is prescribed inside, ``flux dv/dn - i eta v``: with it no object has a resonance."""
    medium = media_of(problem)[number - 1]
    lower, upper = medium.shape.bounding_box
    around = wavenumber_of(problem.equations[medium.around].operator)
    size = max(abs(around), 1.0 / float(np.max(upper - lower)))
    return 1j * size * (-1.0 if medium.flux.real < 0 else 1.0)


def arriving(problem: Problem, number: int) -> Operator:
    """What of a field around a medium is prescribed for the one inside, at sites whose normals point out of it."""
    value, slope = identity(problem.dimension), along_normal(problem.dimension)
    return slope + value.times(-impedance(problem, number))


def problem_inside(problem: Problem, number: int, data: Data) -> Problem:
    """The field of one medium of a problem, of which `arriving` is known: of points and normals."""
    from fspielm.equations.problem import Problem as Stated  # which knows of this module's users

    medium, inner = media_of(problem)[number - 1], problem.unknowns[number]
    given = problem.statement.given or {}
    square = sp.sympify(medium.condition.wavenumber).xreplace(read_givens(given).symbols) ** 2
    names = {function.func.__name__ for function in square.atoms(AppliedUndef)}
    used = {key: value for key, value in given.items() if _is_in(key, square, names)}
    laplacian = sum(inner.symbol.diff(coordinate, 2) for coordinate in inner.coordinates)
    known = Robin(-impedance(problem, number), medium.flux, data)
    return Stated(sp.Eq(laplacian + square * inner.symbol, 0), inner.domain, [known], given=used)


def _is_in(key: object, expression: sp.Expr, names: set[str]) -> bool:
    """Whether an expression contains what is given by this key."""
    if isinstance(key, UndefinedFunction):
        return key.__name__ in names
    return isinstance(key, sp.Basic) and bool(expression.has(key))
