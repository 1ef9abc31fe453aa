"""Expressions, equations and conditions from text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import sympy as sp
from sympy.logic.boolalg import Boolean

from fspielm.errors import ProblemError, TextError
from fspielm.expressions.parser.build import Builder
from fspielm.expressions.parser.grammar import parse_syntax
from fspielm.expressions.parser.limits import RESULT_BITS
from fspielm.expressions.parser.scope import Scope
from fspielm.expressions.parser.syntax import Comparison, Node

T = TypeVar("T", bound=sp.Basic)


def parse_expression(text: str, scope: Scope) -> sp.Expr:
    """The expression that `text` writes, in the names of `scope`.

    Raises
    ------
    TextError
        With line and column, for whatever is not of the notation, not finite, or too large.

    Examples
    --------
    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> parse_expression("2 sin(pi*x)^2", Scope((x, y)))
    Traceback (most recent call last):
    ...
    fspielm.errors.TextError: line 1, column 3: expected an operator or the end; got 'sin'
        2 sin(pi*x)^2
          ^
    >>> parse_expression("2*sin(pi*x)^2", Scope((x, y)))
    2*sin(pi*x)**2
    """
    return _parse(text, lambda node, builder: builder.scalar(node).expression, scope)


def parse_real(text: str, scope: Scope) -> sp.Expr:
    """The same, without the imaginary unit."""

    def build(node: Node, builder: Builder) -> sp.Expr:
        scalar = builder.scalar(node)
        if not scalar.is_real:
            raise builder.error("expected something real, and the imaginary unit is in this", node.at)
        return scalar.expression

    return _parse(text, build, scope)


def parse_equation(text: str, scope: Scope) -> sp.Basic:
    """The equation that `text` writes with one ``=``; without one, the expression that is meant to be zero."""

    def build(node: Node, builder: Builder) -> sp.Basic:
        if not isinstance(node, Comparison):
            return builder.scalar(node).expression
        if len(node.signs) > 1 or node.signs[0] not in ("=", "=="):
            raise builder.error("an equation has two sides and one = between them", node.at)
        left, right = (builder.scalar(side).expression for side in node.sides)
        return sp.Eq(left, right, evaluate=False)

    return _parse(text, build, scope)


def parse_condition(text: str, scope: Scope) -> Boolean:
    """The comparison that `text` writes, such as ``x < 0.5 and not y == 0``."""

    def build(node: Node, builder: Builder) -> Boolean:
        truth = builder.truth(node)
        if truth.value is not None:
            raise builder.error(f"the condition is {str(truth.value).lower()} everywhere", node.at)
        return truth.relation

    return _parse(text, build, scope)


def _parse(text: str, build: Callable[[Node, Builder], T], scope: Scope) -> T:
    if not isinstance(text, str):
        raise ProblemError(f"an expression must be text; got {text!r}")
    if not text.strip():
        raise TextError("the expression is empty", text, 0)
    try:
        result = build(parse_syntax(text), Builder(text, scope))
        digits = max((_bits(number) for number in result.atoms(sp.Rational)), default=0)
    except RecursionError:
        raise TextError("nested too deep", text, 0) from None
    if digits > RESULT_BITS:
        raise TextError("a whole number in it has too many digits; write decimals, such as 2.0 for 2", text, 0)
    return result


def _bits(number: sp.Rational) -> int:
    return max(int(number.p).bit_length(), int(number.q).bit_length())
