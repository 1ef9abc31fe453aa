"""The operation on intervals that stands for a node of a SymPy expression."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fspielm.expressions.interval_conditions import CONDITIONS, choose
from fspielm.expressions.interval_functions import (
    FUNCTIONS,
    Operation,
    positive_power,
    power,
    real_power,
    step_function,
)
from fspielm.expressions.intervals import Ends, add, constant, integer_power, multiply, scale

_Formula = tuple[Operation, tuple[sp.Basic, ...]]


class NoEnclosureError(Exception):
    """An expression holds what cannot be enclosed."""


def operation_of(node: sp.Basic) -> _Formula:
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
    raise NoEnclosureError


def same(value: Any) -> Any:
    """The value itself."""
    return value


def _choice(node: sp.Basic) -> _Formula:
    if isinstance(node, sp.Piecewise):
        parts: tuple[sp.Basic, ...] = tuple(part for branch in node.args for part in branch.args)
        operation: Operation = choose
        conditions = parts[1::2]
    else:
        parts, operation = node.args, CONDITIONS[type(node)]
        conditions = () if isinstance(node, Relational) else parts
    if any(isinstance(c, sp.Symbol) for c in conditions):
        raise NoEnclosureError  # true or false, and not a coordinate
    return operation, parts


def _product(node: sp.Mul) -> _Formula:
    bases = [f.as_base_exp()[0] for f in node.args]
    if len(set(bases)) < len(bases):
        # x*x, left unevaluated: SymPy makes it a power, whose range is known better
        gathered = sp.Mul(*node.args)
        if gathered != node:
            return same, (gathered,)
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
        raise NoEnclosureError from None
    if not np.isfinite(value) or (value == 0.0) != bool(number == 0):
        raise NoEnclosureError
    return value


def _is_double(number: sp.Expr) -> bool:
    """Whether a number is a double, not only next to one."""
    return isinstance(number, sp.Number) and sp.Rational(number) == sp.Rational(_double(number))
