"""Nonlinear equations and conditions, compiled to be evaluated at iterates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray, beyond_range
from fspielm.errors import IterateError
from fspielm.expr.functions import compile_together, describe, join_normals, of_points_and_normals, takes_normals
from fspielm.geometry.boundary import Sites
from fspielm.problem.nonlinear.expressions import Jet, Linearisation, slopes_of
from fspielm.problem.nonlinear.iterate import Iterate
from fspielm.problem.normal import normal_symbols, write_out
from fspielm.problem.setting import format_point
from fspielm.problem.statement import Dirichlet, Initial

if TYPE_CHECKING:
    from fspielm.problem.problem import Problem


# From sites and the values of a jet there to the values of some expressions.
Evaluate = Callable[[Sites, NumberArray], list[NumberArray]]


@final
@dataclass(frozen=True, eq=False)
class Law:
    """``F(x, u, u_x, ...) = 0``, not linear in u.

    Attributes
    ----------
    what : str
        Its name in messages: ``"the equation"``.
    form : Expr
        F, in the symbols of the jet.
    jet : Jet
    linear : Linearisation
        The linear equation for the next iterate.
    """

    what: str
    form: sp.Expr
    jet: Jet
    linear: Linearisation

    @property
    def needs_normals(self) -> bool:
        """Whether it has a meaning on a boundary only."""
        return self.jet.has_normals or self._takes_normals

    def residual(self, iterate: Iterate, sites: Sites) -> NumberArray:
        """F at the iterate, shape ``(n,)``; refused if not finite."""
        values = self._residual(sites, self.values(iterate, sites))[0]
        self._check(values, self.form, iterate, sites)
        return values

    def slots(self, iterate: Iterate, sites: Sites) -> list[NumberArray]:
        """The values of all slots of the linearisation; refused if not finite."""
        found = self._slots(sites, self.values(iterate, sites))
        for values, slot in zip(found, self.linear.slots, strict=True):
            self._check(values, slot.expression, iterate, sites)
        return found

    def second(self, iterate: Iterate, one: Iterate, other: Iterate, sites: Sites) -> NumberArray:
        """The second derivative of F at the iterate along two functions, shape ``(n,)``."""
        first, last = self.values(one, sites), self.values(other, sites)
        found = self._curvatures(sites, self.values(iterate, sites))
        total: NumberArray = np.zeros(len(sites))
        for (a, b), curvature in zip(self._second, found, strict=True):
            total = total + curvature * (first[a] * last[b] if a == b else first[a] * last[b] + first[b] * last[a])
        return total

    def curvature(self, iterate: Iterate, sites: Sites) -> FloatArray:
        """A bound of the second derivative along jets of length one, shape ``(n,)``.

        This is the Frobenius norm of the second derivatives with respect to u, u_x, ...: ``|F''(v, w)|`` is at most
        this times the lengths of the jets of v and w.
        """
        total: FloatArray = np.zeros(len(sites))
        for (a, b), curvature in zip(self._second, self._curvatures(sites, self.values(iterate, sites)), strict=True):
            total += (1.0 if a == b else 2.0) * np.abs(curvature) ** 2
        return np.sqrt(total)

    def values(self, iterate: Iterate, sites: Sites) -> NumberArray:
        """The jet of an iterate, shape ``(T, n)``."""
        values = np.asarray(iterate.evaluate_each(self.jet.operators, sites))
        if np.iscomplexobj(values):
            turned = np.array(self.jet.conjugated, dtype=bool)
            values = np.where(turned[:, None], values.conj(), values)
        return values

    @cached_property
    def _residual(self) -> Evaluate:
        return self._compiled([self.form])

    @cached_property
    def _slots(self) -> Evaluate:
        return self._compiled([slot.expression for slot in self.linear.slots])

    @cached_property
    def _second(self) -> dict[tuple[int, int], sp.Expr]:
        """Nonzero second derivatives, by the indices of two jet entries."""
        symbols = self.jet.symbols
        slopes = slopes_of(self.form, self.jet, self.what)
        pairs = combinations_with_replacement(range(len(symbols)), 2)
        found = {(a, b): slopes[symbols[a]].diff(symbols[b]) for a, b in pairs}
        return {pair: curvature for pair, curvature in found.items() if curvature != 0}

    @cached_property
    def _curvatures(self) -> Evaluate:
        return self._compiled(list(self._second.values()))

    @cached_property
    def _takes_normals(self) -> bool:
        written = self._written([slot.expression for slot in self.linear.slots])
        normals = set(normal_symbols(self.jet.setting.coordinates))
        functions = self.jet.setting.givens.callables(sp.Add(*written), self.jet.setting.coordinates)
        asking = (key for key, call in functions.items() if takes_normals(call))
        return any(e.free_symbols & normals for e in written) or any(e.has(key) for key in asking for e in written)

    def _written(self, expressions: Iterable[sp.Expr]) -> list[sp.Expr]:
        setting = self.jet.setting
        return [write_out(setting.givens.substitute(e), setting.coordinates, setting.space) for e in expressions]

    def _compiled(self, expressions: Sequence[sp.Expr]) -> Evaluate:
        setting, written = self.jet.setting, self._written(expressions)
        coordinates, normals = setting.coordinates, normal_symbols(setting.coordinates)
        known = setting.givens.callables(sp.Add(*written), coordinates)
        both = {key: of_points_and_normals(call, len(coordinates)) for key, call in known.items()}
        on_boundary = compile_together(written, (*coordinates, *normals), self.jet.symbols, both, self.what)

        def evaluate(sites: Sites, jet: NumberArray) -> list[NumberArray]:
            # without normals, nothing uses them
            outward = np.zeros_like(sites.points) if sites.normals is None else sites.normals
            return on_boundary(join_normals(sites.points, outward), jet)

        return evaluate

    def _check(self, values: NumberArray, expression: sp.Expr, iterate: Iterate, sites: Sites) -> None:
        """Refuse values that are not finite or too large; the message has those of the iterate."""
        bad = np.flatnonzero(beyond_range(values))
        if not bad.size:
            return
        here = sites.select(slice(bad[0], bad[0] + 1))
        jet = zip(self.jet.symbols, self.jet.names, self.values(iterate, here)[:, 0], strict=True)
        place = format_point(self.jet.setting.coordinates, here.points[0])
        there = ", ".join(f"{name} = {value:.6g}" for symbol, name, value in jet if expression.has(symbol))
        what = describe(expression.xreplace(self.jet.shown))
        raise IterateError(
            f"{self.what} needs {what}, which is {values[bad[0]]} at {place}, where {there} ({bad.size} of "
            f"{len(values)} points): the iterate leaves the range in which it is defined; give another guess="
        )


# ---- Uniqueness
# Smooth solutions are unique by the comparison principle of elliptic equations (Gilbarg and Trudinger, theorem 17.1)
# with values all around, by that of parabolic equations, by energies of semilinear waves, and by Picard's theorem for
# ordinary differential equations. Anything else is left open.


# Derivatives of the equation by the orders of the derivative of the unknown.
Slopes = dict[tuple[int, ...], sp.Expr]


def why_unique(problem: Problem) -> str:
    """Why a nonlinear problem has at most one solution, in words; empty if unknown."""
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
    """Elliptic equations whose terms do not grow with u against the second derivatives."""
    sign = _sign_of_second(slopes, range(dimension), dimension)
    value = sign * slopes.get((0,) * dimension, sp.S.Zero)
    if sign and max(map(sum, slopes)) == 2 and value.is_nonpositive:
        return "by the comparison principle, for no term grows with u against the second derivatives"
    return ""


def _why_evolving(slopes: Slopes, dimension: int) -> str:
    """Equations with a start: ordinary, parabolic, and semilinear waves."""
    time, space = dimension - 1, range(dimension - 1)
    in_time = max(orders[time] for orders in slopes)
    first = slopes.get(tuple(in_time * (axis == time) for axis in range(dimension)), sp.S.Zero)
    if not space:
        return "by Picard's theorem, for it is an ordinary equation with a start" if first.is_number else ""
    mixed = any(orders[time] and sum(orders) > orders[time] for orders in slopes)
    if mixed or max(map(sum, slopes)) > 2:
        return ""
    sign = _sign_of_second(slopes, space, dimension)
    if not (first.is_negative if sign == 1 else first.is_positive if sign == -1 else False):
        return ""
    if in_time == 1:
        return "for it is parabolic, with a start"
    if all(slope.is_number for orders, slope in slopes.items() if sum(orders) == 2):
        return "for it is a wave equation with terms of lower order, with a start"
    return ""


def _sign_of_second(slopes: Slopes, axes: range, dimension: int) -> int:
    """The sign of the matrix of second derivatives along `axes` if it is surely definite, otherwise zero."""

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
