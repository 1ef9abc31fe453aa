"""Numbers, SymPy expressions and callables, all turned into functions of a points array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TypeAlias

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.expressions.compile import compile_expression
from fspielm.expressions.finite import flaw
from fspielm.expressions.relation import same_name_hint
from fspielm.expressions.values import PointFunction, describe, evaluate, real_number

Value: TypeAlias = float | sp.Expr | PointFunction


@dataclass(frozen=True, eq=False)
class Field:
    """A real function of the points of a domain.

    Attributes
    ----------
    arguments : tuple of Symbol
        The coordinates, in the order of the columns of a points array.
    source : Expr or callable
        What the user wrote.
    constant : float or None
        The value, where it is the same everywhere and known before any point is.
    """

    arguments: tuple[sp.Symbol, ...]
    source: sp.Expr | PointFunction
    constant: float | None
    _function: PointFunction = field(repr=False)

    def __call__(self, points: FloatArray) -> FloatArray:
        """Values at `points`, shape ``(n,)``; unchecked values may be NaN or infinite."""
        if self.constant is not None:
            return np.full(len(points), self.constant)
        if len(points) == 0:
            return np.empty(0)
        return evaluate(self._function, points, self._name)

    def checked(self, points: FloatArray, what: str) -> FloatArray:
        """Values at `points`, refusing NaN and infinity by the first point that has one."""
        try:
            values = self(points)
        except ProblemError as error:
            raise ProblemError(f"{what}: {error}") from error
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            place = ", ".join(f"{s}={v:.6g}" for s, v in zip(self.arguments, points[bad[0]], strict=True))
            raise ProblemError(
                f"{what} is {values[bad[0]]} at {place} ({bad.size} of {len(points)} points are not finite); "
                f"check {self._name} there"
            )
        return values

    @cached_property
    def _name(self) -> str:
        """What the user wrote, for messages; printing an expression takes longer than evaluating it."""
        return describe(self.source)


def make_field(
    value: Value,
    arguments: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction] | None = None,
    *,
    what: str = "value",
) -> Field:
    """Turn a number, an expression in `arguments` or a callable into a `Field`.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``
    arguments : tuple of Symbol
        The coordinates.
    functions : mapping, optional
        Callables standing for the undefined functions (and their derivatives) inside an expression.
    what : str
        How error messages call this value.
    """
    check_value(value, what)
    if isinstance(value, sp.Expr):
        return _expression_field(value, arguments, functions or {}, what)
    if callable(value):
        return Field(arguments, value, None, value)
    number = sp.Integer(int(value)) if isinstance(value, int | np.integer) else sp.Float(float(value))
    return _expression_field(number, arguments, {}, what)


def check_value(value: object, what: str) -> None:
    """Refuse what is neither a number nor an expression nor a callable."""
    if isinstance(value, UndefinedFunction):
        raise ProblemError(
            f"{what} must be written with its coordinates, as in {value}(x, y); got the bare function {value}"
        )
    zero_dimensional = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu"
    number = (isinstance(value, Real) and not isinstance(value, bool)) or zero_dimensional
    symbolic = isinstance(value, sp.Basic | sp.MatrixBase)
    if number or (isinstance(value, sp.Expr) if symbolic else callable(value)):
        return
    raise ProblemError(
        f"{what} must be a real number, a SymPy expression or a callable of a points array; got {value!r}"
    )


def _expression_field(
    expression: sp.Expr,
    arguments: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction],
    what: str,
) -> Field:
    unknown = sorted(expression.free_symbols - set(arguments), key=str)
    if unknown:
        symbols, are = ("symbols", "are") if len(unknown) > 1 else ("symbol", "is")
        supply = f"; supply a value, as in given={{{unknown[0]}: 1.0}}"
        raise ProblemError(
            f"{what} contains the {symbols} {', '.join(map(str, unknown))}, which {are} neither a coordinate "
            f"({', '.join(map(str, arguments))}) nor given{same_name_hint(unknown[0], arguments) or supply}"
        )
    if expression.free_symbols or expression.atoms(AppliedUndef):
        if wrong := flaw(expression):
            raise ProblemError(f"{what} must be finite; {describe(expression)} contains {wrong}")
        function = compile_expression(expression, arguments, functions, what)
        return Field(arguments, expression, None, function)
    constant = _constant(expression, what)
    return Field(arguments, expression, constant, lambda points: np.full(len(points), constant))


def _constant(expression: sp.Expr, what: str) -> float:
    try:
        number = complex(expression.doit().evalf())
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{what}: {describe(expression)} has no numerical value") from None
    if not np.isfinite(real_number(number)):
        raise ProblemError(f"{what} must be a finite real number; {describe(expression)} is {number}")
    return real_number(number)
