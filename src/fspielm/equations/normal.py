"""The outward normal and the derivative along it, as SymPy objects to write conditions with."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any, final

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.precedence import PRECEDENCE

from fspielm.errors import ProblemError


@final
class NormalDerivative(sp.Expr):  # type: ignore[misc]
    """``d^order f / dn^order``, for f the unknown, a derivative of it, or known; see `normal_derivative`."""

    is_commutative = True

    def __new__(cls, function: sp.Expr, order: Any = 1) -> NormalDerivative:
        """Check the arguments, and join a normal derivative of a normal derivative into one."""
        number = sp.sympify(order)
        if not isinstance(number, sp.Integer) or isinstance(order, bool) or number < 1:
            raise ProblemError(f"normal_derivative: order must be a whole number, 1 or more; got {order!r}")
        if isinstance(function, NormalDerivative):
            return NormalDerivative(function.function, function.order + int(number))
        plain = function.expr if isinstance(function, sp.Derivative) else function
        known = isinstance(function, sp.Expr) and not function.atoms(AppliedUndef)
        if not known and not isinstance(plain, AppliedUndef):
            raise ProblemError(
                'normal_derivative takes the unknown, as in normal_derivative(u) with u = sp.Function("u")(x, y), a '
                "derivative of it, or a known expression of the coordinates alone, and coefficients stand before it; "
                f"got {function!r}"
            )
        made: NormalDerivative = sp.Expr.__new__(cls, function, number)
        return made

    @property
    def function(self) -> sp.Expr:
        """What is differentiated."""
        return self.args[0]

    @property
    def order(self) -> int:
        """How often."""
        return int(self.args[1])

    def _eval_derivative(self, symbol: sp.Symbol) -> sp.Expr:
        inner = self.function.diff(symbol)
        return NormalDerivative(inner, self.order) if inner != 0 else sp.S.Zero

    def _sympystr(self, printer: Any) -> str:
        order = f", {self.order}" if self.order > 1 else ""
        return f"normal_derivative({printer._print(self.function)}{order})"

    def _latex(self, printer: Any) -> str:
        power = f"^{{{self.order}}}" if self.order > 1 else ""
        return rf"\partial_n{power} {printer.parenthesize(self.function, PRECEDENCE['Mul'])}"


@final
class NormalComponent(sp.Expr):  # type: ignore[misc]
    """The component of the outward normal along a coordinate; see `normal`."""

    is_commutative = True
    is_real = True

    def __new__(cls, coordinate: sp.Symbol) -> NormalComponent:
        """Check that it is along a symbol."""
        if not isinstance(coordinate, sp.Symbol):
            raise ProblemError(f"normal takes a coordinate, a SymPy symbol such as x; got {coordinate!r}")
        made: NormalComponent = sp.Expr.__new__(cls, coordinate)
        return made

    @property
    def coordinate(self) -> sp.Symbol:
        """What it is along."""
        return self.args[0]

    def _eval_derivative(self, symbol: sp.Symbol) -> sp.Expr:
        return sp.S.Zero  # held fixed, as under a `NormalDerivative`

    def _sympystr(self, printer: Any) -> str:
        return f"normal({printer._print(self.coordinate)})"

    def _latex(self, printer: Any) -> str:
        return f"n_{{{printer._print(self.coordinate)}}}"


# What has a meaning where there are normals alone.
OF_NORMALS = (NormalDerivative, NormalComponent)


@lru_cache(maxsize=64)
def normal_symbols(coordinates: tuple[sp.Symbol, ...]) -> tuple[sp.Symbol, ...]:
    """What stands for the components of the outward normal along the coordinates; always the same symbols."""
    return tuple(sp.Dummy(f"n_{symbol}", real=True) for symbol in coordinates)


def write_out(expression: sp.Expr, coordinates: tuple[sp.Symbol, ...], axes: range) -> sp.Expr:
    """Normals, and the normal derivatives of known functions as derivatives along the coordinates, by `normal_symbols`.

    Normals point along some of the axes only: never along time.
    """
    normals = normal_symbols(coordinates)

    def written(derivative: NormalDerivative) -> sp.Expr:
        inner = write_out(derivative.function, coordinates, axes)
        terms = []
        for chosen in combinations_with_replacement(axes, derivative.order):
            number = factorial(derivative.order) // prod(factorial(chosen.count(axis)) for axis in axes)
            power = sp.Mul(*(normals[axis] for axis in chosen))
            terms.append(number * power * inner.diff(*(coordinates[axis] for axis in chosen)))
        return sp.Add(*terms)

    found = sorted(expression.atoms(NormalDerivative), key=str)
    made: sp.Expr = expression.xreplace({derivative: written(derivative) for derivative in found})
    return write_components(made, coordinates)


def write_components(expression: sp.Expr, coordinates: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The components of the normal by `normal_symbols`."""
    symbols = zip(coordinates, normal_symbols(coordinates), strict=True)
    written: sp.Expr = expression.xreplace({NormalComponent(coordinate): symbol for coordinate, symbol in symbols})
    return written


def normal(coordinate: sp.Symbol) -> NormalComponent:
    """The component of the outward normal along a coordinate, for use in a `Condition`, or in any value on a boundary.

    Parameters
    ----------
    coordinate : Symbol
        One of space.

    Returns
    -------
    NormalComponent
        A SymPy expression. Under derivatives it is held fixed, as on a straight boundary.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> u, v = (sp.Function(name)(x, y) for name in "uv")
    >>> u * normal(x) + v * normal(y)
    normal(x)*u(x, y) + normal(y)*v(x, y)
    """
    return NormalComponent(coordinate)


def normal_derivative(function: sp.Expr, order: int = 1) -> NormalDerivative:
    """The derivative along the outward normal, for use in a `Condition`, or in the value of any on the boundary.

    Parameters
    ----------
    function : Expr
        The unknown, or a derivative of it; or any known expression of the coordinates.
    order : int
        How often it is differentiated. Under this and any further derivative the normal is held fixed, as on a
        straight boundary.

    Returns
    -------
    NormalDerivative
        A SymPy expression: it may be differentiated, and multiplied with coefficients.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> u = sp.Function("u")(x, y)
    >>> 3 * normal_derivative(u, 2) + u
    u(x, y) + 3*normal_derivative(u(x, y), 2)
    >>> normal_derivative(sp.sin(x) * y)
    normal_derivative(y*sin(x))
    """
    return NormalDerivative(function, order)
