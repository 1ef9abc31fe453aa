"""A coordinate along a parametric curve and its derivative, from a SymPy expression or a callable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.expressions.numeric import numeric_function
from fspielm.geometry.antiderivative import Function
from fspielm.geometry.interpolant import differentiate

Coordinate: TypeAlias = sp.Expr | Callable[[FloatArray], Any]


def as_coordinate(value: object, argument: str) -> Coordinate:
    """Return `value` as a SymPy expression in at most one symbol or as a callable, or say what is wrong."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return sp.sympify(value)
    if isinstance(value, sp.Expr):
        unknown = sorted(map(str, value.atoms(AppliedUndef)))
        if unknown:
            raise ProblemError(f"{argument} must be a known function; got {', '.join(unknown)} in it: give a callable")
        return value
    if callable(value):
        return value
    raise ProblemError(
        f"{argument} must be a SymPy expression in the parameter, such as cos(t), or a callable of it; got {value!r}"
    )


def coordinate_functions(
    coordinate: Coordinate, derivative: Callable[[FloatArray], Any] | None, breaks: Sequence[float], argument: str
) -> tuple[Function, Function]:
    """Values and derivatives of a coordinate: both map parameters ``(n,)`` to ``(n,)``.

    The derivative of an expression is SymPy's; that of a callable is `derivative` where given, otherwise that of its
    interpolant between `breaks`.
    """
    if isinstance(coordinate, sp.Expr):
        return _compile(coordinate, 0, argument), _compile(coordinate, 1, argument)
    value = _checked(coordinate, argument)
    if derivative is not None:
        return value, _checked(derivative, f"{argument}, its derivative")
    return value, differentiate(value, breaks, what=argument)


@lru_cache(maxsize=128)
def _compile(expression: sp.Expr, order: int, argument: str) -> Function:
    """Return the derivative of that order as a function of the parameter; compiling takes long, hence kept."""
    real = sp.Dummy("t", real=True)  # SymPy differentiates |sin(t)| only if it knows that t is real
    body = expression.xreplace(dict.fromkeys(expression.free_symbols, real)).diff(real, order)
    function = numeric_function([real], body, argument)

    def evaluate(t: FloatArray) -> FloatArray:
        values = np.asarray(function(t))
        _refuse_complex(values, argument)
        return np.array(np.broadcast_to(values, t.shape), dtype=np.float64)  # a constant comes back as one number

    return evaluate


def _checked(function: Callable[[FloatArray], Any], argument: str) -> Function:
    """The callable, its values checked at every call."""

    def evaluate(t: FloatArray) -> FloatArray:
        values = np.asarray(function(t))
        if values.shape != t.shape:
            raise ProblemError(
                f"{argument} must map parameters of shape (n,) to values of the same shape; "
                f"got shape {values.shape} for {t.shape}"
            )
        _refuse_complex(values, argument)
        return values.astype(np.float64)

    return evaluate


def _refuse_complex(values: np.ndarray[Any, Any], argument: str) -> None:
    if values.dtype.kind not in "fiu":
        raise ProblemError(f"{argument} must be a real function; its values are {values.dtype}")
