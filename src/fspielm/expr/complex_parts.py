"""Real and imaginary parts of expressions of real coordinates, by rules that cannot take long."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

# Nodes of both parts together, beyond which they are of no use.
_MOST_NODES = 2000

_Parts = tuple[sp.Expr, sp.Expr]


class _NoPartsError(Exception):
    """An expression holds what has no rule here."""


def complex_parts(expression: sp.Expr) -> _Parts | None:
    """Two expressions without the imaginary unit, the real and the imaginary part; None where no rule is known.

    Symbols are real numbers, and functions of real numbers are real. SymPy's own ``as_real_imag`` expands, and may not
    end.
    """
    try:
        return _split(expression)
    except _NoPartsError:
        return None


def _split(expression: sp.Expr) -> _Parts:
    if not expression.has(sp.I):
        return expression, sp.S.Zero
    if expression is sp.I:
        return sp.S.Zero, sp.S.One
    for kind, rule in _RULES.items():
        if isinstance(expression, kind):
            parts = rule(expression)
            if sum(_size(part) for part in parts) > _MOST_NODES:
                raise _NoPartsError
            return parts
    raise _NoPartsError


def _size(expression: sp.Expr) -> int:
    return sum(1 for _ in sp.preorder_traversal(expression))


def _sum(expression: sp.Add) -> _Parts:
    real, imaginary = zip(*map(_split, expression.args), strict=True)
    return sp.Add(*real), sp.Add(*imaginary)


def _product(expression: sp.Mul) -> _Parts:
    plain = [factor for factor in expression.args if not factor.has(sp.I)]
    parts: _Parts = sp.S.One, sp.S.Zero
    for factor in expression.args:
        if factor.has(sp.I):
            parts = _times(parts, _split(factor))
    return sp.Mul(*plain, parts[0]), sp.Mul(*plain, parts[1])


def _times(one: _Parts, other: _Parts) -> _Parts:
    (a, b), (c, d) = one, other
    parts = a * c - b * d, a * d + b * c
    if sum(_size(part) for part in parts) > _MOST_NODES:
        raise _NoPartsError
    return parts


def _power(expression: sp.Pow) -> _Parts:
    base, exponent = expression.as_base_exp()
    if not isinstance(exponent, sp.Integer):
        raise _NoPartsError
    parts = _split(base)
    result: _Parts = sp.S.One, sp.S.Zero
    for bit in bin(abs(int(exponent)))[2:]:
        result = _times(result, result)
        if bit == "1":
            result = _times(result, parts)
    if exponent > 0:
        return result
    a, b = result
    return a / (a**2 + b**2), -b / (a**2 + b**2)


def _exponential(expression: sp.exp) -> _Parts:
    a, b = _split(expression.args[0])
    return sp.exp(a) * sp.cos(b), sp.exp(a) * sp.sin(b)


def _sine(expression: sp.sin) -> _Parts:
    a, b = _split(expression.args[0])
    return sp.sin(a) * sp.cosh(b), sp.cos(a) * sp.sinh(b)


def _cosine(expression: sp.cos) -> _Parts:
    a, b = _split(expression.args[0])
    return sp.cos(a) * sp.cosh(b), -sp.sin(a) * sp.sinh(b)


def _hyperbolic_sine(expression: sp.sinh) -> _Parts:
    a, b = _split(expression.args[0])
    return sp.sinh(a) * sp.cos(b), sp.cosh(a) * sp.sin(b)


def _hyperbolic_cosine(expression: sp.cosh) -> _Parts:
    a, b = _split(expression.args[0])
    return sp.cosh(a) * sp.cos(b), sp.sinh(a) * sp.sin(b)


def _conjugate(expression: sp.conjugate) -> _Parts:
    a, b = _split(expression.args[0])
    return a, -b


def _modulus(expression: sp.Abs) -> _Parts:
    a, b = _split(expression.args[0])
    return sp.sqrt(a**2 + b**2), sp.S.Zero


def _choice(expression: sp.Piecewise) -> _Parts:
    if any(condition.has(sp.I) for _, condition in expression.args):
        raise _NoPartsError
    branches = [(_split(value), condition) for value, condition in expression.args]
    real, imaginary = (sp.Piecewise(*((parts[i], condition) for parts, condition in branches)) for i in range(2))
    return real, imaginary


_RULES: dict[type[sp.Basic], Callable[..., _Parts]] = {
    sp.Add: _sum,
    sp.Mul: _product,
    sp.exp: _exponential,
    sp.Pow: _power,
    sp.sin: _sine,
    sp.cos: _cosine,
    sp.sinh: _hyperbolic_sine,
    sp.cosh: _hyperbolic_cosine,
    sp.conjugate: _conjugate,
    sp.re: lambda expression: (_split(expression.args[0])[0], sp.S.Zero),
    sp.im: lambda expression: (_split(expression.args[0])[1], sp.S.Zero),
    sp.Abs: _modulus,
    sp.Piecewise: _choice,
}
