"""From a SymPy equation to a linear operator and a right-hand side."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray
from fspielm.equations.affine import NonlinearTermError, split_affine
from fspielm.equations.givens import Givens
from fspielm.equations.jumps import refuse_jumps
from fspielm.equations.operator import Coefficient, Operator, Term
from fspielm.errors import ProblemError
from fspielm.expressions import NONLOCAL, Field, describe, evaluate_derivatives, make_field
from fspielm.geometry import Sites


@dataclass(frozen=True, eq=False)
class LinearEquation:
    """``operator(unknown) = right_hand_side`` in the coordinates, read from a SymPy equation."""

    unknown: AppliedUndef
    coordinates: tuple[sp.Symbol, ...]
    operator: Operator
    right_hand_side: Field


def read_equation(equation: sp.Basic, givens: Givens) -> LinearEquation:
    """Read an `Eq`, or an expression meant to be zero, as a linear equation for its one unknown function."""
    written = residual_form(equation)
    unknown = find_unknown(written, givens)
    givens.check_coordinates(unknown)
    coordinates: tuple[sp.Symbol, ...] = unknown.args
    coefficients, rest = linear_form(evaluate_derivatives(givens.substitute(written)), unknown)
    if not any(any(orders) for orders in coefficients):
        raise ProblemError(
            f"the equation contains no derivative of {unknown}, so it is not a differential equation: "
            f"{describe(equation)}"
        )
    refuse_jumps(coefficients, coordinates)
    return LinearEquation(
        unknown,
        coordinates,
        make_operator(coefficients, unknown, givens),
        make_field(-rest, coordinates, givens.callables(rest, coordinates), what="the equation's right-hand side"),
    )


def residual_form(equation: sp.Basic) -> sp.Expr:
    """The expression that the equation sets to zero."""
    if isinstance(equation, bool | sp.logic.boolalg.BooleanAtom):
        raise ProblemError(
            f"equation is the plain truth value {equation} (what Python makes of `left == right`, and SymPy "
            "of an Eq whose sides it can compare); write sp.Eq(left, right) with the unknown in it"
        )
    expression = equation.lhs - equation.rhs if isinstance(equation, sp.Eq) else equation
    if not isinstance(expression, sp.Expr) or expression.is_Matrix:
        raise ProblemError(
            f"equation must be a SymPy Eq(left, right), or an expression meant to be zero; got {equation!r}"
        )
    return expression


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


def linear_form(expression: sp.Expr, unknown: AppliedUndef) -> tuple[dict[tuple[int, ...], sp.Expr], sp.Expr]:
    """Split `expression` into coefficients of the unknown's derivatives and a rest free of it.

    Returns
    -------
    coefficients : dict
        From derivative orders along each coordinate to the coefficient.
    rest : Expr

    Raises
    ------
    ProblemError
        If a term is not linear in the unknown, naming that term.
    """
    for term in expression.atoms(*NONLOCAL):
        if term.has(unknown):
            raise ProblemError(
                f"the equation contains the term {term}, which takes {unknown} at other places than the "
                "point itself; only differential equations can be solved"
            )
    derivatives = {d for d in expression.atoms(sp.Derivative) if d.expr == unknown} | {unknown}
    back = {sp.Dummy(real=True): d for d in sorted(derivatives, key=str)}
    form = expression.xreplace({d: dummy for dummy, d in back.items()})
    try:
        parts = split_affine(form, frozenset(back))
    except NonlinearTermError as error:
        raise ProblemError(
            f"the equation is not linear: the term {error.term.xreplace(back)} is not a coefficient times "
            f"{unknown} or a derivative of it; only linear equations can be solved"
        ) from None
    rest = parts.pop(sp.S.One, sp.S.Zero)
    return {_orders(back[dummy], unknown): coefficient for dummy, coefficient in parts.items()}, rest


def make_operator(coefficients: dict[tuple[int, ...], sp.Expr], unknown: AppliedUndef, givens: Givens) -> Operator:
    """Compile symbolic coefficients into an `Operator`."""
    coordinates: tuple[sp.Symbol, ...] = unknown.args
    terms = []
    for orders, expression in sorted(coefficients.items()):
        what = f"the equation's coefficient {describe(expression)} of {_derivative_name(orders, unknown)}"
        field = make_field(expression, coordinates, givens.callables(expression, coordinates), what=what)
        coefficient: Coefficient = field.constant if field.constant is not None else _FieldCoefficient(field, what)
        terms.append(Term(coefficient, orders))
    return Operator(len(coordinates), tuple(terms))


@dataclass(frozen=True, eq=False)
class _FieldCoefficient:
    field: Field
    what: str

    def __call__(self, sites: Sites) -> FloatArray:
        return self.field.checked(sites.points, self.what)


def _orders(target: sp.Expr, unknown: AppliedUndef) -> tuple[int, ...]:
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


def _derivative_name(orders: tuple[int, ...], unknown: AppliedUndef) -> str:
    name = unknown.func.__name__
    along = "".join(f"{symbol}" * order for symbol, order in zip(unknown.args, orders, strict=True))
    return f"{name}_{along}" if along else name
