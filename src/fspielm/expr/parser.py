"""Expressions, equations and conditions from text; nothing is evaluated as Python."""

from __future__ import annotations

import cmath
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from fspielm.errors import ProblemError, TextError
from fspielm.expr.grammar import (
    BESSEL_ORDER,
    COMPARISONS,
    DERIVATIVE_NODES,
    DERIVATIVE_ORDER,
    EXPONENT,
    RESULT_BITS,
    Call,
    Comparison,
    Logic,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    RefusalError,
    Sum,
    Vector,
    parse_syntax,
)
from fspielm.expr.quantities import (
    Quantity,
    Scalar,
    Truth,
    VectorOf,
    add,
    check_bits,
    decimal,
    integer,
    join,
    multiply,
    number_of,
    power,
)
from fspielm.expr.scope import CONSTANTS, FUNCTIONS, OPERATORS, ORDERED, PARTS, Function, Scope, nearest

# ---- Derivatives and vectors


def differentiate(scalar: Scalar, symbol: sp.Symbol, order: int = 1) -> Scalar:
    """The derivative along a coordinate, one order at a time; refuses derivatives that are too long."""
    total = scalar.order + order
    check_order(total)
    expression = scalar.expression
    for _ in range(order):
        if _derivative_nodes(expression) > DERIVATIVE_NODES:
            raise RefusalError("the derivative of so long an expression is too long; write it in a simpler form")
        expression = _derivative(expression, symbol)
    return join(expression, (scalar,), bits=scalar.bits + 16 * order, order=total)


def check_order(order: int) -> None:
    """Refuse derivatives of too high an order."""
    if order > DERIVATIVE_ORDER:
        raise RefusalError(f"derivatives have at most order {DERIVATIVE_ORDER} in all; this would be order {order}")


def _derivative(expression: sp.Expr, symbol: sp.Symbol) -> sp.Expr:
    if not expression.has(sp.sign, *PARTS):
        return expression.diff(symbol)
    if any(part.has(sp.I) for part in expression.atoms(sp.Abs)):
        raise RefusalError("abs of something complex has no derivative here; write sqrt(re(f)**2 + im(f)**2)")
    # the derivative of Abs(x) doubles at every level unless SymPy knows that x is real
    return _on_the_real_line(sp.diff, (expression, symbol), expression.free_symbols | {symbol})


def _on_the_real_line(
    operation: Callable[..., sp.Expr], operands: Iterable[sp.Expr], symbols: Iterable[sp.Symbol]
) -> sp.Expr:
    """An operation on expressions in real `symbols`."""
    real = {symbol: sp.Dummy(symbol.name, real=True) for symbol in symbols}
    made: sp.Expr = operation(*(operand.xreplace(real) for operand in operands))
    return made.xreplace({dummy: symbol for symbol, dummy in real.items()})


def divergence(vector: VectorOf, space: Sequence[sp.Symbol]) -> Scalar:
    """The sum of the derivatives of the components, each along its coordinate."""
    if len(vector.components) != len(space):
        raise RefusalError(
            f"div takes a vector of {len(space)} components, one for each coordinate of space "
            f"({', '.join(map(str, space))}); got {len(vector.components)}"
        )
    return add([(1, differentiate(c, symbol)) for c, symbol in zip(vector.components, space, strict=True)])


def dot(left: VectorOf, right: VectorOf) -> Scalar:
    """The scalar product."""
    if len(left.components) != len(right.components):
        raise RefusalError(
            f"dot takes two vectors of the same length; got {len(left.components)} and {len(right.components)}"
        )
    pairs = zip(left.components, right.components, strict=True)
    return add([(1, multiply([(1, a), (1, b)])) for a, b in pairs])


def add_any(terms: Sequence[tuple[int, Quantity]]) -> Quantity:
    """The sum of scalars, or of vectors of one length."""
    vectors = [(sign, term) for sign, term in terms if isinstance(term, VectorOf)]
    scalars = [(sign, term) for sign, term in terms if isinstance(term, Scalar)]
    if not vectors:
        return add(scalars)
    lengths = {len(vector.components) for _, vector in vectors}
    if scalars or len(lengths) > 1:
        raise RefusalError("a vector can only be added to a vector of the same length")
    columns = zip(*(vector.components for _, vector in vectors), strict=True)
    signs = [sign for sign, _ in vectors]
    return VectorOf(tuple(add(list(zip(signs, column, strict=True))) for column in columns))


def multiply_any(factors: Sequence[tuple[int, Quantity]]) -> Quantity:
    """The product of scalars and at most one vector."""
    vectors = [(exponent, factor) for exponent, factor in factors if isinstance(factor, VectorOf)]
    scalars = [(exponent, factor) for exponent, factor in factors if isinstance(factor, Scalar)]
    if not vectors:
        return multiply(scalars)
    if len(vectors) > 1:
        raise RefusalError("two vectors are multiplied by dot(a, b)")
    exponent, vector = vectors[0]
    if exponent < 0:
        raise RefusalError("nothing can be divided by a vector")
    return VectorOf(tuple(multiply([*scalars, (1, component)]) for component in vector.components))


def _derivative_nodes(expression: sp.Expr) -> int:
    """About how many nodes the derivative of `expression` has before SymPy combines them."""
    known: dict[sp.Basic, tuple[int, int]] = {}

    def count(node: sp.Basic) -> tuple[int, int]:
        """Nodes of `node`, and of its derivative: none for a number."""
        if node not in known:
            parts = [count(argument) for argument in node.args]
            size, slopes = 1 + sum(own for own, _ in parts), sum(slope for _, slope in parts)
            if not parts:
                slopes = 0 if node.is_number else 1
            elif slopes and not isinstance(node, sp.Add):
                # except in a sum, all other parts remain in the derivative of every part
                slopes += size * sum(slope > 0 for _, slope in parts)
            known[node] = size, slopes
        return known[node]

    return count(expression)[1]


# ---- Functions, choices and comparisons


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
    """A function of the notation at `arguments`; `coordinates` are real."""
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
            return Scalar(sp.S.Zero, 0.0)  # underflow, which SymPy could take long to evaluate
        return join(_exponential(arguments[0]), arguments, value)
    # check the value first: gamma(10**9) must be refused, not computed digit by digit
    if value is not None:
        join(sp.S.One, arguments, value)
    return join(_symbolic(function, arguments, coordinates), arguments, value)


def _value(name: str, numbers: Sequence[complex | None]) -> complex | None:
    """The value of a function, if all its arguments are known numbers."""
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
    return _on_the_real_line(function.symbolic, expressions, coordinates)


def _check_real(name: str, arguments: Iterable[Scalar]) -> None:
    if not all(argument.is_real for argument in arguments):
        raise RefusalError(f"{name} takes real numbers, and the imaginary unit is in this; write abs, re or im of it")


def _exponential(argument: Scalar) -> sp.Expr:
    # SymPy turns exp(n*log(a*x)) into a power
    for term in sp.Add.make_args(argument.expression):
        coefficient, rest = term.as_coeff_Mul()
        if rest.has(sp.log):
            if abs(coefficient) > EXPONENT:
                raise RefusalError(f"exp of more than {EXPONENT} times a logarithm is too large a power")
            check_bits(argument.bits * EXPONENT if argument.bits > 64 else 0)
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
    # unevaluated, since SymPy would take long to compare them
    return join(kind(*(argument.expression for argument in arguments), evaluate=False), arguments)


def where(pairs: Sequence[tuple[Truth, Scalar]], otherwise: Scalar | None) -> Scalar:
    """The value of the first condition that holds, or `otherwise`; undefined if there is neither."""
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
    """A chain of unevaluated comparisons."""
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


# ---- From the syntax tree to SymPy


Q = TypeVar("Q", Scalar, VectorOf, Truth)


class Builder:
    """Builds SymPy expressions from the nodes of one text, with the names of a scope."""

    def __init__(self, text: str, scope: Scope) -> None:
        self._text = text
        self._scope = scope
        self._values = scope.values
        self._derivatives = scope.derivatives

    def error(self, reason: str, at: int) -> TextError:
        """An error with its place in the text."""
        return TextError(reason, self._text, at)

    def build(self, node: Node) -> Quantity:
        """The quantity that `node` describes."""
        try:
            return self._build(node)
        except RefusalError as refusal:
            raise self.error(str(refusal), node.at) from None

    def scalar(self, node: Node) -> Scalar:
        """The scalar that `node` describes; refuses anything else."""
        return self._expect(node, Scalar, "a number or a function")

    def vector(self, node: Node) -> VectorOf:
        """The vector that `node` describes; refuses anything else."""
        return self._expect(node, VectorOf, "a vector, as in grad(u) or [a, b]")

    def truth(self, node: Node) -> Truth:
        """The condition that `node` describes; refuses anything else."""
        return self._expect(node, Truth, "a comparison, as in x < 0.5")

    def _expect(self, node: Node, kind: type[Q], wanted: str) -> Q:
        quantity = self.build(node)
        if not isinstance(quantity, kind):
            raise self.error(f"expected {wanted}; got {_KINDS[type(quantity)]}", node.at)
        return quantity

    def _build(self, node: Node) -> Quantity:
        match node:
            case Number():
                return integer(node.text) if node.text.isdigit() else decimal(node.text)
            case Name():
                return self._name(node)
            case Call():
                return self._call(node)
            case Sum():
                return add_any([(sign, self._linear(term)) for sign, term in node.terms])
            case Product():
                return multiply_any([(power, self._linear(factor)) for power, factor in node.factors])
            case Negative():
                return self._negative(node)
            case Power():
                return power(self.scalar(node.base), self.scalar(node.exponent))
            case Vector():
                return VectorOf(tuple(self.scalar(component) for component in node.components))
            case Comparison():
                return compare(node.signs, [self.scalar(side) for side in node.sides])
            case Logic():
                return connect(node.word, [self.truth(operand) for operand in node.operands])
        raise AssertionError(node)  # pragma: no cover

    def _linear(self, node: Node) -> Scalar | VectorOf:
        """The scalar or vector that `node` describes."""
        quantity = self.build(node)
        if isinstance(quantity, Truth):
            raise self.error("a comparison cannot be added or multiplied; write where(x < 0.5, 1, 0)", node.at)
        return quantity

    def _negative(self, node: Negative) -> Quantity:
        # together with the factors of a product: SymPy distributes -1 only over a sum that stands alone
        factors = node.operand.factors if isinstance(node.operand, Product) else ((1, node.operand),)
        minus = Scalar(sp.Integer(-1), -1.0)
        return multiply_any([(1, minus), *((power, self._linear(factor)) for power, factor in factors)])

    def _name(self, node: Name) -> Scalar:
        meaning = self._values.get(node.text)
        if meaning is None:
            if node.text in self._scope.functions:
                raise self.error(f"{node.text} is a function; write {node.text}(...)", node.at)
            known = [*(name for name in self._values if name not in CONSTANTS), *CONSTANTS]
            remedy = nearest(node.text, known)
            declare = "" if remedy.endswith("?") else self._scope.undeclared.format(name=node.text)
            raise self.error(f"unknown name {node.text!r}; {remedy}{declare}", node.at)
        value = None if meaning.free_symbols else number_of(meaning)
        bits = (int(r.p).bit_length() + int(r.q).bit_length() for r in meaning.atoms(sp.Rational))
        return Scalar(meaning, value, max(bits, default=1), unknown=meaning in self._scope.unknowns)

    def _call(self, node: Call) -> Quantity:
        name, arguments = node.name, node.arguments
        if name in FUNCTIONS and name not in self._values:
            self._count(node, FUNCTIONS[name].arguments)
            return apply_function(name, [self.scalar(argument) for argument in arguments], self._scope.coordinates)
        if name in ("min", "max"):
            return extreme(name, [self.scalar(argument) for argument in arguments])
        if name == "where":
            return self._where(node)
        if name in self._derivatives:
            self._count(node, 1, 2)
            return differentiate(self.scalar(arguments[0]), self._derivatives[name], self._order(arguments[1:]))
        if name in OPERATORS and name not in self._values:
            return self._operator(node)
        if self._is_unknown(node):
            return self._name(Name(node.at, name))
        raise self.error(self._no_function(node), node.at)

    def _is_unknown(self, node: Call) -> bool:
        """Whether `node` is an unknown with all its coordinates, as in u(x, y)."""
        unknown = self._unknown(node.name)
        written = [argument.text if isinstance(argument, Name) else "" for argument in node.arguments]
        return unknown is not None and written == list(map(str, unknown.args))

    def _unknown(self, name: str) -> AppliedUndef | None:
        """The unknown of this name."""
        meaning = self._values.get(name)
        return meaning if meaning in self._scope.unknowns else None

    def _operator(self, node: Call) -> Quantity:
        space, arguments = self._scope.space, node.arguments
        match node.name:
            case "diff":
                self._count(node, 2, 3)
                symbol = self._coordinate(arguments[1])
                return differentiate(self.scalar(arguments[0]), symbol, self._order(arguments[2:]))
            case "dot":
                self._count(node, 2)
                return dot(self.vector(arguments[0]), self.vector(arguments[1]))
            case "dn":
                self._count(node, 1, 2)
                return self._normal_derivative(self.scalar(arguments[0]), self._order(arguments[1:]))
        self._count(node, 1)
        match node.name:
            case "normal":
                return self._normal(self._coordinate(arguments[0]))
            case "grad":
                scalar = self.scalar(arguments[0])
                return VectorOf(tuple(differentiate(scalar, symbol) for symbol in space))
            case "div":
                return divergence(self.vector(arguments[0]), space)
        scalar = self.scalar(arguments[0])  # laplacian
        return add([(1, differentiate(scalar, symbol, 2)) for symbol in space])

    def _normal(self, coordinate: sp.Symbol) -> Scalar:
        if self._scope.normal is None:
            raise RefusalError("normal, a component of the normal, has a meaning in conditions only")
        return Scalar(self._scope.normal(coordinate))

    def _normal_derivative(self, scalar: Scalar, order: int) -> Scalar:
        if self._scope.normal_derivative is None:
            raise RefusalError("dn, the derivative along the normal, has a meaning in conditions only")
        check_order(scalar.order + order)
        if not scalar.unknown:
            for symbol in self._scope.space:
                differentiate(scalar, symbol, order)  # refuses derivatives that are too long
        try:
            expression = self._scope.normal_derivative(scalar.expression, order)
        except ProblemError as error:
            raise RefusalError(str(error)) from None
        return Scalar(expression, None, scalar.bits, scalar.order + order, scalar.unknown)

    def _where(self, node: Call) -> Quantity:
        if len(node.arguments) < 2:
            raise self.error("where takes a condition, a value, and a value for elsewhere", node.at)
        pairs = [
            (self.truth(condition), self.scalar(value))
            for condition, value in zip(node.arguments[::2], node.arguments[1::2], strict=False)
        ]
        return where(pairs, self.scalar(node.arguments[-1]) if len(node.arguments) % 2 else None)

    def _order(self, arguments: Sequence[Node]) -> int:
        if not arguments:
            return 1
        order = self.scalar(arguments[0]).expression
        if not (order.is_Integer and order > 0):
            raise self.error("the order of a derivative must be a whole number, 1 or more", arguments[0].at)
        return int(order)

    def _coordinate(self, node: Node) -> sp.Symbol:
        names = {str(symbol): symbol for symbol in self._scope.coordinates}
        if not isinstance(node, Name) or node.text not in names:
            raise self.error(f"expected a coordinate ({', '.join(names)})", node.at)
        return names[node.text]

    def _count(self, node: Call, least: int, most: int | None = None) -> None:
        got = len(node.arguments)
        if not least <= got <= (most or least):
            wanted = f"{least} argument{'s' * (least > 1)}" if most is None else f"{least} or {most} arguments"
            raise self.error(f"{node.name} takes {wanted}; got {got}", node.at)

    def _no_function(self, node: Call) -> str:
        unknown = self._unknown(node.name)
        if unknown is not None:
            return f"the unknown is meant at the point itself; write {node.name}, or {unknown}"
        if node.name in self._values:
            return f"{node.name} is no function; to multiply, write {node.name}*(...)"
        return f"unknown function {node.name!r}; {nearest(node.name, self._scope.functions)}"


_KINDS = {Scalar: "a number or a function", VectorOf: "a vector", Truth: "a comparison"}


# ---- Entry points

T = TypeVar("T", bound=sp.Basic)


def parse_expression(text: str, scope: Scope) -> sp.Expr:
    """The expression in `text`, with the names of `scope`.

    Raises
    ------
    TextError
        With line and column, for text outside of the notation, and for values that are not finite or too large.

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
    """The real expression in `text`."""

    def build(node: Node, builder: Builder) -> sp.Expr:
        scalar = builder.scalar(node)
        if not scalar.is_real:
            raise builder.error("expected something real, and the imaginary unit is in this", node.at)
        return scalar.expression

    return _parse(text, build, scope)


def parse_equation(text: str, scope: Scope) -> sp.Basic:
    """The equation in `text`; without ``=``, the expression that has to be zero."""

    def build(node: Node, builder: Builder) -> sp.Basic:
        if not isinstance(node, Comparison):
            return builder.scalar(node).expression
        if len(node.signs) > 1 or node.signs[0] not in ("=", "=="):
            raise builder.error("an equation has two sides and one = between them", node.at)
        left, right = (builder.scalar(side).expression for side in node.sides)
        return sp.Eq(left, right, evaluate=False)

    return _parse(text, build, scope)


def parse_condition(text: str, scope: Scope) -> Boolean:
    """The condition in `text`, such as ``x < 0.5 and not y == 0``."""

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
        parts = [int(part) for number in result.atoms(sp.Rational) for part in (number.p, number.q)]
        bits = max((part.bit_length() for part in parts), default=0)
    except RecursionError:
        raise TextError("nested too deep", text, 0) from None
    if bits > RESULT_BITS:
        raise TextError("a whole number in it has too many digits; write decimals, such as 2.0 for 2", text, 0)
    return result
