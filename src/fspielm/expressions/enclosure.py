"""Enclosures: what an expression can be over boxes, from interval arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fspielm.arrays import FloatArray
from fspielm.expressions.compile import evaluate_derivatives, on_the_real_line
from fspielm.expressions.interval_conditions import CONDITIONS, choose
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


class _UnknownError(Exception):
    """An expression holds what cannot be enclosed."""


@dataclass(frozen=True)
class Step:
    """One operation, on earlier values by their numbers; the first values are the arguments."""

    operation: Operation
    inputs: tuple[int, ...]

    @property
    def is_constant(self) -> bool:
        """Whether it depends on nothing."""
        return not self.inputs


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
        n = len(lower)
        with np.errstate(all="ignore"):
            blocks = [
                self._block(np.stack([lower[i : i + _BOXES_AT_A_TIME].T, upper[i : i + _BOXES_AT_A_TIME].T], axis=1))
                for i in range(0, max(n, 1), _BOXES_AT_A_TIME)
            ]
        return [Intervals(*np.concatenate(parts, axis=1)) for parts in zip(*blocks, strict=True)]

    def _block(self, boxes: FloatArray) -> list[Ends]:
        values: list[Any] = [*boxes]
        for step in self.steps:
            values.append(step.operation(*[values[i] for i in step.inputs]))
        n = boxes.shape[2]
        results = [np.array(np.broadcast_to(values[i], (2, n))) for i in self.results]
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
    except _UnknownError:
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
            operation, inputs = _operation(node)
            missing = [i for i in inputs if i not in self.numbers]
            if missing:
                waiting += missing
            else:
                self.numbers[waiting.pop()] = self._append(operation, tuple(self.numbers[i] for i in inputs))
        return self.numbers[expression]

    def _append(self, operation: Operation, inputs: tuple[int, ...]) -> int:
        if len(self.steps) == _MOST_STEPS:
            raise _UnknownError
        if all(i >= self.arguments and self.steps[i - self.arguments].is_constant for i in inputs):
            with np.errstate(all="ignore"):
                value = operation(*(self.steps[i - self.arguments].operation() for i in inputs))
            operation, inputs = partial(_same, value), ()
        self.steps.append(Step(operation, inputs))
        return self.arguments + len(self.steps) - 1


def _same(value: Any) -> Any:
    return value


def _operation(node: sp.Basic) -> tuple[Operation, tuple[sp.Basic, ...]]:
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
    raise _UnknownError


def _choice(node: sp.Basic) -> tuple[Operation, tuple[sp.Basic, ...]]:
    if isinstance(node, sp.Piecewise):
        parts: tuple[sp.Basic, ...] = tuple(part for branch in node.args for part in branch.args)
        operation: Operation = choose
        conditions = parts[1::2]
    else:
        parts, operation = node.args, CONDITIONS[type(node)]
        conditions = () if isinstance(node, Relational) else parts
    if any(isinstance(c, sp.Symbol) for c in conditions):
        raise _UnknownError  # true or false, and not a coordinate
    return operation, parts


def _product(node: sp.Mul) -> tuple[Operation, tuple[sp.Basic, ...]]:
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


def _power(base: sp.Expr, exponent: sp.Expr) -> tuple[Operation, tuple[sp.Basic, ...]]:
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
        raise _UnknownError from None
    if not np.isfinite(value) or (value == 0.0) != bool(number == 0):
        raise _UnknownError
    return value


def _is_double(number: sp.Expr) -> bool:
    """Whether a number is a double, not only next to one."""
    return isinstance(number, sp.Number) and sp.Rational(number) == sp.Rational(_double(number))
