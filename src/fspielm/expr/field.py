"""Numbers, SymPy expressions and callables, all turned into functions of a points array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Complex
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.arrays import LARGEST, FloatArray, NumberArray, beyond_range
from fspielm.deadline import check_deadline
from fspielm.errors import IterateError, ProblemError
from fspielm.expr.compile import (
    NormalFunction,
    PointFunction,
    beside,
    compile_expression,
    constant_value,
    describe,
    evaluate,
    flaw,
    of_both,
    same_name_hint,
    takes_normals,
)

# Functions of real numbers that are complex.
_COMPLEX = (sp.hankel1, sp.hankel2, sp.hn1, sp.hn2, sp.expint, sp.Ynm)

Value: TypeAlias = complex | sp.Expr | PointFunction | NormalFunction


@dataclass(frozen=True, eq=False)
class Field:
    """A function, real or complex, of the points of a domain, or of those of its boundary and the normals there.

    Attributes
    ----------
    arguments : tuple of Symbol
        The coordinates, in the order of the columns of a points array.
    source : Expr or callable
        What the user wrote.
    constant : number or None
        The value, where it is the same everywhere and known before any point is.
    needs_normals : bool
        Whether it has values on a boundary alone, where there are normals.
    """

    arguments: tuple[sp.Symbol, ...]
    source: sp.Expr | PointFunction | NormalFunction
    constant: complex | None
    _function: PointFunction = field(repr=False)
    needs_normals: bool = False

    def __call__(self, points: FloatArray, normals: FloatArray | None = None) -> NumberArray:
        """Values at `points`, shape ``(n,)``; unchecked values may be NaN or infinite."""
        if self.constant is not None:
            return np.full(len(points), self.constant)
        if len(points) == 0:
            return np.empty(0)
        check_deadline()
        if not self.needs_normals:
            return evaluate(self._function, points, self._name)
        if normals is None:
            raise ProblemError(f"{self._name} depends on the normal, which there is none of; use it on a boundary")
        return evaluate(self._function, beside(points, normals), self._name)

    @property
    def is_formula(self) -> bool:
        """Whether it is made of known functions alone: cheap to ask, and defined wherever those are."""
        return isinstance(self.source, sp.Expr) and not self.source.atoms(AppliedUndef)

    @property
    def is_surely_real(self) -> bool:
        """Whether it has no complex values, as can be seen without asking for any."""
        if self.constant is not None:
            return not isinstance(self.constant, complex)
        return self.is_formula and isinstance(self.source, sp.Expr) and not self.source.has(sp.I, *_COMPLEX)

    @property
    def unweighted(self) -> Field:
        """What varies as the data do: without what a condition was multiplied with for the sake of its rows."""
        return self

    def checked(self, points: FloatArray, what: str, normals: FloatArray | None = None) -> NumberArray:
        """Values at `points`, refusing NaN and infinity by the first point that has one."""
        try:
            values = self(points, normals)
        except ProblemError as error:
            kind = IterateError if isinstance(error, IterateError) else ProblemError
            raise kind(f"{what}: {error}") from error
        bad = np.flatnonzero(beyond_range(values))
        if bad.size:
            place = ", ".join(f"{s}={v:.6g}" for s, v in zip(self.arguments, points[bad[0]], strict=True))
            wrong = f"beyond {LARGEST:g}" if np.isfinite(values[bad[0]]) else "not finite"
            raise ProblemError(
                f"{what} is {values[bad[0]]} at {place} ({bad.size} of {len(points)} points are {wrong}); "
                f"{self._advice(complex(values[bad[0]]))}"
            )
        return values

    def _advice(self, value: complex) -> str:
        """What to do about a value that is not finite, or too large."""
        if np.isfinite(value):
            return "state the problem in other units"
        pieces = self.source.atoms(sp.Piecewise) if isinstance(self.source, sp.Expr) else ()
        if np.isnan(value) and any(piecewise.args[-1][1] != sp.true for piecewise in pieces):
            return f"no condition of {self._name} holds there: end the Piecewise with a piece for the rest, (..., True)"
        return f"check {self._name} there"

    @cached_property
    def _name(self) -> str:
        """What the user wrote, for messages; printing an expression takes longer than evaluating it."""
        name = describe(self.source)
        if self.needs_normals and not isinstance(self.source, sp.Expr):
            return f"{name} (of two arguments, which are the points and the outward normals)"
        return name


def make_field(
    value: Value,
    arguments: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction] | None = None,
    *,
    what: str = "value",
    normals: tuple[sp.Symbol, ...] = (),
) -> Field:
    """Turn a number, an expression in `arguments` or a callable into a `Field`.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``
        A callable that needs two arguments gets the outward normals ``(n, d)`` as the second.
    arguments : tuple of Symbol
        The coordinates.
    functions : mapping, optional
        Callables standing for the undefined functions (and their derivatives) inside an expression.
    what : str
        How error messages call this value.
    normals : tuple of Symbol, optional
        What stands for the components of the normal in expressions; none where there is no normal.
    """
    check_value(value, what)
    if isinstance(value, sp.Expr):
        return _expression_field(value, arguments, functions or {}, what, normals)
    if callable(value):
        function: Any = value
        if takes_normals(function):
            _check_normals(normals, f"{what} is {describe(function)}, which")
            return Field(arguments, function, None, of_both(function, len(arguments)), needs_normals=True)
        return Field(arguments, function, None, function)
    return _expression_field(_as_number(value), arguments, {}, what)


def check_value(value: object, what: str) -> None:
    """Refuse what is neither a number nor an expression nor a callable."""
    if isinstance(value, UndefinedFunction):
        raise ProblemError(
            f"{what} must be written with its coordinates, as in {value}(x, y); got the bare function {value}"
        )
    zero_dimensional = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiuc"
    number = (isinstance(value, Complex) and not isinstance(value, bool)) or zero_dimensional
    symbolic = isinstance(value, sp.Basic | sp.MatrixBase)
    if number or (isinstance(value, sp.Expr) if symbolic else callable(value)):
        return
    several = isinstance(value, list | tuple | sp.MatrixBase | np.ndarray)
    hint = "; values for several unknowns are a dictionary, as in {u: 0, v: 1}" if several else ""
    raise ProblemError(
        f"{what} must be a number, a SymPy expression or a callable of a points array; got {value!r}{hint}"
    )


def _as_number(value: Any) -> sp.Expr:
    """A plain number as SymPy's."""
    if isinstance(value, int | np.integer):
        return sp.Integer(int(value))
    if isinstance(value, complex | np.complexfloating) or (isinstance(value, np.ndarray) and value.dtype.kind == "c"):
        number = complex(value)
        return sp.Float(number.real) + sp.I * sp.Float(number.imag)
    return sp.Float(float(value))


def _expression_field(
    expression: sp.Expr,
    arguments: tuple[sp.Symbol, ...],
    functions: Mapping[sp.Expr, PointFunction],
    what: str,
    normals: tuple[sp.Symbol, ...] = (),
) -> Field:
    unknown = sorted(expression.free_symbols - {*arguments, *normals}, key=str)
    if unknown:
        symbols, are = ("symbols", "are") if len(unknown) > 1 else ("symbol", "is")
        supply = f"; supply a value, as in given={{{unknown[0]}: 1.0}}"
        raise ProblemError(
            f"{what} contains the {symbols} {', '.join(map(str, unknown))}, which {are} neither a coordinate "
            f"({', '.join(map(str, arguments))}) nor given{same_name_hint(unknown[0], arguments) or supply}"
        )
    varies = bool(expression.free_symbols or expression.atoms(AppliedUndef))
    if varies and (wrong := flaw(expression)):
        raise ProblemError(f"{what} must be finite; {describe(expression)} contains {wrong}")
    asking = [key for key, function in functions.items() if expression.has(key) and takes_normals(function)]
    if asking:
        _check_normals(normals, f"{what} contains {asking[0]}, the callable for which")
    if asking or expression.free_symbols & set(normals):
        both = {key: of_both(function, len(arguments)) for key, function in functions.items()}
        function = compile_expression(expression, (*arguments, *normals), both, what)
        return Field(arguments, expression, None, function, needs_normals=True)
    if varies:
        function = compile_expression(expression, arguments, functions, what)
        return Field(arguments, expression, None, function)
    constant = constant_value(expression, what)
    return Field(arguments, expression, constant, lambda points: np.full(len(points), constant))


def _check_normals(normals: tuple[sp.Symbol, ...], subject: str) -> None:
    if not normals:
        raise ProblemError(
            f"{subject} takes two arguments, points and outward normals; but there are normals on a boundary alone: "
            "write a function of the points"
        )
