"""What functions of points return, checked, also with outward normals."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sympy.core.function import UndefinedFunction

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError, blame

# ---- What functions of points return, checked; and how messages name what the user gave


PointFunction = Callable[[FloatArray], ArrayLike]

# An imaginary part below this share of the largest value is rounding, not a complex function.
_IMAGINARY_ROUNDING = 1e-12


_BY_SOLVER: ContextVar[bool] = ContextVar("by_solver", default=False)


def called_by_solver() -> bool:
    """Whether a function of the user's is being evaluated: solutions in it go on beyond their domains."""
    return _BY_SOLVER.get()


def describe(source: Any) -> str:
    """How a message names what the user gave: the expression, or the callable's name."""
    if isinstance(source, sp.Basic):
        text = str(source)
        return text if len(text) <= 120 else text[:117] + "..."
    if callable(source):
        return f"the callable {getattr(source, '__name__', repr(source))}"
    return repr(source)


def bare_hint(value: object) -> str:
    """What to add to a message where a function was written without its coordinates."""
    remedy = f': a function without its coordinates; write {value} = sp.Function("{value}")(x, y), and use that'
    return remedy if isinstance(value, UndefinedFunction) else ""


def evaluate(function: PointFunction, points: FloatArray, who: str) -> NumberArray:
    """Values of `function` at `points`, shape ``(n,)``; `who` names it where it returns something else.

    Complex where imaginary parts are more than rounding. The function gets a copy: one that changes its argument in
    place must not move the caller's points.
    """
    n = len(points)
    before = _BY_SOLVER.set(True)
    try:
        result = function(points.copy())
    except TypeError as error:
        if "loop of ufunc" in str(error):  # in NumPy's words: "... does not support argument 0 of type Symbol"
            raise ProblemError(
                f"{who} applies a function of NumPy to a SymPy expression ({error}); take the columns of its argument, "
                "as in lambda p: np.sin(p[:, 0]), or give the expression itself, sp.sin(x)"
            ) from error
        # what goes wrong inside is the callable's own; what goes wrong at its door is a misunderstanding
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            blame(error, who)
            raise
        raise ProblemError(
            f"{who} is called with one array of points, shape ({n}, {points.shape[1]}), and returns one value for "
            f"each; it refused ({error})"
        ) from error
    except Exception as error:
        blame(error, who)
        raise
    finally:
        _BY_SOLVER.reset(before)
    try:
        array = np.asarray(result)
        if array.dtype.kind not in "fiubc":
            hint = "; give a SymPy expression itself, without a function" if array.dtype.kind == "O" else ""
            raise TypeError(f"got values of type {array.dtype}{hint}")
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{who} must return numbers: {error}") from error
    if array.dtype.kind == "c" and is_real(array):
        array = array.real
    dtype = np.complex128 if array.dtype.kind == "c" else np.float64
    if array.shape == ():
        return np.full(n, array, dtype=dtype)
    if array.shape != (n,):
        table = array.ndim == 2 and array.shape[1] > 1 and len(array) == n
        hint = "; values for several unknowns are a dictionary, as in {u: f, v: g}" if table else ""
        raise ProblemError(
            f"{who} must return one value per point, shape ({n},) for {n} points; got shape {array.shape}{hint}"
        )
    return np.ascontiguousarray(array, dtype=dtype)


def real_number(number: complex) -> float:
    """The real part of `number` if the rest is rounding, NaN if it is not."""
    return number.real if abs(number.imag) <= _IMAGINARY_ROUNDING * abs(number) else np.nan


def simplest_number(number: complex) -> complex:
    """`number` as a real one where its imaginary part is rounding."""
    real = real_number(number)
    return number if np.isnan(real) else real


def is_real(values: NumberArray) -> bool:
    """Whether the imaginary parts are rounding, or absent."""
    if not np.iscomplexobj(values):
        return True
    finite = values[np.isfinite(values)]
    return bool(not finite.size or np.abs(finite.imag).max() <= _IMAGINARY_ROUNDING * np.abs(finite).max())


# ---- Functions of points and outward normals, and both side by side as the columns of one array


NormalFunction = Callable[[FloatArray, FloatArray], ArrayLike]


def takes_normals(function: Callable[..., Any]) -> bool:
    """Whether a callable asks for the normals beside the points: it has exactly two arguments that it needs."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built in, and silent about its arguments
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters) == 2


def beside(points: FloatArray, normals: FloatArray) -> FloatArray:
    """Points ``(n, d)`` and their normals ``(n, d)`` as one array ``(n, 2 d)``."""
    return np.column_stack([points, normals])


def of_both(function: Callable[..., Any], dimension: int) -> PointFunction:
    """The same function of points and normals side by side; one of the points alone gets only those."""
    both = takes_normals(function)

    def apart(columns: FloatArray) -> Any:
        points, normals = (np.ascontiguousarray(half) for half in np.split(columns, [dimension], axis=1))
        return function(points, normals) if both else function(points)

    return apart
