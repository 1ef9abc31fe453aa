"""From SymPy expressions to linear operators and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from fspielm.arrays import FloatArray
from fspielm.equations.affine import NonlinearTermError, split_affine
from fspielm.equations.borders import Extent, find_border
from fspielm.equations.conjugates import (
    Conjugate,
    has_parts,
    nonlinear_part,
    normal_order,
    spread_conjugates,
    target_of,
)
from fspielm.equations.elsewhere import refuse_elsewhere
from fspielm.equations.givens import Givens
from fspielm.equations.normal import OF_NORMALS, NormalDerivative
from fspielm.equations.operator import Operator, along_normal, field_coefficient
from fspielm.equations.piecewise import side_of
from fspielm.equations.residual import residual_form
from fspielm.equations.setting import Rule, Setting
from fspielm.errors import ProblemError
from fspielm.expressions import Field, describe, evaluate_derivatives, is_zero, make_field

_STEPS = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.DiracDelta)
# What two branches may differ by, relative to their size.
_ROUNDING = 1e-9


class NonlinearError(ProblemError):
    """An equation or a condition, `expression` where it is set to zero, is not linear in the unknowns."""

    def __init__(self, message: str, expression: sp.Expr | None = None) -> None:
        super().__init__(message)
        self.expression = expression


def read_equation(equation: sp.Basic, setting: Setting, what: str = "the equation") -> Rule:
    """Read an `Eq`, or an expression meant to be zero, as a linear equation for the unknowns; `what` names it."""
    givens = setting.givens
    written = _written(equation) if isinstance(equation, sp.Basic) else residual_form(equation)
    if written.has(*OF_NORMALS):
        which = "a normal_derivative" if written.has(NormalDerivative) else "a normal"
        raise ProblemError(
            f"{what} {describe(equation)} contains {which}, which has a meaning on a boundary alone; "
            "write it in an fs.Condition"
        )
    parts, rest = linear_parts(evaluate_derivatives(givens.substitute(written)), setting.symbols, what)
    check_differential(parts, equation, setting, what)
    _refuse_jumps(parts, setting)
    functions = givens.callables(rest, setting.coordinates)
    source = make_field(_source(rest), setting.coordinates, functions, what=f"{what}'s right-hand side")
    return Rule(linear_operator(parts, setting, what), source)


def check_differential(atoms: Iterable[sp.Expr], equation: sp.Basic, setting: Setting, what: str) -> None:
    """Refuse an equation for one unknown without a derivative among the `atoms` that it is made of."""
    if len(setting.unknowns) == 1 and not any(any(_orders(atom, setting)) for atom in atoms):
        raise ProblemError(
            f"{what} contains no derivative of {setting.unknown}, so it is not a differential equation: "
            f"{describe(equation)}"
        )


@lru_cache(maxsize=16)  # read again for each material
def _written(equation: sp.Basic) -> sp.Expr:
    return residual_form(equation)


def linear_parts(
    expression: sp.Expr, unknowns: Sequence[AppliedUndef], what: str = "the equation"
) -> tuple[dict[sp.Expr, sp.Expr], sp.Expr]:
    """Split `expression` into coefficients of the unknowns' derivatives and a rest free of them.

    Returns
    -------
    parts : dict
        From the unknowns, their derivatives, normal derivatives, and conjugates of those to the coefficient of each.
    rest : Expr

    Raises
    ------
    NonlinearError
        If a term is not linear in the unknowns, naming that term.
    """
    written, named = expression, ", ".join(map(str, unknowns))
    refuse_elsewhere(expression, [unknown.func for unknown in unknowns], what)
    if has_parts(expression, unknowns):
        coordinates = unknowns[0].args
        expression = spread_conjugates(expression, coordinates, lambda inner: linear_parts(inner, unknowns, what))
    derivatives = {d for d in expression.atoms(sp.Derivative) if d.expr in unknowns} | set(unknowns)
    derivatives |= {d for d in expression.atoms(NormalDerivative, Conjugate) if d.has(*unknowns)}
    back = {sp.Dummy(real=True): d for d in sorted(derivatives, key=str)}
    form = expression.xreplace({d: dummy for dummy, d in back.items()})
    try:
        modulus = nonlinear_part(expression, unknowns)
        if modulus is not None:
            raise NonlinearTermError(modulus)
        parts = split_affine(form, frozenset(back))
    except NonlinearTermError as error:
        either = "or a derivative of it" if len(unknowns) == 1 else "or a derivative of one"
        term = error.term.xreplace(back)
        raise NonlinearError(
            f"{what} is not linear: the term {term} is not a coefficient times {named} {either}", written
        ) from None
    rest = parts.pop(sp.S.One, sp.S.Zero)
    return {back[dummy]: coefficient for dummy, coefficient in parts.items()}, rest


def linear_operator(
    parts: dict[sp.Expr, sp.Expr], setting: Setting, what: str = "the equation", *, normals: bool = False
) -> Operator:
    """Compile what `linear_parts` returns into an `Operator`, on a boundary where there are `normals`.

    The conjugates of unknowns have the places after those of the unknowns themselves, in the same order.
    """
    operator = Operator(setting.dimension, ())
    for atom, expression in sorted(parts.items(), key=lambda part: _sort_key(part[0], setting)):
        name = f"{what}'s coefficient {describe(expression)} of {derivative_name(atom, setting)}"
        field = setting.field(expression, name, normals=normals)
        single = along_normal(setting.dimension, normal_order(atom), setting.space).after(_orders(atom, setting))
        operator += single.on(_place(atom, setting)).times(field_coefficient(field, name))
    return operator


def coefficients_of(
    parts: dict[sp.Expr, sp.Expr], unknown: AppliedUndef, setting: Setting
) -> dict[tuple[int, ...], sp.Expr]:
    """Those of one unknown, by the orders of its derivatives."""
    return {_orders(atom, setting): c for atom, c in parts.items() if _unknown(atom) == unknown}


def _refuse_jumps(parts: dict[sp.Expr, sp.Expr], setting: Setting) -> None:
    """Refuse coefficients that jump before the highest derivatives of an unknown."""
    extent = Extent(setting.coordinates, *setting.domain.bounding_box)
    for symbol in setting.symbols:
        coefficients = coefficients_of(parts, symbol, setting)
        if any(any(orders) for orders in coefficients):
            refuse_jumps(coefficients, setting.givens, extent, setting.levels)


def _sort_key(atom: sp.Expr, setting: Setting) -> tuple[int, tuple[int, ...], int]:
    return normal_order(atom), _orders(atom, setting), _place(atom, setting)


def _place(atom: sp.Expr, setting: Setting) -> int:
    conjugate = len(setting.symbols) if isinstance(atom, Conjugate) else 0
    return conjugate + setting.symbols.index(_unknown(atom))


def _unknown(atom: sp.Expr) -> AppliedUndef:
    """What an atom is a derivative of."""
    target = target_of(atom)
    return target.expr if isinstance(target, sp.Derivative) else target


def _orders(atom: sp.Expr, setting: Setting) -> tuple[int, ...]:
    """Orders of the derivative along each coordinate, beside those along the normal."""
    target = target_of(atom)
    counts = dict(target.variable_count) if isinstance(target, sp.Derivative) else {}
    for symbol, count in counts.items():
        if not isinstance(count, sp.Integer):
            remedy = (
                "derivatives of fractional order take a function at all places, and cannot be solved for"
                if count.is_number
                else f"write one, or supply it, as in given={{{count}: 2}}"
            )
            raise ProblemError(f"the order {count} of {target} must be a whole number; {remedy}")
        if symbol not in setting.coordinates:
            raise ProblemError(f"{target} is not a derivative along a coordinate of {_unknown(atom)}")
    return tuple(int(counts.get(symbol, 0)) for symbol in setting.coordinates)


def derivative_name(atom: sp.Expr, setting: Setting) -> str:
    """How messages call an unknown, a derivative or the conjugate of one: ``u_xx``."""
    name = _unknown(atom).func.__name__
    orders = zip(setting.coordinates, _orders(atom, setting), strict=True)
    along = "".join(f"{symbol}" * order for symbol, order in orders)
    along += "n" * normal_order(atom)
    shown = f"{name}_{along}" if along else name
    return f"conjugate({shown})" if isinstance(atom, Conjugate) else shown


def _source(rest: sp.Expr) -> sp.Expr:
    """The right-hand side; zero where its terms cancel: then other features serve."""
    return sp.S.Zero if is_zero(rest) else -rest


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
