"""Expressions in the unknown and its derivatives, made ready to be evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray
from fspielm.equations import NormalDerivative, Operator, Problem
from fspielm.equations.givens import Givens, read_givens
from fspielm.equations.linear import linear_operator
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.expressions import NONLOCAL, Field, PointFunction, evaluate_derivatives, make_field


@final
@dataclass(frozen=True, eq=False)
class LocalExpression:
    """Functions of the coordinates and of some derivatives of the unknown, at the same point.

    Attributes
    ----------
    operators : tuple of T Operators
        The derivatives.
    fields : tuple of k Fields
        Their arguments are the coordinates, then the derivatives.
    on_boundary : bool
        Whether derivatives along the normal are among them.
    """

    operators: tuple[Operator, ...]
    fields: tuple[Field, ...]
    on_boundary: bool

    def values(self, points: FloatArray, derivatives: FloatArray) -> FloatArray:
        """Values ``(k, n)`` at `points` ``(n, d)``, from those of the derivatives ``(T, n)``."""
        arguments = np.column_stack([points, derivatives.T])
        return np.stack([field(arguments) for field in self.fields])


def read_expressions(
    problem: Problem, expressions: tuple[Any, ...], given: Mapping[Any, Any] | None, what: str
) -> LocalExpression:
    """Check the expressions, and split them into derivatives of the unknown and functions of those."""
    givens = _joined(problem.givens, read_givens(given))
    givens.check_coordinates(problem.unknown)
    written = [_checked(as_expression(e, what), problem.unknown, givens, what) for e in expressions]
    atoms = sorted(set().union(*(_atoms(e, problem.unknown) for e in written)), key=str)
    setting = Setting(problem.unknowns, givens, problem.domain)
    operators = tuple(linear_operator({a: sp.S.One}, setting, what, normals=True) for a in atoms)
    stand_ins = {atom: sp.Dummy(str(atom), real=True) for atom in atoms}
    arguments = (*problem.coordinates, *stand_ins.values())
    fields = []
    for expression in written:
        functions = givens.callables(expression, problem.coordinates)
        first = {key: _of_coordinates(call, problem.dimension) for key, call in functions.items()}
        fields.append(make_field(expression.xreplace(stand_ins), arguments, first, what=what))
    return LocalExpression(operators, tuple(fields), any(isinstance(a, NormalDerivative) for a in atoms))


def as_expression(value: Any, what: str) -> sp.Expr:
    """A number or an expression, as an expression."""
    try:
        expression = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError):
        expression = None
    if not isinstance(expression, sp.Expr) or isinstance(value, bool):
        raise ProblemError(
            f"{what} must be a SymPy expression in the unknown, its derivatives and the coordinates, such as u**2; "
            f"got {value!r}"
        )
    return expression


def _checked(expression: sp.Expr, unknown: AppliedUndef, givens: Givens, what: str) -> sp.Expr:
    """The expression with the given numbers put in and derivatives carried out."""
    written: sp.Expr = evaluate_derivatives(givens.substitute(expression))
    for term in written.atoms(*NONLOCAL):
        if term.has(unknown.func):
            raise ProblemError(f"{what} contains {term}, which takes {unknown} at other places than the point itself")
    for function in sorted(written.atoms(AppliedUndef), key=str):
        if function.func.__name__ == unknown.func.__name__ and function != unknown:
            raise ProblemError(
                f"{what} contains {function}, but the unknown is {unknown}, of these very symbols; values at other "
                "places are solution(points)"
            )
    for derivative in sorted(written.atoms(NormalDerivative), key=str):
        if not derivative.has(unknown):
            raise ProblemError(f"{what} contains {derivative}, but only the unknown {unknown} has a normal_derivative")
    strange = sorted(written.free_symbols - set(unknown.args), key=str)
    if strange:
        alike = str(strange[0]) in map(str, unknown.args)
        raise ProblemError(
            f"{what} contains the symbol {strange[0]}, which is neither a coordinate "
            f"({', '.join(map(str, unknown.args))}) nor given; "
            + (
                f"SymPy symbols of one name but different assumptions (real=True) are different: use one {strange[0]}"
                if alike
                else f"supply a value, as in given={{{strange[0]}: 1.0}}"
            )
        )
    return written


def _atoms(expression: sp.Expr, unknown: AppliedUndef) -> set[sp.Expr]:
    """The derivatives of the unknown that the expression is made of, the unknown itself among them."""
    normal: set[sp.Expr] = expression.atoms(NormalDerivative)
    plain = expression.xreplace({atom: sp.Dummy() for atom in normal})
    derivatives = {atom for atom in plain.atoms(sp.Derivative) if atom.expr == unknown}
    bare = plain.xreplace({atom: sp.Dummy() for atom in derivatives}).has(unknown)
    return normal | derivatives | ({unknown} if bare else set())


def _of_coordinates(call: PointFunction, dimension: int) -> PointFunction:
    """A given callable, which gets the coordinates alone."""
    return lambda arguments: call(np.ascontiguousarray(arguments[:, :dimension]))


def _joined(stated: Givens, more: Givens) -> Givens:
    return Givens(
        stated.symbols | more.symbols,
        stated.functions | more.functions,
        stated.applied | more.applied,
        stated.derivatives | more.derivatives,
        stated.inner | more.inner,
    )
