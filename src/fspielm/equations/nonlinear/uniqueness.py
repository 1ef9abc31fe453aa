"""Nonlinear problems that have one solution at most, as far as that can be read from their equation.

What is known: the comparison principle of elliptic equations (Gilbarg and Trudinger, theorem 17.1) where values are
given all around; that of parabolic ones; energies of semilinear waves; Picard's theorem for ordinary ones. It speaks of
smooth solutions. All else is left open, whether or not it could be known.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import sympy as sp

from fspielm.equations.conditions import Dirichlet, Initial
from fspielm.equations.nonlinear.law import Law

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

_SECOND = 2
# Derivatives of one unknown by how often each coordinate is in them.
Slopes = dict[tuple[int, ...], sp.Expr]


def why_unique(problem: Problem) -> str:
    """Why a nonlinear problem has no two solutions, in words; empty where that is not known."""
    nonlinear = problem.nonlinear
    assert nonlinear is not None
    is_real = problem.whole is None and problem.dtype.kind == "f"
    if not is_real or len(problem.unknowns) > 1 or problem.interfaces or len(nonlinear.laws) > 1:
        return ""
    if set(nonlinear.equations) != {0} or len(problem.statement.equations) > 1:
        return ""
    if not all(isinstance(condition, Dirichlet | Initial) for condition in problem.conditions):
        return ""
    slopes = _slopes(nonlinear.laws[0])
    if problem.domain.time is None:
        return _why_elliptic(slopes, problem.dimension)
    return _why_evolving(slopes, problem.dimension)


def _slopes(law: Law) -> Slopes:
    """Derivatives of the equation with respect to u, u_x, ..., as expressions in real symbols."""
    jet = law.jet
    real = {s: sp.Dummy(s.name, real=True) for s in (*jet.symbols, *jet.setting.coordinates)}
    places = {coordinate: place for place, coordinate in enumerate(jet.setting.coordinates)}
    found: Slopes = {}
    for atom, symbol in zip(jet.atoms, jet.symbols, strict=True):
        orders = [0] * len(places)
        if isinstance(atom, sp.Derivative):
            for coordinate, count in atom.variable_count:
                orders[places[coordinate]] += int(count)
        found[tuple(orders)] = sp.expand(law.form.diff(symbol).xreplace(real))
    return found


def _why_elliptic(slopes: Slopes, dimension: int) -> str:
    """Nothing grows with u but against the second derivatives."""
    sign = _sign_of_second(slopes, range(dimension), dimension)
    value = sign * slopes.get((0,) * dimension, sp.S.Zero)
    if sign and max(map(sum, slopes)) == _SECOND and value.is_nonpositive:
        return "by the comparison principle, for no term grows with u against the second derivatives"
    return ""


def _why_evolving(slopes: Slopes, dimension: int) -> str:
    """Solutions are continued from a start."""
    time, space = dimension - 1, range(dimension - 1)
    in_time = max(orders[time] for orders in slopes)
    first = slopes.get(tuple(in_time * (axis == time) for axis in range(dimension)), sp.S.Zero)
    if not space:
        return "by Picard's theorem, for it is an ordinary equation with a start" if first.is_number else ""
    mixed = any(orders[time] and sum(orders) > orders[time] for orders in slopes)
    if mixed or max(map(sum, slopes)) > _SECOND:
        return ""
    sign = _sign_of_second(slopes, space, dimension)
    if not (first.is_negative if sign == 1 else first.is_positive if sign == -1 else False):
        return ""
    if in_time == 1:
        return "for it is parabolic, with a start"
    if all(slope.is_number for orders, slope in slopes.items() if sum(orders) == _SECOND):
        return "for it is a wave equation with terms of lower order, with a start"
    return ""


def _sign_of_second(slopes: Slopes, axes: range, dimension: int) -> int:
    """Of the matrix of coefficients of second derivatives along some axes where it is surely definite; or else zero."""

    def entry(a: int, b: int) -> sp.Expr:
        orders = [0] * dimension
        orders[a] += 1
        orders[b] += 1
        slope = slopes.get(tuple(orders), sp.S.Zero)
        return slope if a == b else slope / 2

    matrix = sp.Matrix(len(axes), len(axes), [entry(a, b) for a, b in product(axes, axes)])
    for sign in (1, -1):
        minors = [sp.expand((sign * matrix)[:n, :n].det()) for n in range(1, len(axes) + 1)]
        if all(minor.is_positive for minor in minors):
            return sign
    return 0
