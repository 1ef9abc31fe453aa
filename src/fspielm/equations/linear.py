"""From a SymPy equation to a linear operator and a right-hand side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.affine import NonlinearTermError, split_affine
from fspielm.equations.borders import Extent
from fspielm.equations.givens import Givens
from fspielm.equations.jumps import refuse_jumps
from fspielm.equations.normal import NormalDerivative
from fspielm.equations.operator import Operator, along_normal, field_coefficient
from fspielm.equations.setting import known_field
from fspielm.errors import ProblemError
from fspielm.expressions import NONLOCAL, Field, describe, evaluate_derivatives, flaw, is_zero, make_field
from fspielm.geometry import Domain


@dataclass(frozen=True, eq=False)
class LinearEquation:
    """``operator(unknown) = right_hand_side`` in the coordinates, read from a SymPy equation."""

    unknown: AppliedUndef
    coordinates: tuple[sp.Symbol, ...]
    operator: Operator
    right_hand_side: Field


def read_equation(equation: sp.Basic, givens: Givens, domain: Domain | None = None) -> LinearEquation:
    """Read an `Eq`, or an expression meant to be zero, as a linear equation for its one unknown function.

    Jumps of coefficients are looked for in the domain, the unit cube if there is none.
    """
    written = residual_form(equation)
    unknown = find_unknown(written, givens)
    givens.check_coordinates(unknown)
    coordinates: tuple[sp.Symbol, ...] = unknown.args
    if written.has(NormalDerivative):
        raise ProblemError(
            f"the equation {describe(equation)} contains a normal_derivative, which has a meaning on a boundary alone; "
            "write it in an fs.Condition"
        )
    parts, rest = linear_parts(evaluate_derivatives(givens.substitute(written)), unknown)
    coefficients = {_orders(atom, unknown): coefficient for atom, coefficient in parts.items()}
    if not any(any(orders) for orders in coefficients):
        raise ProblemError(
            f"the equation contains no derivative of {unknown}, so it is not a differential equation: "
            f"{describe(equation)}"
        )
    refuse_jumps(coefficients, givens, _extent(coordinates, domain))
    functions = givens.callables(rest, coordinates)
    return LinearEquation(
        unknown,
        coordinates,
        linear_operator(parts, unknown, givens),
        make_field(_source(rest), coordinates, functions, what="the equation's right-hand side"),
    )


def _extent(coordinates: tuple[sp.Symbol, ...], domain: Domain | None) -> Extent:
    dimension = len(coordinates)
    if domain is None or domain.dimension != dimension:  # the wrong number of coordinates is refused later
        return Extent(coordinates, np.zeros(dimension), np.ones(dimension))
    return Extent(coordinates, *domain.bounding_box)


def residual_form(equation: sp.Basic, argument: str = "equation") -> sp.Expr:
    """The expression that the equation sets to zero."""
    if isinstance(equation, bool | sp.logic.boolalg.BooleanAtom):
        raise ProblemError(
            f"{argument} is the plain truth value {equation} (what Python makes of `left == right`, and SymPy "
            "of an Eq whose sides it can compare, or one of which is infinite or nan); write sp.Eq(left, right) with "
            "the unknown in it"
        )
    sides = {"left": equation.lhs, "right": equation.rhs} if isinstance(equation, sp.Eq) else {"": equation}
    for name, side in sides.items():
        _refuse_infinite(side, f"{argument}: on its {name}-hand side, " if name else f"{argument}: ")
    expression = equation.lhs - equation.rhs if isinstance(equation, sp.Eq) else equation
    if not isinstance(expression, sp.Expr) or expression.is_Matrix:
        raise ProblemError(
            f"{argument} must be a SymPy Eq(left, right), or an expression meant to be zero; got {equation!r}"
        )
    return expression


def _refuse_infinite(side: sp.Basic, where: str) -> None:
    """Refuse a known term that is not finite: what SymPy adds to infinity is lost. Coefficients are looked at later."""
    for term in sp.Add.make_args(side) if isinstance(side, sp.Expr) else ():
        if not term.atoms(AppliedUndef) and (wrong := flaw(term)):
            raise ProblemError(f"{where}the term {describe(term)} must be finite; it contains {wrong}")


def find_unknown(expression: sp.Expr, givens: Givens) -> AppliedUndef:
    """The one undefined function in `expression` that is not given."""
    functions = givens.without_derivatives(expression).atoms(AppliedUndef)
    unknowns = sorted((f for f in functions if not givens.is_known(f)), key=str)
    shown = ", ".join(map(str, unknowns))
    names = {f.func.__name__ for f in unknowns}
    if not names:
        known = f" (its {', '.join(sorted(map(str, functions)))} is given)" if functions else ""
        raise ProblemError(f'the equation contains no unknown function{known}; write it as u = sp.Function("u")(x, y)')
    if len(names) > 1:
        raise ProblemError(
            f"the equation contains {len(names)} unknown functions ({shown}); one is solved for: "
            "supply the known ones as callables, as in given={f: callable}"
        )
    if len(set(map(str, unknowns))) < len(unknowns):
        raise ProblemError(
            f"the unknown {unknowns[0]} is written with SymPy objects of one name but different assumptions "
            "(real=True), which are different objects; define it once"
        )
    if len(unknowns) > 1:
        raise ProblemError(
            f"the unknown appears with different arguments ({shown}); write it with the same coordinates "
            "everywhere: values at other places are conditions"
        )
    unknown = unknowns[0]
    if not all(isinstance(a, sp.Symbol) for a in unknown.args) or len(set(unknown.args)) < len(unknown.args):
        raise ProblemError(f"the unknown must be a function of distinct symbols, as in u(x, y); got {unknown}")
    return unknown


def linear_parts(
    expression: sp.Expr, unknown: AppliedUndef, what: str = "the equation"
) -> tuple[dict[sp.Expr, sp.Expr], sp.Expr]:
    """Split `expression` into coefficients of the unknown's derivatives and a rest free of it.

    Returns
    -------
    parts : dict
        From the unknown, its derivatives and normal derivatives to the coefficient of each.
    rest : Expr

    Raises
    ------
    ProblemError
        If a term is not linear in the unknown, naming that term.
    """
    for term in expression.atoms(*NONLOCAL):
        if term.has(unknown):
            raise ProblemError(
                f"{what} contains the term {term}, which takes {unknown} at other places than the "
                "point itself; only differential equations can be solved"
            )
    derivatives = {d for d in expression.atoms(sp.Derivative) if d.expr == unknown} | {unknown}
    derivatives |= {d for d in expression.atoms(NormalDerivative) if d.has(unknown)}
    back = {sp.Dummy(real=True): d for d in sorted(derivatives, key=str)}
    form = expression.xreplace({d: dummy for dummy, d in back.items()})
    try:
        parts = split_affine(form, frozenset(back))
    except NonlinearTermError as error:
        raise ProblemError(
            f"{what} is not linear: the term {error.term.xreplace(back)} is not a coefficient times "
            f"{unknown} or a derivative of it; only linear equations can be solved"
        ) from None
    rest = parts.pop(sp.S.One, sp.S.Zero)
    return {back[dummy]: coefficient for dummy, coefficient in parts.items()}, rest


def linear_operator(
    parts: dict[sp.Expr, sp.Expr],
    unknown: AppliedUndef,
    givens: Givens,
    what: str = "the equation",
    space: range | None = None,
) -> Operator:
    """Compile what `linear_parts` returns into an `Operator`; normals, if any, point along the axes `space`."""
    coordinates: tuple[sp.Symbol, ...] = unknown.args
    operator = Operator(len(coordinates), ())
    for atom, expression in sorted(parts.items(), key=lambda part: _sort_key(part[0], unknown)):
        name = f"{what}'s coefficient {describe(expression)} of {_derivative_name(atom, unknown)}"
        field = known_field(expression, name, unknown, givens, space)
        normal = atom.order if isinstance(atom, NormalDerivative) else 0
        single = along_normal(len(coordinates), normal, space).after(_orders(atom, unknown))
        operator += single.times(field_coefficient(field, name))
    return operator


def _sort_key(atom: sp.Expr, unknown: AppliedUndef) -> tuple[int, tuple[int, ...]]:
    return atom.order if isinstance(atom, NormalDerivative) else 0, _orders(atom, unknown)


def _orders(atom: sp.Expr, unknown: AppliedUndef) -> tuple[int, ...]:
    """Orders of the derivative along each coordinate, beside those along the normal."""
    target = atom.function if isinstance(atom, NormalDerivative) else atom
    counts = dict(target.variable_count) if isinstance(target, sp.Derivative) else {}
    for symbol, count in counts.items():
        if not isinstance(count, sp.Integer):
            raise ProblemError(
                f"the order {count} of {target} must be a whole number; write one, or supply it, "
                f"as in given={{{count}: 2}}"
            )
        if symbol not in unknown.args:
            raise ProblemError(f"{target} is not a derivative along a coordinate of {unknown}")
    return tuple(int(counts.get(symbol, 0)) for symbol in unknown.args)


def _derivative_name(atom: sp.Expr, unknown: AppliedUndef) -> str:
    name = unknown.func.__name__
    orders = zip(unknown.args, _orders(atom, unknown), strict=True)
    along = "".join(f"{symbol}" * order for symbol, order in orders)
    along += "n" * (atom.order if isinstance(atom, NormalDerivative) else 0)
    return f"{name}_{along}" if along else name


def _source(rest: sp.Expr) -> sp.Expr:
    """The right-hand side; zero where its terms cancel: then other features serve."""
    return sp.S.Zero if is_zero(rest) else -rest
