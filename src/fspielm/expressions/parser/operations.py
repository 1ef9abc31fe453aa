"""Functions of scalars, choices between them, and comparisons."""

from __future__ import annotations

import cmath
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from fspielm.expressions.parser.functions import FUNCTIONS, ORDERED, PARTS, Function
from fspielm.expressions.parser.limits import BESSEL_ORDER, COMPARISONS, RefusalError
from fspielm.expressions.parser.quantities import Scalar, Truth, check_bits, join

# What exp(n*log(a*x)) may raise a number to: SymPy makes a power of it.
_LOG_FACTOR = 1000

_SIGNS: dict[str, tuple[Callable[[Any, Any], bool], Any]] = {
    "=": (operator.eq, sp.Eq),
    "==": (operator.eq, sp.Eq),
    "!=": (operator.ne, sp.Ne),
    "<": (operator.lt, sp.Lt),
    "<=": (operator.le, sp.Le),
    ">": (operator.gt, sp.Gt),
    ">=": (operator.ge, sp.Ge),
}


def apply_function(name: str, arguments: Sequence[Scalar], coordinates: Iterable[sp.Symbol]) -> Scalar:
    """A function of the table, at `arguments`, where `coordinates` are real."""
    function = FUNCTIONS[name]
    if any(argument.unknown for argument in arguments) and not function.smooth:
        raise RefusalError(f"{name} of the unknown has jumps; write tanh(f/0.01), for one, in its place")
    if function.real:
        _check_real(name, arguments)
    if name in ORDERED:
        _check_order(name, arguments[0])
    value = _value(name, [argument.value for argument in arguments])
    if name == "exp":
        if value == 0:
            return Scalar(sp.S.Zero, 0.0)  # below double precision, and SymPy could take long to know better
        return join(_exponential(arguments[0]), arguments, value)
    # the value first: gamma(10**9) is refused, and not computed digit by digit
    if value is not None:
        join(sp.S.One, arguments, value)
    return join(_symbolic(function, arguments, coordinates), arguments, value)


def _value(name: str, numbers: Sequence[complex | None]) -> complex | None:
    """The value at numbers, where all of them are known."""
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    kind = complex if any(isinstance(number, complex) for number in known) else float
    with np.errstate(all="ignore"):
        value: complex = kind(FUNCTIONS[name].numeric(*known))
    if cmath.isnan(value):
        raise RefusalError(f"{name} has no real value there" if kind is float else f"{name} has no value there")
    return value


def _symbolic(function: Function, arguments: Sequence[Scalar], coordinates: Iterable[sp.Symbol]) -> sp.Expr:
    expressions = [argument.expression for argument in arguments]
    plain = function.symbolic is sp.Abs and not any(e.has(sp.I, *PARTS) for e in expressions)
    if function.symbolic not in PARTS or plain:
        return function.symbolic(*expressions)
    real = {symbol: sp.Dummy(symbol.name, real=True) for symbol in coordinates}
    back = {dummy: symbol for symbol, dummy in real.items()}
    made: sp.Expr = function.symbolic(*(e.xreplace(real) for e in expressions)).xreplace(back)
    return made


def _check_real(name: str, arguments: Iterable[Scalar]) -> None:
    if not all(argument.is_real for argument in arguments):
        raise RefusalError(f"{name} takes real numbers, and the imaginary unit is in this; write abs, re or im of it")


def _exponential(argument: Scalar) -> sp.Expr:
    for term in sp.Add.make_args(argument.expression):
        coefficient, rest = term.as_coeff_Mul()
        if rest.has(sp.log):
            if abs(coefficient) > _LOG_FACTOR:
                raise RefusalError(f"exp of more than {_LOG_FACTOR} times a logarithm is too large a power")
            check_bits(argument.bits * _LOG_FACTOR if argument.bits > 64 else 0)
    return sp.exp(argument.expression)


def _check_order(name: str, order: Scalar) -> None:
    _check_real(f"the order of {name}", [order])
    if order.unknown:
        raise RefusalError(f"the order of {name} must be known; the unknown is in it")
    if order.value is not None and abs(order.value) > BESSEL_ORDER:
        raise RefusalError(f"the order of {name} must be at most {BESSEL_ORDER}; got {order.value:.6g}")


def extreme(name: str, arguments: Sequence[Scalar]) -> Scalar:
    """The least or the greatest of some scalars."""
    if any(argument.unknown for argument in arguments):
        sign = "-" if name == "min" else "+"
        raise RefusalError(
            f"{name} of the unknown has kinks; write (f + g {sign} sqrt((f - g)**2 + 0.01**2))/2, for one, in its place"
        )
    if not 2 <= len(arguments) <= COMPARISONS:
        raise RefusalError(f"{name} takes from 2 to {COMPARISONS} arguments; got {len(arguments)}")
    _check_real(name, arguments)
    values = [argument.value.real for argument in arguments if argument.value is not None]
    choose = min if name == "min" else max
    if len(values) == len(arguments):
        return arguments[values.index(choose(values))]
    kind = sp.Min if name == "min" else sp.Max
    # unevaluated: SymPy would try hard to find out which is greater
    return join(kind(*(argument.expression for argument in arguments), evaluate=False), arguments)


def where(pairs: Sequence[tuple[Truth, Scalar]], otherwise: Scalar | None) -> Scalar:
    """The value of the first condition that holds; without `otherwise`, no value where none does."""
    if sum(condition.count for condition, _ in pairs) > COMPARISONS:
        raise RefusalError(f"where takes at most {COMPARISONS} comparisons")
    branches = [(value, condition) for condition, value in pairs if condition.value is not False]
    certain = [index for index, (_, condition) in enumerate(branches) if condition.value]
    if certain:
        branches, otherwise = branches[: certain[0]], branches[certain[0]][0]
    if not branches:
        if otherwise is None:
            raise RefusalError("no condition of where holds anywhere")
        return otherwise
    arguments = [(value.expression, condition.relation) for value, condition in branches]
    if otherwise is not None:
        arguments.append((otherwise.expression, sp.true))
    values = [value for value, _ in branches] + ([] if otherwise is None else [otherwise])
    return join(sp.Piecewise(*arguments, evaluate=False), values)


def compare(signs: Sequence[str], sides: Sequence[Scalar]) -> Truth:
    """A chain of comparisons, left as they are: to decide them is for whoever knows the points."""
    if any(side.unknown for side in sides):
        raise RefusalError("the unknown cannot be compared: where an equation changes must be known beforehand")
    _check_real("a comparison", sides)
    relations, values = [], []
    for sign, (left, right) in zip(signs, pairwise(sides), strict=True):
        decide, relation = _SIGNS[sign]
        relations.append(relation(left.expression, right.expression, evaluate=False))
        if left.value is not None and right.value is not None:
            values.append(decide(left.value, right.value))
    known = all(values) if len(values) == len(relations) else None
    if len(relations) == 1:
        return Truth(relations[0], known)
    return Truth(sp.And(*relations, evaluate=False), known, len(relations))


def connect(word: str, operands: Sequence[Truth]) -> Truth:
    """``and``, ``or`` and ``not`` of comparisons."""
    relations = [operand.relation for operand in operands]
    count = sum(operand.count for operand in operands)
    if count > COMPARISONS:
        raise RefusalError(f"a condition takes at most {COMPARISONS} comparisons")
    known = [operand.value for operand in operands]
    if word == "not":
        return Truth(sp.Not(relations[0]), None if known[0] is None else not known[0], count)
    gate, decide = (sp.And, all) if word == "and" else (sp.Or, any)
    value = None if any(v is None for v in known) else decide(bool(v) for v in known)
    return Truth(gate(*relations, evaluate=False), value, count)
