"""Enclosures: what an expression can be over boxes, from interval arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.deadline import check_deadline
from fspielm.expressions.compile import evaluate_derivatives, on_the_real_line
from fspielm.expressions.interval_functions import Operation
from fspielm.expressions.interval_operations import NoEnclosureError, operation_of, same
from fspielm.expressions.intervals import Ends, Intervals, whole_where

# Different subexpressions, beyond which an enclosure would take long and be wide.
_MOST_STEPS = 2000

# What is kept of so many boxes at a time stays in the cache.
_BOXES_AT_A_TIME = 4096


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
    except NoEnclosureError:
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
            operation, inputs = operation_of(node)
            missing = [i for i in inputs if i not in self.numbers]
            if missing:
                waiting += missing
            else:
                self.numbers[waiting.pop()] = number = self._append(operation, [self.numbers[i] for i in inputs])
                if self._is_constant(number) and isinstance(node, sp.Expr) and node.is_extended_real is False:
                    raise NoEnclosureError
        return self.numbers[expression]

    def _append(self, operation: Operation, inputs: Sequence[int]) -> int:
        if len(self.steps) == _MOST_STEPS:
            raise NoEnclosureError
        if all(map(self._is_constant, inputs)):
            with np.errstate(all="ignore"):
                value = operation(*(self.steps[i - self.arguments].operation() for i in inputs))
            operation, inputs = partial(same, value), ()
        self.steps.append(Step(operation, tuple(inputs)))
        return self.arguments + len(self.steps) - 1

    def _is_constant(self, number: int) -> bool:
        return number >= self.arguments and not self.steps[number - self.arguments].inputs
