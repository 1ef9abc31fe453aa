"""Enclosures: what an expression can be over boxes, from interval arithmetic.

A condition is an array of shape ``(2, n)``: true in the first row where it holds in the whole of a box, and in the
second where it may hold somewhere in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fspielm.arrays import BoolArray, FloatArray
from fspielm.deadline import check_deadline
from fspielm.expressions.compile import evaluate_derivatives, on_the_real_line
from fspielm.expressions.interval_functions import (
    FUNCTIONS,
    Operation,
    positive_power,
    power,
    real_power,
    step_function,
)
from fspielm.expressions.intervals import Ends, Intervals, add, constant, integer_power, multiply, scale, whole_where

# Different subexpressions, beyond which an enclosure would take long and be wide.
_MOST_STEPS = 2000
# What is kept of so many boxes at a time stays in the cache.
_BOXES_AT_A_TIME = 4096
_Formula = tuple[Operation, tuple[sp.Basic, ...]]


class _NoEnclosureError(Exception):
    """An expression holds what cannot be enclosed."""


def _operation_of(node: sp.Basic) -> _Formula:
    """How the value of a node follows from those of others."""
    kind = type(node)
    if kind is sp.Add:
        return add, node.args
    if kind is sp.Mul:
        return _product(node)
    if kind is sp.Pow:
        return _power(node.base, node.exp)
    if kind in FUNCTIONS:
        return FUNCTIONS[kind], node.args
    if kind in CONDITIONS or kind is sp.Piecewise:
        return _choice(node)
    if kind is sp.Heaviside and node.args[1].is_Number and 0 <= node.args[1] <= 1:
        return partial(step_function, float(node.args[1])), node.args[:1]
    if node in (sp.true, sp.false):
        return partial(np.full, (2, 1), bool(node)), ()
    if isinstance(node, sp.Number | sp.NumberSymbol):
        return partial(constant, _double(node), _is_double(node)), ()
    raise _NoEnclosureError


def _same(value: Any) -> Any:
    """The value itself."""
    return value


def _choice(node: sp.Basic) -> _Formula:
    if isinstance(node, sp.Piecewise):
        parts: tuple[sp.Basic, ...] = tuple(part for branch in node.args for part in branch.args)
        operation: Operation = _choose
        conditions = parts[1::2]
    else:
        parts, operation = node.args, CONDITIONS[type(node)]
        conditions = () if isinstance(node, Relational) else parts
    if any(isinstance(c, sp.Symbol) for c in conditions):
        raise _NoEnclosureError  # true or false, and not a coordinate
    return operation, parts


def _product(node: sp.Mul) -> _Formula:
    bases = [f.as_base_exp()[0] for f in node.args]
    if len(set(bases)) < len(bases):
        # x*x, left unevaluated: SymPy makes it a power, whose range is known better
        gathered = sp.Mul(*node.args)
        if gathered != node:
            return _same, (gathered,)
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
    """The nearest double of a number that is not beyond their range."""
    try:
        value = float(number)
    except (TypeError, OverflowError):  # complex infinity; too large
        raise _NoEnclosureError from None
    if not np.isfinite(value) or (value == 0.0) != bool(number == 0):
        raise _NoEnclosureError
    return value


def _is_double(number: sp.Expr) -> bool:
    """Whether a number is a double, not only next to one."""
    return isinstance(number, sp.Number) and sp.Rational(number) == sp.Rational(_double(number))


def _less(a: Ends, b: Ends) -> BoolArray:
    return a[::-1] < b


def _at_most(a: Ends, b: Ends) -> BoolArray:
    return a[::-1] <= b


def _equal(a: Ends, b: Ends) -> BoolArray:
    return _at_most(a, b) & _at_most(b, a)


def _not(a: BoolArray) -> BoolArray:
    return ~a[::-1]


def _all(*conditions: BoolArray) -> BoolArray:
    return reduce(np.logical_and, conditions)


def _any(*conditions: BoolArray) -> BoolArray:
    return reduce(np.logical_or, conditions)


CONDITIONS: dict[type[sp.Basic], Callable[..., BoolArray]] = {
    sp.Lt: _less,
    sp.Le: _at_most,
    sp.Gt: lambda a, b: _less(b, a),
    sp.Ge: lambda a, b: _at_most(b, a),
    sp.Eq: _equal,
    sp.Ne: lambda a, b: _not(_equal(a, b)),
    sp.Not: _not,
    sp.And: _all,
    sp.Or: _any,
}


def _choose(*branches: Ends | BoolArray) -> Ends:
    """The values of a ``Piecewise``: value, condition, value, condition, ...

    The hull of the branches that may be the first whose condition holds; the whole line where there is none.
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
    """One operation, on earlier values by their numbers: the arguments, then the results of steps."""

    operation: Operation
    inputs: tuple[int, ...]


@final
@dataclass(frozen=True)
class Enclosure:
    """Expressions that can be evaluated over boxes, each subexpression once; made by `enclose`."""

    dimension: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]

    def __call__(self, lower: FloatArray, upper: FloatArray) -> list[Intervals]:
        """For each expression, intervals that hold all its values over each box.

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
        # ends side by side in memory: everything computed from them will be like that, and several times as fast
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
        None where an expression holds a function that has no enclosure here (an undefined or special one, a
        distribution, anything complex), a symbol that is no argument, or too much.
    """
    program = _Program(arguments)
    try:
        results = tuple(program.number_of(_carried_out(sp.sympify(e), arguments)) for e in expressions)
    except _NoEnclosureError:
        return None
    return Enclosure(len(arguments), tuple(program.steps), results)


def _carried_out(expression: sp.Expr, arguments: Sequence[sp.Symbol]) -> sp.Expr:
    """The expression without unevaluated derivatives."""
    if not expression.has(sp.Derivative, sp.Subs, sp.UnevaluatedExpr):
        return expression
    evaluated, real = on_the_real_line(evaluate_derivatives(expression), arguments)
    # back, so that expressions share what they have in common
    return evaluated.xreplace({new: old for old, new in real.items()})


class _Program:
    """Steps under construction, one for each different subexpression."""

    def __init__(self, arguments: Sequence[sp.Symbol]) -> None:
        self.arguments = len(arguments)
        self.numbers: dict[sp.Basic, int] = {a: i for i, a in enumerate(arguments)}
        self.steps: list[Step] = []

    def number_of(self, expression: sp.Basic) -> int:
        """The number of an expression's value, its steps appended where they are new."""
        waiting = [expression]  # not by recursion, which has a limit
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
        if len(self.steps) == _MOST_STEPS:
            raise _NoEnclosureError
        if all(map(self._is_constant, inputs)):
            with np.errstate(all="ignore"):
                value = operation(*(self.steps[i - self.arguments].operation() for i in inputs))
            operation, inputs = partial(_same, value), ()
        self.steps.append(Step(operation, tuple(inputs)))
        return self.arguments + len(self.steps) - 1

    def _is_constant(self, number: int) -> bool:
        return number >= self.arguments and not self.steps[number - self.arguments].inputs
