"""Derivatives, gradients, divergences."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from fspielm.expressions.parser.functions import PARTS
from fspielm.expressions.parser.limits import DERIVATIVE_NODES, DERIVATIVE_ORDER, RefusalError
from fspielm.expressions.parser.quantities import Quantity, Scalar, VectorOf, add, join, multiply


def differentiate(scalar: Scalar, symbol: sp.Symbol, order: int = 1) -> Scalar:
    """The derivative along a coordinate, carried out one order at a time and refused where it grows too long."""
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
    # SymPy's derivative of Abs(x) doubles at every level, unless x is real, as points are
    real = {s: sp.Dummy(s.name, real=True) for s in expression.free_symbols | {symbol}}
    back = {dummy: s for s, dummy in real.items()}
    derived: sp.Expr = expression.xreplace(real).diff(real[symbol]).xreplace(back)
    return derived


def gradient(scalar: Scalar, space: Sequence[sp.Symbol]) -> VectorOf:
    """The derivatives along the coordinates of space."""
    return VectorOf(tuple(differentiate(scalar, symbol) for symbol in space))


def divergence(vector: VectorOf, space: Sequence[sp.Symbol]) -> Scalar:
    """The sum of the derivatives of the components, each along its own coordinate."""
    if len(vector.components) != len(space):
        raise RefusalError(
            f"div takes a vector of {len(space)} components, one for each coordinate of space "
            f"({', '.join(map(str, space))}); got {len(vector.components)}"
        )
    return add([(1, differentiate(c, symbol)) for c, symbol in zip(vector.components, space, strict=True)])


def laplacian(scalar: Scalar, space: Sequence[sp.Symbol]) -> Scalar:
    """The sum of the second derivatives along the coordinates of space."""
    return add([(1, differentiate(scalar, symbol, 2)) for symbol in space])


def dot(left: VectorOf, right: VectorOf) -> Scalar:
    """The scalar product."""
    if len(left.components) != len(right.components):
        raise RefusalError(
            f"dot takes two vectors of the same length; got {len(left.components)} and {len(right.components)}"
        )
    pairs = zip(left.components, right.components, strict=True)
    return add([(1, multiply([(1, a), (1, b)])) for a, b in pairs])


def add_any(terms: Sequence[tuple[int, Quantity]]) -> Quantity:
    """A sum of scalars, or of vectors of one length."""
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
    """A product of scalars, with at most one vector among them."""
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
                # only a sum is derived term by term; elsewhere the rest stands beside the derivative of every part
                slopes += size * sum(slope > 0 for _, slope in parts)
            known[node] = size, slopes
        return known[node]

    return count(expression)[1]
