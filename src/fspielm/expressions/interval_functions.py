"""The functions of SymPy on arrays of intervals.

Outside of its real domain a function has no value: an argument is cut to the domain, and where nothing is left of it
the result is the whole line.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy
import sympy as sp

from fspielm.arrays import BoolArray
from fspielm.expressions.intervals import (
    FUNCTION,
    OUTWARD,
    SMALL,
    Ends,
    add,
    constant,
    greatest,
    least,
    magnitude,
    multiply,
    negate,
    reciprocal,
    whole_where,
    widened,
)

Operation = Callable[..., Any]

# Of `erfc` far out, by Cephes: a relative error of up to 6e-14.
_FAR_OUT = 2e-13


def _rising(function: Operation, lowest: float = -np.inf, highest: float = np.inf) -> Operation:
    """An increasing function with the domain ``[lowest, highest]``, by its ends."""

    def operation(a: Ends) -> Ends:
        if lowest == -np.inf and highest == np.inf:
            return widened(function(a))
        return whole_where(widened(function(np.clip(a, lowest, highest))), (a[1] < lowest) | (a[0] > highest))

    return operation


def _exact(function: Operation) -> Operation:
    """An increasing function with values that are doubles."""
    return lambda a: function(a)


def _of(outer: Operation, inner: Operation) -> Operation:
    """The one after the other; sharp, for each takes the other's range as it is."""
    return lambda a: outer(inner(a))


def _never_zero(ends: Ends, share: float = FUNCTION) -> Ends:
    """Values of a positive function, which are overwritten, some of them zero by underflow."""
    np.maximum(ends[1], SMALL, out=ends[1])
    return widened(ends, share)


def exponential(a: Ends) -> Ends:
    """``exp(a)``."""
    return _never_zero(np.exp(a))


logarithm = _rising(np.log, 0.0)


def real_power(exponent: float, a: Ends) -> Ends:
    """``a ** exponent`` for ``a >= 0`` and an exponent that is a double but no integer."""
    if exponent < 0:
        return reciprocal(real_power(-exponent, a))
    cut = np.maximum(a, 0.0)
    ends = np.sqrt(cut) if exponent == 0.5 else np.power(cut, exponent)
    ends[1, (ends[1] == 0.0) & (a[1] > 0.0)] = SMALL
    return whole_where(widened(ends), a[1] < 0.0)


def power(base: Ends, exponent: Ends) -> Ends:
    """``base ** exponent``; a negative base is raised, too, for the exponent may be an integer."""
    ends = positive_power(magnitude(base), exponent)
    ends[0] = np.where(base[0] < 0.0, -ends[1], ends[0])
    return ends


def positive_power(base: Ends, exponent: Ends) -> Ends:
    """``base ** exponent`` for ``base >= 0``."""
    ends = exponential(multiply(exponent, logarithm(base)))
    return whole_where(ends, np.broadcast_to(base[1] < 0.0, ends[1].shape))


def _holds_integer(a: Ends) -> BoolArray:
    return np.asarray(np.floor(a[1]) >= np.ceil(a[0]))


def _periods(a: Ends, length: float, origin: float) -> Ends:
    """`a` in periods from an origin, itself in periods, to rounding."""
    turns = a / length - origin
    slack: Ends = (1e-15 + 1e-15 * np.abs(turns)) * OUTWARD
    return turns + slack


def _wave(function: Operation, crest: float, a: Ends) -> Ends:
    """Sine or cosine: the values at both ends, and the crests (`crest` periods from zero) and troughs between."""
    values, turns = function(a), _periods(a, 2 * np.pi, crest)
    ends = widened(np.stack([values.min(axis=0), values.max(axis=0)]))
    ends[0, _holds_integer(turns - 0.5)] = -1.0
    ends[1, _holds_integer(turns)] = 1.0
    return np.clip(ends, -1.0, 1.0)


_sine, _cosine = partial(_wave, np.sin, 0.25), partial(_wave, np.cos, 0.0)


def _tangent(a: Ends) -> Ends:
    return whole_where(widened(np.tan(a)), _holds_integer(_periods(a, np.pi, 0.5)))


def _cotangent(a: Ends) -> Ends:
    return _tangent(add(constant(np.pi / 2, exact=False), negate(a)))


def _angle(y: Ends, x: Ends) -> Ends:
    """``atan2(y, x)``: all angles where the box meets the cut, the angles of its corners elsewhere."""
    y, x = y + 0.0, x + 0.0  # no negative zeros
    corners = np.stack([np.arctan2(v, u) for v in y for u in x])
    ends = widened(np.stack([corners.min(axis=0), corners.max(axis=0)]))
    cut = (y[0] < 0.0) & (y[1] >= 0.0) & (x[0] <= 0.0)
    ends[:, cut] = constant(np.pi, exact=False)[1] * OUTWARD
    return ends


_reciprocal_first = partial(_of, inner=reciprocal)
_reciprocal_last = partial(_of, reciprocal)
_hyperbolic_cosine = _of(_rising(np.cosh), magnitude)
_arc_cosine = _of(_rising(lambda a: np.arccos(-a), -1.0, 1.0), negate)

FUNCTIONS: dict[type[sp.Basic], Operation] = {
    sp.exp: exponential,
    sp.log: logarithm,
    sp.Abs: magnitude,
    sp.sign: _exact(np.sign),
    sp.floor: _exact(np.floor),
    sp.ceiling: _exact(np.ceil),
    sp.Max: greatest,
    sp.Min: least,
    sp.sin: _sine,
    sp.cos: _cosine,
    sp.tan: _tangent,
    sp.cot: _cotangent,
    sp.sec: _reciprocal_last(_cosine),
    sp.csc: _reciprocal_last(_sine),
    sp.asin: _rising(np.arcsin, -1.0, 1.0),
    sp.acos: _arc_cosine,
    sp.atan: _rising(np.arctan),
    sp.atan2: _angle,
    sp.acot: _reciprocal_first(_rising(np.arctan)),
    sp.asec: _reciprocal_first(_arc_cosine),
    sp.acsc: _reciprocal_first(_rising(np.arcsin, -1.0, 1.0)),
    sp.sinh: _rising(np.sinh),
    sp.cosh: _hyperbolic_cosine,
    sp.tanh: _rising(np.tanh),
    sp.sech: _reciprocal_last(_hyperbolic_cosine),
    sp.csch: _reciprocal_last(_rising(np.sinh)),
    sp.coth: _reciprocal_last(_rising(np.tanh)),
    sp.asinh: _rising(np.arcsinh),
    sp.acosh: _rising(np.arccosh, 1.0),
    sp.atanh: _rising(np.arctanh, -1.0, 1.0),
    sp.acoth: _reciprocal_first(_rising(np.arctanh, -1.0, 1.0)),
    sp.asech: _reciprocal_first(_rising(np.arccosh, 1.0)),
    sp.acsch: _reciprocal_first(_rising(np.arcsinh)),
    # SciPy's special functions are not loaded before they are used
    sp.erf: _rising(lambda a: scipy.special.erf(a)),
    sp.erfc: lambda a: _never_zero(scipy.special.erfc(a[::-1]), _FAR_OUT),
}


def step_function(at_zero: float, a: Ends) -> Ends:
    """``Heaviside(a, at_zero)`` with a value at zero between zero and one."""
    return np.heaviside(a, at_zero)
