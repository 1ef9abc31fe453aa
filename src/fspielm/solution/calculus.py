"""What can be done with a solution as a function: methods of `Solution`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import sympy as sp
from numpy.typing import ArrayLike
from sympy.core.function import AppliedUndef

from fspielm.arrays import BoolArray, NumberArray, as_finite_points
from fspielm.equations import normal_derivative
from fspielm.equations.unknowns import only
from fspielm.expressions import check_value
from fspielm.solution.fields import Derived, derive
from fspielm.solution.grid import Grid, make_grid
from fspielm.solution.integrals import integrate_derived
from fspielm.solution.outside import Outside

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def contains(solution: Solution, points: ArrayLike) -> BoolArray:
    """Mask of the points ``(n, d)`` that lie in the domain, its boundary included; values elsewhere mean nothing."""
    problem = solution.problem
    return problem.domain.contains(as_finite_points(points, problem.dimension))


def grid(solution: Solution, n: int | Iterable[int]) -> Grid:
    """Values on a regular grid over the bounding box, time included, those outside of the domain masked.

    Of one unknown: with several, ``solution[u].grid(n)``.

    Parameters
    ----------
    n : int or sequence of int
        Points along every axis, or along each of them.

    Returns
    -------
    Grid
        Its `axes`, `values` and the `names` of the coordinates.
    """
    _only(solution, "grid(n)")
    return make_grid(partial(solution, outside="extend"), solution.problem, n)


def diff(solution: Solution, *along: Any) -> Derived:
    """A derivative, written as in SymPy: ``solution.diff(x, 2)``, ``solution.diff(x, 1, y, 1)``.

    Of one unknown: with several, ``solution[u].diff(x)``.

    Returns
    -------
    Derived
        A function of points, which can be differentiated and integrated again.
    """
    return derive(solution, _only(solution, "diff(x)")).diff(*along)


def gradient(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Derivatives along the coordinates of space at `points` ``(n, d)``, shape ``(n, d)``; one less with time.

    Of one unknown: with several, ``solution[u].gradient(points)``. Outside of the domain as for ``solution(points)``.
    """
    unknown = _only(solution, "gradient(points)")
    return derive(solution, [unknown.diff(symbol) for symbol in _space(solution)])(points, outside=outside)


def laplacian(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Sum of the second derivatives along the coordinates of space, at `points` ``(n, d)``; shape ``(n,)``.

    Of one unknown: with several, ``solution[u].laplacian(points)``. Outside of the domain as for ``solution(points)``.
    """
    unknown = _only(solution, "laplacian(points)")
    return derive(solution, sp.Add(*(unknown.diff(symbol, 2) for symbol in _space(solution))))(points, outside=outside)


def apply(solution: Solution, expression: Any, given: Mapping[Any, Any] | None = None) -> Derived:
    """Any expression in the unknowns, their derivatives and the coordinates, as a function of points.

    Parameters
    ----------
    expression : Expr, or sequence of Expr
        Such as ``u**2``, ``-k * u.diff(x)``, ``u.diff(y) - v.diff(x)`` or ``sp.Abs(u)``; several are the components of
        a vector, with values ``(n, k)``. Symbols and functions given to the problem are known here too.
    given : mapping, optional
        More numbers for symbols and callables for functions, as `Problem` takes them.

    Returns
    -------
    Derived
    """
    return derive(solution, expression, given)


def integrate(
    solution: Solution,
    expression: Any = None,
    *,
    on: str | Iterable[str] | None = None,
    along: Any = None,
    at: float | None = None,
    given: Mapping[Any, Any] | None = None,
    tol: float = 1e-10,
) -> Any:
    """The integral of the solution, or of an expression in it, by quadrature suited to the shape.

    Rules are refined until the integral moves by no more than `tol` times the integral of the absolute value, or
    than rounding moves it: what is returned is then far more accurate than that, since the rules converge faster than
    any power on smooth shapes. Where they do not (surfaces of triangles, expressions that are not smooth), an
    `AccuracyWarning` says how far the integral still moves.

    Parameters
    ----------
    expression : Expr, or sequence of Expr, optional
        As in `apply`; the unknown itself by default, or all of them. On a boundary, and along lines in the plane (where
        the normal points to the right), ``fs.normal_derivative(u)`` and ``fs.normal(x)`` may stand in it.
    on : str or list of str, optional
        Parts of the boundary by name, to integrate over them rather than over the domain; or interfaces, whose first
        side is taken, with normals that point to the second.
    along : sequence of points, or PlaneCurve, optional
        A line through two or more points ``((x0, y0), (x1, y1))``, or a curve.
    at : float, optional
        The time, where the domain has one; all of space-time otherwise.
    given : mapping, optional
        As in `apply`.
    tol : float

    Returns
    -------
    number, or (k,) array
        The latter for several expressions. Complex where the expression is.
    """
    if expression is None:
        symbols = [unknown.symbol for unknown in solution.problem.stated.unknowns]
        expression = symbols[0] if len(symbols) == 1 else symbols
    return integrate_derived(derive(solution, expression, given), on=on, along=along, at=at, tol=tol)


def flux(
    solution: Solution, part: str | Iterable[str] | None = None, coefficient: Any = 1, *, at: float | None = None
) -> complex:
    """The integral of ``coefficient * du/dn`` over parts of the boundary, n their outward normal.

    Of one unknown: with several, ``solution[u].flux(part)``.

    Parameters
    ----------
    part : str or list of str, optional
        Names of parts, or of interfaces; the whole boundary by default.
    coefficient : number, Expr or callable
        A conductivity, for one.
    at : float, optional
        The time, where the domain has one; all times otherwise.
    """
    problem, unknown = solution.problem, _only(solution, "flux(...)")
    check_value(coefficient, "flux: coefficient")
    given = {}
    if callable(coefficient) and not isinstance(coefficient, sp.Basic):
        stand_in = sp.Function("coefficient")
        given, coefficient = {stand_in: coefficient}, stand_in(*problem.coordinates)
    if part is None:
        part = [p.name for p in problem.domain.boundary([str(symbol) for symbol in problem.coordinates])]
    amount: complex = integrate(solution, coefficient * normal_derivative(unknown), on=part, at=at, given=given)
    return amount


def _only(solution: Solution, what: str) -> AppliedUndef:
    """The one unknown; refused where there are several, which are asked one by one."""
    unknowns = solution.problem.stated.unknowns
    name = unknowns[0].symbol.func.__name__
    return only(unknowns, f"solution.{what}", f"ask one of them, as in solution[{name}].{what}").symbol


def _space(solution: Solution) -> tuple[sp.Symbol, ...]:
    problem = solution.problem
    return problem.coordinates[:-1] if problem.domain.time is not None else problem.coordinates
