"""The field inside of an object whose wavenumber varies, as a problem of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.conditions import Robin
from fspielm.equations.givens import read_givens
from fspielm.equations.open_domain import outer_wavenumbers
from fspielm.equations.operator import Operator, along_normal, identity
from fspielm.equations.two_sided import transparency
from fspielm.equations.written_numbers import number_in
from fspielm.errors import ProblemError

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

Data: TypeAlias = Callable[[FloatArray, FloatArray], NumberArray]

# Places in the object where waves are looked at.
_LOOKS = 2000


def has_varying_inside(problem: Problem) -> bool:
    """Whether a two-sided problem has coefficients inside that vary."""
    return any(not equation.operator.is_constant for equation in problem.equations[1:])


def fastest_inside(problem: Problem) -> float:
    """The largest wavenumber inside of the object of a two-sided problem, where waves may not grow.

    Raises
    ------
    ProblemError
        If they do.
    """
    equation = problem.equations[1]
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


def impedance(problem: Problem) -> complex:
    """The number i eta of what is prescribed inside, ``flux dv/dn - i eta v``: with it no object has a resonance."""
    lower, upper = problem.unknowns[1].domain.bounding_box
    size = max(abs(outer_wavenumbers(problem)[0]), 1.0 / float(np.max(upper - lower)))
    return 1j * size * (-1.0 if _flux(problem).real < 0 else 1.0)


def arriving(problem: Problem) -> Operator:
    """What of a field outside is prescribed for the one inside, at sites whose normals point out of the object."""
    value, slope = identity(problem.dimension), along_normal(problem.dimension)
    return slope + value.times(-impedance(problem))


def problem_inside(problem: Problem, data: Data) -> Problem:
    """The field inside of the object of a two-sided problem, of which `arriving` is known: of points and normals."""
    from fspielm.equations.problem import Problem as Stated  # which knows of this module's users

    condition = transparency(problem)
    assert condition is not None  # of a two-sided problem
    inner = problem.unknowns[1]
    given = problem.statement.given or {}
    square = sp.sympify(condition.wavenumber).xreplace(read_givens(given).symbols) ** 2
    names = {function.func.__name__ for function in square.atoms(AppliedUndef)}
    used = {key: value for key, value in given.items() if _is_in(key, square, names)}
    laplacian = sum(inner.symbol.diff(coordinate, 2) for coordinate in inner.coordinates)
    known = Robin(-impedance(problem), _flux(problem), data)
    return Stated(sp.Eq(laplacian + square * inner.symbol, 0), inner.domain, [known], given=used)


def _flux(problem: Problem) -> complex:
    condition = transparency(problem)
    assert condition is not None
    return complex(number_in(condition.flux, problem.givens, "Transparent: flux"))


def _is_in(key: object, expression: sp.Expr, names: set[str]) -> bool:
    """Whether an expression contains what is given by this key."""
    if isinstance(key, UndefinedFunction):
        return key.__name__ in names
    return isinstance(key, sp.Basic) and bool(expression.has(key))
