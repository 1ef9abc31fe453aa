"""From the tree of a text to SymPy, name by name and within bounds."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.errors import ProblemError, TextError
from fspielm.expressions.parser import calculus
from fspielm.expressions.parser.functions import CONSTANTS, FUNCTIONS
from fspielm.expressions.parser.limits import RefusalError
from fspielm.expressions.parser.operations import apply_function, compare, connect, extreme, where
from fspielm.expressions.parser.quantities import Quantity, Scalar, Truth, VectorOf, decimal, integer, power
from fspielm.expressions.parser.scope import OPERATORS, Scope, nearest
from fspielm.expressions.parser.syntax import (
    Call,
    Comparison,
    Logic,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Vector,
)


class Builder:
    """Builds what the nodes of one text mean, under the names of a scope."""

    def __init__(self, text: str, scope: Scope) -> None:
        self._text = text
        self._scope = scope
        self._values = scope.values
        self._derivatives = scope.derivatives

    def error(self, reason: str, at: int) -> TextError:
        """The reason with its place in the text."""
        return TextError(reason, self._text, at)

    def build(self, node: Node) -> Quantity:
        """What `node` means."""
        try:
            return self._build(node)
        except RefusalError as refusal:
            raise self.error(str(refusal), node.at) from None

    def scalar(self, node: Node) -> Scalar:
        """What `node` means, where that has to be a number or a function."""
        quantity = self.build(node)
        if not isinstance(quantity, Scalar):
            raise self.error(f"expected a number or a function; got {_KINDS[type(quantity)]}", node.at)
        return quantity

    def vector(self, node: Node) -> VectorOf:
        """What `node` means, where that has to be a vector."""
        quantity = self.build(node)
        if not isinstance(quantity, VectorOf):
            raise self.error(f"expected a vector, as in grad(u) or [a, b]; got {_KINDS[type(quantity)]}", node.at)
        return quantity

    def truth(self, node: Node) -> Truth:
        """What `node` means, where that has to be a comparison."""
        quantity = self.build(node)
        if not isinstance(quantity, Truth):
            raise self.error(f"expected a comparison, as in x < 0.5; got {_KINDS[type(quantity)]}", node.at)
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
                return calculus.add_any([(sign, self._linear(term)) for sign, term in node.terms])
            case Product():
                return calculus.multiply_any([(power, self._linear(factor)) for power, factor in node.factors])
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
        """What `node` means, where it is added or multiplied."""
        quantity = self.build(node)
        if isinstance(quantity, Truth):
            raise self.error("a comparison cannot be added or multiplied; write where(x < 0.5, 1, 0)", node.at)
        return quantity

    def _negative(self, node: Negative) -> Quantity:
        # with the factors of a product, for SymPy multiplies -1 into a sum that stands alone, and only then
        factors = node.operand.factors if isinstance(node.operand, Product) else ((1, node.operand),)
        minus = Scalar(sp.Integer(-1), -1.0)
        return calculus.multiply_any([(1, minus), *((power, self._linear(factor)) for power, factor in factors)])

    def _name(self, node: Name) -> Scalar:
        meaning = self._values.get(node.text)
        if meaning is None:
            if node.text in self._scope.functions:
                raise self.error(f"{node.text} is a function; write {node.text}(...)", node.at)
            known = [*(name for name in self._values if name not in CONSTANTS), *CONSTANTS]
            remedy = nearest(node.text, known)
            declare = "" if remedy.endswith("?") else self._scope.undeclared.format(name=node.text)
            raise self.error(f"unknown name {node.text!r}; {remedy}{declare}", node.at)
        constant = not meaning.free_symbols
        return Scalar(
            meaning, _number(meaning) if constant else None, _bits(meaning), unknown=meaning in self._scope.unknowns
        )

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
            return calculus.differentiate(
                self.scalar(arguments[0]), self._derivatives[name], self._order(arguments[1:])
            )
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
                return calculus.differentiate(self.scalar(arguments[0]), symbol, self._order(arguments[2:]))
            case "dot":
                self._count(node, 2)
                return calculus.dot(self.vector(arguments[0]), self.vector(arguments[1]))
            case "dn":
                self._count(node, 1, 2)
                return self._normal_derivative(self.scalar(arguments[0]), self._order(arguments[1:]))
        self._count(node, 1)
        match node.name:
            case "normal":
                return self._normal(self._coordinate(arguments[0]))
            case "grad":
                return calculus.gradient(self.scalar(arguments[0]), space)
            case "div":
                return calculus.divergence(self.vector(arguments[0]), space)
        return calculus.laplacian(self.scalar(arguments[0]), space)

    def _normal(self, coordinate: sp.Symbol) -> Scalar:
        if self._scope.normal is None:
            raise RefusalError("normal, a component of the normal, has a meaning in conditions only")
        return Scalar(self._scope.normal(coordinate))

    def _normal_derivative(self, scalar: Scalar, order: int) -> Scalar:
        if self._scope.normal_derivative is None:
            raise RefusalError("dn, the derivative along the normal, has a meaning in conditions only")
        calculus.check_order(scalar.order + order)
        if not scalar.unknown:
            for symbol in self._scope.space:
                calculus.differentiate(scalar, symbol, order)  # refuses what would become too long
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


def _number(expression: sp.Expr) -> complex:
    return complex(expression) if expression.has(sp.I) else float(expression)


def _bits(expression: sp.Expr) -> int:
    return max((int(r.p).bit_length() + int(r.q).bit_length() for r in expression.atoms(sp.Rational)), default=1)
