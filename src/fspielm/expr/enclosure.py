"""Enclosures of expressions over boxes, by interval arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, final

import numpy as np
import scipy
import sympy as sp
from sympy.core.relational import Relational

from fspielm.arrays import BoolArray, FloatArray
from fspielm.expr.functions import MOST_NODES, evaluate_derivatives, on_the_real_line
from fspielm.numerics.tolerances import ROUNDING
from fspielm.resources import check_deadline

# ---- Interval arithmetic on arrays of intervals
# An array of intervals is one array of *ends*, shape ``(2, n)``: the lower ends, then the upper ends. A constant has
# shape ``(2, 1)``. No lower end is +inf and no upper end -inf, so that sums of ends are never NaN.
#
# Results are rounded outward by a few units of the last place, more than NumPy's errors. Ends closer to zero than
# 1e-290 are moved to 1e-290 or to zero, so that underflow loses nothing.

Ends = FloatArray

# The relative error of NumPy's functions (up to four units of the last place by vector instructions) and of products.
_ROUNDING = 1.5e-15

# Most values of a narrow bump are practically zero, and arithmetic with denormal numbers is a hundred times slower.
_SMALL = 1e-290

_LARGEST = float(np.finfo(np.float64).max)
_OUTWARD = np.array([[-1.0], [1.0]])
_WHOLE = np.array([[-np.inf], [np.inf]])


@final
@dataclass(frozen=True)
class Intervals:
    """Intervals ``[lower, upper]``, shape ``(n,)`` each; ends may be infinite and are never NaN."""

    lower: FloatArray
    upper: FloatArray


def widened(ends: Ends, share: float = _ROUNDING) -> Ends:
    """Move `ends` outward, in place, by a `share` of themselves; zero stays zero."""
    lower, upper = ends
    # an overflow may be anywhere beyond the largest double
    np.minimum(lower, _LARGEST, out=lower)
    np.maximum(upper, -_LARGEST, out=upper)
    margin = np.abs(ends)
    small = (margin < _SMALL) & (margin > 0.0)
    if small.any():
        outward = _OUTWARD[np.nonzero(small)[0], 0]
        ends[small] = np.where(ends[small] * outward > 0.0, _SMALL * outward, 0.0)
        np.abs(ends, out=margin)
    margin *= share
    lower -= margin[0]
    upper += margin[1]
    return ends


def whole_where(ends: Ends, mask: BoolArray) -> Ends:
    """Replace `ends`, in place, by the whole line where `mask` holds."""
    if mask.any():
        ends[:, mask] = _WHOLE
    return ends


def _keep_signs(ends: Ends, negative: BoolArray, positive: BoolArray) -> None:
    """Replace ends that underflow made zero, in place, by the signs of the values inside."""
    np.copyto(ends[0], -_SMALL, where=(ends[0] == 0.0) & negative)
    np.copyto(ends[1], _SMALL, where=(ends[1] == 0.0) & positive)


def constant(value: float, exact: bool) -> Ends:
    """The enclosure of one number."""
    ends = np.full((2, 1), value)
    return ends if exact else widened(ends)


def add(*terms: Ends) -> Ends:
    """The sum."""
    # term by term: the error is a share of each partial sum, and the last one may be much the smallest
    return reduce(lambda a, b: widened(a + b), terms)


def negate(a: Ends) -> Ends:
    """``-a``."""
    return -a[::-1]


def scale(factor: float, a: Ends) -> Ends:
    """`a` times a finite, nonzero number that equals `factor` to rounding."""
    if factor == 1.0:
        return a
    if factor == -1.0:
        return negate(a)
    signed = a if factor > 0 else negate(a)
    ends = signed * abs(factor)
    if not ends.all():
        _keep_signs(ends, signed[0] < 0.0, signed[1] > 0.0)
    return widened(ends)


def multiply(a: Ends, b: Ends) -> Ends:
    """The product: its ends are among the four products of ends."""
    first, second = a[0] * b, a[1] * b
    ends = _hull(first, second)
    if np.isnan(ends).any():
        # zero times an infinite end, which is not attained
        first[np.isnan(first)] = 0.0
        second[np.isnan(second)] = 0.0
        ends = _hull(first, second)
    if not ends.all():
        (a_negative, b_negative), (a_positive, b_positive) = (a[0] < 0.0, b[0] < 0.0), (a[1] > 0.0, b[1] > 0.0)
        negative = (a_negative & b_positive) | (a_positive & b_negative)
        _keep_signs(ends, negative, (a_negative & b_negative) | (a_positive & b_positive))
    return widened(ends)


def _hull(first: FloatArray, second: FloatArray) -> Ends:
    """From the least to the largest of four numbers, two in each argument."""
    ends = np.empty_like(first)
    np.min(np.minimum(first, second), axis=0, out=ends[0])
    np.max(np.maximum(first, second), axis=0, out=ends[1])
    return ends


def reciprocal(a: Ends) -> Ends:
    """``1 / a``: the whole line if zero is inside, one infinite end if zero is an end."""
    ends = 1.0 / a[::-1]
    ends[0, a[1] == 0.0] = -np.inf  # whatever the sign of the zero
    ends[1, a[0] == 0.0] = np.inf
    inside = (a[0] <= 0.0) & (a[1] >= 0.0) & ((a[0] == 0.0) == (a[1] == 0.0))
    return whole_where(widened(ends), inside)


def magnitude(a: Ends) -> Ends:
    """``|a|``."""
    return np.maximum(np.maximum(a, negate(a)), 0.0)


def integer_power(exponent: int, a: Ends) -> Ends:
    """``a ** exponent``, of any sign."""
    if exponent < 0:
        return reciprocal(integer_power(-exponent, a))
    if exponent < 2:
        return a if exponent else np.ones_like(a)
    power = base = magnitude(a) if exponent % 2 == 0 else a
    for digit in f"{exponent:b}"[1:]:
        power = power * power
        if digit == "1":
            power = power * base
    if not power.all():
        _keep_signs(power, base[0] < 0.0, base[1] > 0.0)
    # one rounding of half a unit for each factor
    return widened(power, _ROUNDING + 1.2e-16 * exponent)


# ---- Functions of SymPy on arrays of intervals
# Arguments are cut to the real domain of a function; if nothing is left, the result is the whole line.

Operation = Callable[..., Any]


def _rising(function: Operation, lowest: float = -np.inf, highest: float = np.inf) -> Operation:
    """An increasing function with the domain ``[lowest, highest]``, by its ends."""

    def operation(a: Ends) -> Ends:
        if lowest == -np.inf and highest == np.inf:
            return widened(function(a))
        return whole_where(widened(function(np.clip(a, lowest, highest))), (a[1] < lowest) | (a[0] > highest))

    return operation


def _of(outer: Operation, inner: Operation) -> Operation:
    """The composition of two functions."""
    return lambda a: outer(inner(a))


def _never_zero(ends: Ends, share: float = _ROUNDING) -> Ends:
    """Widen values of a positive function, in place; underflow may have made them zero."""
    np.maximum(ends[1], _SMALL, out=ends[1])
    return widened(ends, share)


def exponential(a: Ends) -> Ends:
    """``exp(a)``."""
    return _never_zero(np.exp(a))


logarithm = _rising(np.log, 0.0)


def real_power(exponent: float, a: Ends) -> Ends:
    """``a ** exponent`` for ``a >= 0`` and a double that is no integer."""
    if exponent < 0:
        return reciprocal(real_power(-exponent, a))
    cut = np.maximum(a, 0.0)
    ends = np.sqrt(cut) if exponent == 0.5 else np.power(cut, exponent)
    ends[1, (ends[1] == 0.0) & (a[1] > 0.0)] = _SMALL
    return whole_where(widened(ends), a[1] < 0.0)


def power(base: Ends, exponent: Ends) -> Ends:
    """``base ** exponent``, also of a negative base, since the exponent may be an integer."""
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
    """`a` in units of the period `length`, minus `origin` (in these units), with slack for rounding."""
    turns = a / length - origin
    slack: Ends = (1e-15 + 1e-15 * np.abs(turns)) * _OUTWARD
    return turns + slack


def _wave(function: Operation, crest: float, a: Ends) -> Ends:
    """Sine or cosine: the values at both ends, and at crests (`crest` periods from zero) and troughs in between."""
    values, turns = function(a), _periods(a, 2 * np.pi, crest)
    ends = widened(np.stack([values.min(axis=0), values.max(axis=0)]))
    ends[0, _holds_integer(turns - 0.5)] = -1.0
    ends[1, _holds_integer(turns)] = 1.0
    return np.clip(ends, -1.0, 1.0)


_sine, _cosine = partial(_wave, np.sin, 0.25), partial(_wave, np.cos, 0.0)


def _tangent(a: Ends) -> Ends:
    return whole_where(widened(np.tan(a)), _holds_integer(_periods(a, np.pi, 0.5)))


def _angle(y: Ends, x: Ends) -> Ends:
    """``atan2(y, x)``: all angles if the box meets the cut, otherwise those between its corners."""
    y, x = y + 0.0, x + 0.0  # no negative zeros
    corners = np.stack([np.arctan2(v, u) for v in y for u in x])
    ends = widened(np.stack([corners.min(axis=0), corners.max(axis=0)]))
    cut = (y[0] < 0.0) & (y[1] >= 0.0) & (x[0] <= 0.0)
    ends[:, cut] = constant(np.pi, exact=False)[1] * _OUTWARD
    return ends


_reciprocal_first = partial(_of, inner=reciprocal)
_reciprocal_last = partial(_of, reciprocal)
_hyperbolic_cosine = _of(_rising(np.cosh), magnitude)
_arc_cosine = _of(_rising(lambda a: np.arccos(-a), -1.0, 1.0), negate)

_FUNCTIONS: dict[type[sp.Basic], Operation] = {
    sp.exp: exponential,
    sp.log: logarithm,
    sp.Abs: magnitude,
    sp.sign: np.sign,
    sp.floor: np.floor,
    sp.ceiling: np.ceil,
    sp.Max: lambda *ends: reduce(np.maximum, ends),
    sp.Min: lambda *ends: reduce(np.minimum, ends),
    sp.sin: _sine,
    sp.cos: _cosine,
    sp.tan: _tangent,
    sp.cot: lambda a: _tangent(add(constant(np.pi / 2, exact=False), negate(a))),
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
    # SciPy loads its special functions at their first use
    sp.erf: _rising(lambda a: scipy.special.erf(a)),
    # Cephes' `erfc` has relative errors up to 6e-14 for large arguments
    sp.erfc: lambda a: _never_zero(scipy.special.erfc(a[::-1]), ROUNDING),
}


# ---- Enclosures of expressions over boxes
# A condition is an array of shape ``(2, n)``: the first row tells where it holds in the whole box, the second where it
# may hold somewhere in the box.

# The values of this number of boxes fit into the cache.
_BOXES_AT_A_TIME = 4096
_Formula = tuple[Operation, tuple[sp.Basic, ...]]


class _NoEnclosureError(Exception):
    """Something in an expression cannot be enclosed."""


def _operation_of(node: sp.Basic) -> _Formula:
    """The operation of a node, and the nodes it takes."""
    kind = type(node)
    if kind is sp.Add:
        return add, node.args
    if kind is sp.Mul:
        return _product(node)
    if kind is sp.Pow:
        return _power(node.base, node.exp)
    if kind in _FUNCTIONS:
        return _FUNCTIONS[kind], node.args
    if kind in _CONDITIONS or kind is sp.Piecewise:
        return _choice(node)
    if kind is sp.Heaviside and node.args[1].is_Number and 0 <= node.args[1] <= 1:
        at_zero = float(node.args[1])
        return lambda a: np.heaviside(a, at_zero), node.args[:1]
    if node in (sp.true, sp.false):
        return partial(np.full, (2, 1), bool(node)), ()
    if isinstance(node, sp.Number | sp.NumberSymbol):
        return partial(constant, _double(node), _is_double(node)), ()
    raise _NoEnclosureError


def _identity(value: Any) -> Any:
    return value


def _choice(node: sp.Basic) -> _Formula:
    if isinstance(node, sp.Piecewise):
        parts: tuple[sp.Basic, ...] = tuple(part for branch in node.args for part in branch.args)
        operation: Operation = _choose
        conditions = parts[1::2]
    else:
        parts, operation = node.args, _CONDITIONS[type(node)]
        conditions = () if isinstance(node, Relational) else parts
    if any(isinstance(c, sp.Symbol) for c in conditions):
        raise _NoEnclosureError  # true or false, and not a coordinate
    return operation, parts


def _product(node: sp.Mul) -> _Formula:
    bases = [f.as_base_exp()[0] for f in node.args]
    if len(set(bases)) < len(bases):
        # SymPy turns an unevaluated x*x into a power, whose enclosure is narrower
        gathered = sp.Mul(*node.args)
        if gathered != node:
            return _identity, (gathered,)
    factor, factors = (node.args[0], node.args[1:]) if node.args[0].is_Number else (sp.S.One, node.args)
    return partial(_scaled_product, _double(factor)), factors


def _scaled_product(factor: float, *factors: Ends) -> Ends:
    return scale(factor, reduce(multiply, factors))


def _power(base: sp.Expr, exponent: sp.Expr) -> _Formula:
    if not exponent.is_number:
        return power, (base, exponent)
    if isinstance(exponent, sp.Number) and _is_double(exponent):
        value = _double(exponent)
        operation = partial(integer_power, int(value)) if value.is_integer() else partial(real_power, value)
        return operation, (base,)
    return positive_power, (base, exponent)


def _double(number: sp.Expr) -> float:
    """The double nearest to a number within their range."""
    try:
        value = float(number)
    except (TypeError, OverflowError):  # complex infinity; too large
        raise _NoEnclosureError from None
    if not np.isfinite(value) or (value == 0.0) != bool(number == 0):
        raise _NoEnclosureError
    return value


def _is_double(number: sp.Expr) -> bool:
    """Whether a number is exactly a double."""
    return isinstance(number, sp.Number) and sp.Rational(number) == sp.Rational(_double(number))


def _less(a: Ends, b: Ends) -> BoolArray:
    return a[::-1] < b


def _at_most(a: Ends, b: Ends) -> BoolArray:
    return a[::-1] <= b


def _equal(a: Ends, b: Ends) -> BoolArray:
    return _at_most(a, b) & _at_most(b, a)


_CONDITIONS: dict[type[sp.Basic], Callable[..., BoolArray]] = {
    sp.Lt: _less,
    sp.Le: _at_most,
    sp.Gt: lambda a, b: _less(b, a),
    sp.Ge: lambda a, b: _at_most(b, a),
    sp.Eq: _equal,
    sp.Ne: lambda a, b: ~_equal(a, b)[::-1],
    sp.Not: lambda a: ~a[::-1],
    sp.And: lambda *conditions: reduce(np.logical_and, conditions),
    sp.Or: lambda *conditions: reduce(np.logical_or, conditions),
}


def _choose(*branches: Ends | BoolArray) -> Ends:
    """The values of a ``Piecewise``: value, condition, value, condition, ...

    The hull of the branches that may be the first whose condition holds; the whole line if there is none.
    """
    values, conditions = branches[0::2], branches[1::2]
    n = np.broadcast_shapes(*(b.shape for b in branches))[1]
    ends = np.stack([np.full(n, np.inf), np.full(n, -np.inf)])
    undecided = np.ones(n, dtype=np.bool_)
    for value, (certain, possible) in zip(values, conditions, strict=True):
        here = undecided & possible
        ends[0] = np.where(here, np.minimum(ends[0], value[0]), ends[0])
        ends[1] = np.where(here, np.maximum(ends[1], value[1]), ends[1])
        undecided &= ~certain
    return whole_where(ends, ends[0] > ends[1])


@dataclass(frozen=True)
class Step:
    """One operation, with the indices of its inputs among the arguments and the results of earlier steps."""

    operation: Operation
    inputs: tuple[int, ...]


@final
@dataclass(frozen=True)
class Enclosure:
    """Expressions compiled by `enclose` for evaluation over boxes, each subexpression once."""

    dimension: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]

    def __call__(self, lower: FloatArray, upper: FloatArray) -> list[Intervals]:
        """For each expression, intervals that contain its values over each box.

        Parameters
        ----------
        lower, upper : array (n, d)
            Corners of the boxes, with ``lower <= upper``.
        """
        starts = range(0, max(len(lower), 1), _BOXES_AT_A_TIME)
        with np.errstate(all="ignore"):
            blocks = [self._block(lower[i : i + _BOXES_AT_A_TIME], upper[i : i + _BOXES_AT_A_TIME]) for i in starts]
        return [Intervals(*np.concatenate(parts, axis=1)) for parts in zip(*blocks, strict=True)]

    def _block(self, lower: FloatArray, upper: FloatArray) -> list[Ends]:
        check_deadline()
        # contiguous ends make all operations several times faster
        values: list[Any] = [np.array(ends, dtype=np.float64) for ends in zip(lower.T, upper.T, strict=True)]
        for step in self.steps:
            values.append(step.operation(*[values[i] for i in step.inputs]))
        results = [np.array(np.broadcast_to(values[i], (2, len(lower)))) for i in self.results]
        return [whole_where(ends, np.isnan(ends).any(axis=0)) for ends in results]


def enclose(expressions: Sequence[sp.Expr], arguments: Sequence[sp.Symbol]) -> Enclosure | None:
    """Compile expressions for evaluation over boxes.

    Parameters
    ----------
    expressions : sequence of Expr
    arguments : sequence of Symbol
        The coordinates, in the order of a box's columns; real.

    Returns
    -------
    Enclosure or None
        None if an expression has functions without an enclosure (undefined or special ones, distributions, anything
        complex), symbols that are no arguments, or too many subexpressions.
    """
    program = _Program(arguments)
    try:
        results = tuple(program.index_of(_without_derivatives(sp.sympify(e), arguments)) for e in expressions)
    except _NoEnclosureError:
        return None
    return Enclosure(len(arguments), tuple(program.steps), results)


def _without_derivatives(expression: sp.Expr, arguments: Sequence[sp.Symbol]) -> sp.Expr:
    """The expression with unevaluated derivatives carried out."""
    if not expression.has(sp.Derivative, sp.Subs, sp.UnevaluatedExpr):
        return expression
    evaluated, real = on_the_real_line(evaluate_derivatives(expression), arguments)
    # back to the arguments, so that expressions share subexpressions
    return evaluated.xreplace({new: old for old, new in real.items()})


class _Program:
    """Steps under construction, one for each different subexpression."""

    def __init__(self, arguments: Sequence[sp.Symbol]) -> None:
        self.arguments = len(arguments)
        self.numbers: dict[sp.Basic, int] = {a: i for i, a in enumerate(arguments)}
        self.steps: list[Step] = []

    def index_of(self, expression: sp.Basic) -> int:
        """The index of an expression's value, after appending its new steps."""
        waiting = [expression]  # without recursion, whose depth is limited
        while waiting:
            node = waiting[-1]
            if node in self.numbers:
                waiting.pop()
                continue
            operation, inputs = _operation_of(node)
            missing = [i for i in inputs if i not in self.numbers]
            if missing:
                waiting += missing
            else:
                self.numbers[waiting.pop()] = number = self._append(operation, [self.numbers[i] for i in inputs])
                if self._is_constant(number) and isinstance(node, sp.Expr) and node.is_extended_real is False:
                    raise _NoEnclosureError
        return self.numbers[expression]

    def _append(self, operation: Operation, inputs: Sequence[int]) -> int:
        if len(self.steps) == MOST_NODES:
            raise _NoEnclosureError
        if all(map(self._is_constant, inputs)):
            with np.errstate(all="ignore"):
                value = operation(*(self.steps[i - self.arguments].operation() for i in inputs))
            operation, inputs = partial(_identity, value), ()
        self.steps.append(Step(operation, tuple(inputs)))
        return self.arguments + len(self.steps) - 1

    def _is_constant(self, number: int) -> bool:
        return number >= self.arguments and not self.steps[number - self.arguments].inputs
