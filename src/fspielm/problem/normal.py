"""The outward normal and derivatives along it, and operators of vector calculus and elasticity."""

from __future__ import annotations

from collections.abc import Sequence
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
    """``d^order f / dn^order`` of the unknown, a derivative of it, or a known f; see `normal_derivative`."""

    is_commutative = True

    def __new__(cls, function: sp.Expr, order: Any = 1) -> NormalDerivative:
        """Check the arguments, and merge nested normal derivatives."""
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
        """The function."""
        return self.args[0]

    @property
    def order(self) -> int:
        """The order of the derivative."""
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
        """Check that the coordinate is a symbol."""
        if not isinstance(coordinate, sp.Symbol):
            raise ProblemError(f"normal takes a coordinate, a SymPy symbol such as x; got {coordinate!r}")
        made: NormalComponent = sp.Expr.__new__(cls, coordinate)
        return made

    @property
    def coordinate(self) -> sp.Symbol:
        """The coordinate."""
        return self.args[0]

    def _eval_derivative(self, symbol: sp.Symbol) -> sp.Expr:
        return sp.S.Zero  # held fixed, as under a `NormalDerivative`

    def _sympystr(self, printer: Any) -> str:
        return f"normal({printer._print(self.coordinate)})"

    def _latex(self, printer: Any) -> str:
        return f"n_{{{printer._print(self.coordinate)}}}"


# Expressions that have a meaning on boundaries only.
OF_NORMALS = (NormalDerivative, NormalComponent)


@lru_cache(maxsize=64)
def normal_symbols(coordinates: tuple[sp.Symbol, ...]) -> tuple[sp.Symbol, ...]:
    """Symbols for the components of the outward normal; always the same for the same coordinates."""
    return tuple(sp.Dummy(f"n_{symbol}", real=True) for symbol in coordinates)


def write_out(expression: sp.Expr, coordinates: tuple[sp.Symbol, ...], axes: range) -> sp.Expr:
    """Write normals and normal derivatives of known functions with `normal_symbols`; normals point along `axes`."""
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
    """Replace the components of the normal by `normal_symbols`."""
    symbols = zip(coordinates, normal_symbols(coordinates), strict=True)
    written: sp.Expr = expression.xreplace({NormalComponent(coordinate): symbol for coordinate, symbol in symbols})
    return written


def normal(coordinate: sp.Symbol) -> NormalComponent:
    """The component of the outward normal along a coordinate, for a `Condition` or a value on the boundary.

    Parameters
    ----------
    coordinate : Symbol
        A coordinate of space.

    Returns
    -------
    NormalComponent
        A SymPy expression. Derivatives hold it fixed, as on a straight boundary.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> u, v = (sp.Function(name)(x, y) for name in "uv")
    >>> u * normal(x) + v * normal(y)
    normal(x)*u(x, y) + normal(y)*v(x, y)
    """
    return NormalComponent(coordinate)


def normal_derivative(function: sp.Expr, order: int = 1) -> NormalDerivative:
    """The derivative along the outward normal, for a `Condition` or a value on the boundary.

    Parameters
    ----------
    function : Expr
        The unknown, a derivative of it, or a known expression of the coordinates.
    order : int
        The order of the derivative. The normal is held fixed, as on a straight boundary.

    Returns
    -------
    NormalDerivative
        A SymPy expression, which may be differentiated and multiplied.

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


# ---- Vector calculus and elasticity


def divergence(field: Any, coordinates: Sequence[sp.Symbol] | None = None) -> Any:
    """The divergence of a vector, or of each row of a matrix.

    Parameters
    ----------
    field : sequence of d Expr, or (d, d) Matrix
        Functions of the coordinates.
    coordinates : sequence of d Symbol, optional
        The coordinates of space; by default the first arguments of the undefined functions in `field`.

    Returns
    -------
    Expr, or Matrix of d
        A vector for a matrix, as in the balance of forces.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> u, v = (sp.Function(name)(x, y) for name in "uv")
    >>> divergence([u, v])
    Derivative(u(x, y), x) + Derivative(v(x, y), y)
    """
    if isinstance(field, sp.MatrixBase) and min(field.shape) > 1:
        along = _coordinates(list(field), field.shape[1], coordinates, "divergence")
        return sp.Matrix([_divergence(field.row(i), along) for i in range(field.rows)])
    components = _components(field, "divergence")
    return _divergence(components, _coordinates(components, len(components), coordinates, "divergence"))


def curl(field: Any, coordinates: Sequence[sp.Symbol] | None = None) -> Any:
    """The curl of a vector: a vector in space, and the scalar ``v.diff(x) - u.diff(y)`` in the plane.

    Parameters
    ----------
    field : sequence of 2 or 3 Expr
    coordinates : sequence of Symbol, optional
        As for `divergence`.

    Returns
    -------
    Expr in the plane, Matrix of 3 in space

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> u, v = (sp.Function(name)(x, y) for name in "uv")
    >>> curl([u, v])
    -Derivative(u(x, y), y) + Derivative(v(x, y), x)
    """
    components = _components(field, "curl")
    along = _coordinates(components, len(components), coordinates, "curl")
    if len(components) == 2:
        (u, v), (x, y) = components, along
        return v.diff(x) - u.diff(y)
    if len(components) != 3:
        raise ProblemError(f"curl takes a vector of 2 or 3 components; got {len(components)}")
    turns = ((1, 2), (2, 0), (0, 1))
    return sp.Matrix([components[j].diff(along[i]) - components[i].diff(along[j]) for i, j in turns])


def strain(displacement: Any, coordinates: Sequence[sp.Symbol] | None = None) -> sp.Matrix:
    """The strain ``(grad u + grad u^T) / 2`` of a displacement, or the rate of strain of a velocity.

    Parameters
    ----------
    displacement : sequence of d Expr
        Its components along the coordinates.
    coordinates : sequence of d Symbol, optional
        As for `divergence`.

    Returns
    -------
    (d, d) Matrix
    """
    components = _components(displacement, "strain")
    along = _coordinates(components, len(components), coordinates, "strain")
    slopes = sp.Matrix([[component.diff(symbol) for symbol in along] for component in components])
    return (slopes + slopes.T) / 2


def stress(displacement: Any, lam: Any, mu: Any, coordinates: Sequence[sp.Symbol] | None = None) -> sp.Matrix:
    """The stress ``lam tr(e) 1 + 2 mu e`` of an isotropic elastic body, for e the strain.

    In the plane this is plane strain; for plane stress, use ``2 lam mu / (lam + 2 mu)`` for lam. The stress of a
    viscous fluid of pressure p is ``2 * mu * fs.strain([u, v]) - p * sp.eye(2)``.

    Parameters
    ----------
    displacement : sequence of d Expr
        Its components along the coordinates.
    lam, mu : number or Expr
        Lame's constants, or functions of the coordinates.
    coordinates : sequence of d Symbol, optional
        As for `divergence`.

    Returns
    -------
    (d, d) Matrix

    Examples
    --------
    The equations of an elastic body without volume forces:

    >>> x, y = sp.symbols("x y")
    >>> u, v = (sp.Function(name)(x, y) for name in "uv")
    >>> equations = divergence(stress([u, v], lam=2, mu=1))
    >>> equations.shape
    (2, 1)
    """
    strained = strain(displacement, coordinates)
    return lam * strained.trace() * sp.eye(strained.rows) + 2 * mu * strained


def traction(stress: sp.MatrixBase, coordinates: Sequence[sp.Symbol] | None = None) -> sp.Matrix:
    """The traction on the boundary, the force per area: the stress times the outward normal.

    Parameters
    ----------
    stress : (d, d) Matrix
        Such as `stress` returns.
    coordinates : sequence of d Symbol, optional
        As for `divergence`.

    Returns
    -------
    Matrix of d
        For a `Condition`, a value on the boundary, or integrals over it.

    Examples
    --------
    A wall that is pulled along x:

    >>> x, y = sp.symbols("x y")
    >>> u, v = (sp.Function(name)(x, y) for name in "uv")
    >>> pull = traction(2 * strain([u, v]))
    >>> pull[0]
    (Derivative(u(x, y), y) + Derivative(v(x, y), x))*normal(y) + 2*normal(x)*Derivative(u(x, y), x)

    The condition is ``fs.Condition(sp.Eq(pull[0], 1), on="x+")``.
    """
    if not isinstance(stress, sp.MatrixBase) or stress.rows != stress.cols:
        raise ProblemError(f"traction takes a square SymPy Matrix, such as fs.stress([u, v], lam, mu); got {stress!r}")
    along = _coordinates(list(stress), stress.rows, coordinates, "traction")
    return stress * sp.Matrix([normal(symbol) for symbol in along])


def _divergence(components: Any, along: Sequence[sp.Symbol]) -> sp.Expr:
    return sp.Add(*(component.diff(symbol) for component, symbol in zip(components, along, strict=True)))


def _components(field: Any, who: str) -> list[sp.Expr]:
    if not isinstance(field, list | tuple | sp.MatrixBase):
        raise ProblemError(f"{who} takes the components of a vector, such as [u, v]; got {field!r}")
    components = []
    for component in field:
        try:
            components.append(sp.sympify(component, strict=True))
        except sp.SympifyError:
            raise ProblemError(f"{who} takes components that are SymPy expressions; got {component!r}") from None
    return components


def _coordinates(
    expressions: Sequence[sp.Expr], number: int, coordinates: Sequence[sp.Symbol] | None, who: str
) -> tuple[sp.Symbol, ...]:
    """The given coordinates, or the first arguments of the functions in the expressions."""
    if coordinates is None:
        arguments = {function.args for e in expressions for function in e.atoms(AppliedUndef)}
        longest = max(arguments, key=len, default=())
        found = longest[:number]
        if len(found) < number or any(set(other) - set(longest) for other in arguments):
            raise ProblemError(
                f"{who}: say which coordinates there are, as in coordinates=[x, y]; they cannot be read off "
                f"{', '.join(map(str, expressions))}"
            )
    else:
        found = tuple(coordinates)
    if len(found) != number or not all(isinstance(symbol, sp.Symbol) for symbol in found):
        raise ProblemError(f"{who}: coordinates must be {number} SymPy symbols, one for each component; got {found}")
    return found
