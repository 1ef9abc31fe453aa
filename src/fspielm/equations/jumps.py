"""Coefficients that jump: SymPy differentiates them without the jump, which would be lost without a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fspielm.arrays import FloatArray
from fspielm.equations.borders import Extent, find_border
from fspielm.equations.givens import Givens
from fspielm.equations.piecewise import side_of
from fspielm.errors import ProblemError
from fspielm.expressions import Field, describe, make_field

_STEPS = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.DiracDelta)
# What two branches may differ by, relative to their size.
_ROUNDING = 1e-9


def refuse_jumps(
    coefficients: Mapping[tuple[int, ...], sp.Expr],
    givens: Givens,
    extent: Extent,
    levels: frozenset[sp.Expr] = frozenset(),
) -> None:
    """Refuse a coefficient of the highest derivatives that jumps somewhere else than on interfaces.

    ``(a u')'`` with a jump in ``a`` means that the flux ``a u'`` is continuous; expanded by SymPy to
    ``a u'' + a' u'`` that is gone, and a smooth function would "solve" it. Lower coefficients may jump. On interfaces,
    where one of `levels` is zero, the flux is prescribed.
    """
    order = max(sum(orders) for orders in coefficients)
    for orders, coefficient in coefficients.items():
        leading = sum(orders) == order and _jumps(coefficient, givens, extent, levels)
        if leading or coefficient.has(sp.DiracDelta):
            steps = coefficient.atoms(*_STEPS) - coefficient.atoms(sp.DiracDelta)
            instead = "write an sp.Piecewise, across whose borders the flux continues, " if steps else ""
            raise ProblemError(
                f"the coefficient {describe(coefficient)} jumps; what happens there is lost when derivatives are "
                f"expanded: {instead}make it smooth over a short distance (a tanh), or split the domain"
            )


def _jumps(expression: sp.Expr, givens: Givens, extent: Extent, levels: frozenset[sp.Expr]) -> bool:
    if any(step.free_symbols & set(extent.coordinates) for step in expression.atoms(*_STEPS)):
        return True
    return any(_piecewise_jumps(piece, givens, extent, levels) for piece in expression.atoms(sp.Piecewise))


def _piecewise_jumps(piecewise: sp.Piecewise, givens: Givens, extent: Extent, levels: frozenset[sp.Expr]) -> bool:
    """Whether neighbouring branches differ where their condition changes over."""

    def field(expression: sp.Expr) -> Field:
        functions = givens.callables(expression, extent.coordinates)
        return make_field(expression, extent.coordinates, functions, what=f"the coefficient {describe(piecewise)}")

    for (first, condition), (second, _) in pairwise(piecewise.args):
        branches = [field(first), field(second)]
        for side in _sides(condition, extent, levels):
            border = find_border(field(side), extent)
            # where no border can be found: better refused than lost
            if border is None or _differ(branches, border, extent.probes):
                return True
    return False


def _sides(condition: sp.Basic, extent: Extent, levels: frozenset[sp.Expr]) -> Iterator[sp.Expr]:
    """What changes its sign where the condition changes over, but for interfaces."""
    for relation in sorted(condition.atoms(Relational), key=str):
        border = side_of(relation)
        if border is not None and border[0] in levels:
            continue
        side = relation.lhs - relation.rhs
        if side.free_symbols & set(extent.coordinates):
            yield side


def _differ(branches: list[Field], border: tuple[FloatArray, FloatArray], elsewhere: FloatArray) -> bool:
    """Whether two branches differ at a border, by more than rounding and than each of them varies across it."""
    before, after, usual = (np.stack([branch(places) for branch in branches]) for places in (*border, elsewhere))
    size = max(np.abs(values[np.isfinite(values)]).max(initial=0.0) for values in (before, after, usual))
    # a branch such as sin(x)/x may have no value at the border itself, but has one beside it
    gaps = np.fmin(np.abs(before[0] - before[1]), np.abs(after[0] - after[1]))
    varied = np.nansum(np.abs(before - after), axis=0)
    return not np.all(gaps <= _ROUNDING * size + varied)
