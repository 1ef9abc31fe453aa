"""Conditions stated as equations, periodic conditions, and measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sympy.core.function import AppliedUndef

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, Value, check_value, describe, evaluate_derivatives
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.curves import PlaneCurve
from fspielm.numerics.tolerances import SAME
from fspielm.problem.linear import as_sympy, linear_operator, linear_parts, residual_form
from fspielm.problem.normal import OF_NORMALS
from fspielm.problem.operator import FEW_SITES, identity
from fspielm.problem.places import (
    At,
    Region,
    Where,
    boundary_regions,
    check_points,
    curve_region,
    named_part,
    points_region,
    whole_part,
)
from fspielm.problem.setting import Rule, Setting, freeze
from fspielm.problem.statement import AnyCondition, check_weight, check_where, prescribed, vanishing
from fspielm.problem.substitutions import is_plain_callable, number_in


@final
@dataclass(frozen=True)
class Condition(AnyCondition):
    """Any equation for the unknowns and their derivatives, on the boundary or inside; see `Problem` for nonlinear ones.

    Parameters
    ----------
    equation : Eq or Expr
        An equation, or an expression meant to be zero. In it, ``fs.normal_derivative(u)`` is the derivative along the
        outward normal, and ``fs.normal(x)`` the component of the normal along x. The normal of a `PlaneCurve` inside
        points to its right.
    on : str, list of str, SymPy relation or callable mask, optional
        Where on the boundary it holds, as for `Dirichlet`.
    at : (n, d) array, PlaneCurve or callable, optional
        Where it holds inside instead: points, a plane curve (at all times), or a function from parameters ``(n,)``
        between 0 and 1 to points ``(n, d)`` of a curve.
    weight : float
        As for `Dirichlet`.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> u = sp.Function("u")(x, y)
    >>> oblique = Condition(sp.Eq(u.diff(x) + 2 * u.diff(y), x**2), on="x+")
    >>> probe = Condition(sp.Eq(u, 3), at=[[0.5, 0.5]])
    """

    equation: sp.Basic
    on: Where | None = None
    at: Any = None
    weight: float = 1.0
    kind: ClassVar[str] = "condition"
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.equation, list | tuple | sp.MatrixBase | sp.Tuple):
            raise ProblemError(
                f"Condition: equation is a list of {len(self.equation)}; write one fs.Condition for each of them"
            )
        if isinstance(self.equation, sp.Eq) and any(isinstance(side, sp.MatrixBase) for side in self.equation.args):
            raise ProblemError(
                "Condition: equation is one of vectors; write one fs.Condition for each component, as in "
                "fs.Condition(sp.Eq(left[0], right[0]))"
            )
        residual_form(self.equation, "Condition: equation")
        check_weight(self.weight, "Condition")
        object.__setattr__(self, "on", check_where(self.on, "Condition"))
        if self.at is None:
            return
        if self.on is not None:
            raise ProblemError("Condition: give on= for the boundary or at= for the inside, not both")
        if not isinstance(self.at, PlaneCurve) and not callable(self.at):
            object.__setattr__(self, "at", check_points(self.at, "Condition: at"))

    @property
    def expressions(self) -> tuple[Any, ...]:
        """The equation and its place."""
        return self.equation, self.on

    @property
    def has_normals(self) -> bool:
        """True on the boundary and on a plane curve inside."""
        return self.at is None or isinstance(self.at, PlaneCurve)

    def regions(self, setting: Setting) -> list[Region]:
        """Pieces of the boundary, points, or a curve."""
        at: At | None = self.at
        if at is None:
            return boundary_regions(self.on, "Condition", setting)
        if self.equation.has(*OF_NORMALS) and not self.has_normals:
            raise ProblemError(
                "Condition: there is no normal at points inside; write u.diff(x) in the place of normal_derivative in "
                f"{describe(self.equation)}"
            )
        if isinstance(at, tuple):
            return [points_region(at, "points", "Condition: at", setting)]
        return [curve_region(at, "Condition: at", setting)]

    def about(self, setting: Setting) -> frozenset[int]:
        """The unknowns in the equation."""
        names = {function.func.__name__ for function in self.equation.atoms(AppliedUndef)}
        return frozenset(i for i, symbol in enumerate(setting.symbols) if symbol.func.__name__ in names)

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The linear operator and the value of the equation."""
        symbols, givens = setting.symbols, setting.givens
        written = residual_form(self.equation, "Condition: equation")
        check_unknowns(written, symbols)
        parts, rest = linear_parts(evaluate_derivatives(givens.substitute(written)), symbols, "the condition")
        if not parts:
            names = ", ".join(map(str, symbols))
            raise ProblemError(f"the condition {describe(self.equation)} prescribes nothing about {names}")
        operator = linear_operator(parts, setting, "the condition", normals=self.has_normals)
        value = self.read_value(-rest, f"the value of the condition {describe(self.equation)}", setting)
        return (Rule(operator, value),)

    def with_value(self, value: Any, setting: Setting) -> Condition:
        """The same operator with another value; a callable becomes a function g."""
        written = residual_form(self.equation, "Condition: equation")
        parts, _ = linear_parts(evaluate_derivatives(setting.givens.substitute(written)), setting.symbols)
        left = sum((coefficient * as_sympy(atom) for atom, coefficient in parts.items()), sp.S.Zero)
        right = sp.Function("g")(*setting.coordinates) if is_plain_callable(value) else sp.sympify(value)
        return replace(self, equation=sp.Eq(left, right, evaluate=False))


def check_unknowns(expression: sp.Expr, unknowns: tuple[AppliedUndef, ...]) -> None:
    """Refuse an equation without unknowns, and one with an unknown of other arguments."""
    by_name = {unknown.func.__name__: unknown for unknown in unknowns}
    found = [f for f in expression.atoms(AppliedUndef) if f.func.__name__ in by_name]
    if not found:
        names = ", ".join(map(str, unknowns))
        which = f"the unknown {names}" if len(unknowns) == 1 else f"any of the unknowns {names}"
        raise ProblemError(f"the condition {describe(expression)} does not contain {which}")
    for other in sorted((f for f in found if f not in unknowns), key=str):
        raise ProblemError(
            f"the condition contains {other}; write {by_name[other.func.__name__]}, with the very symbols of the "
            "equation: where it holds is said with on= or at="
        )


@final
@dataclass(frozen=True)
class Periodic(AnyCondition):
    """Periodicity: the unknown is the same on two opposite faces, up to a factor.

    For an equation of order m across the faces, the values and the normal derivatives below m are the same: the value
    for advection, also the first derivative for diffusion and waves. An ordinary differential equation may have a
    further condition at an end if this leaves something open, such as the constant in ``u.diff(x, 2) = f``.

    Parameters
    ----------
    faces : str or pair of str
        A coordinate, ``"x"`` for the faces ``"x-"`` and ``"x+"`` of a box, or the names of two boundary parts, one
        of which is the other moved.
    weight : float
        As for `Dirichlet`.
    factor : number or Expr
        The unknown at the second face divided by that at the first, and the same for derivatives: ``exp(i k a)`` for
        Bloch waves in a crystal of period a. One by default.
    """

    faces: str | tuple[str, str]
    weight: float = 1.0
    factor: Value = 1.0
    kind: ClassVar[str] = "periodic"

    def __post_init__(self) -> None:
        check_weight(self.weight, "Periodic")
        faces: Any = self.faces
        if isinstance(faces, Sequence) and not isinstance(faces, str):
            faces = tuple(faces)
            if len(faces) == 2 and all(isinstance(face, str) for face in faces) and faces[0] != faces[1]:
                object.__setattr__(self, "faces", faces)
                return
        if not isinstance(faces, str) or not faces:
            raise ProblemError(
                'Periodic: faces must be a coordinate such as "x", or the names of two opposite parts such as '
                f'("x-", "x+"); got {self.faces!r}'
            )

    def regions(self, setting: Setting) -> list[Region]:
        """The pair of faces."""
        names = (f"{self.faces}-", f"{self.faces}+") if isinstance(self.faces, str) else self.faces
        is_round = setting.parts and not any(part.name.endswith(("-", "+")) for part in setting.parts)
        if isinstance(self.faces, str) and is_round:
            raise ProblemError(
                f"Periodic: {self.faces!r} needs two opposite faces, {names[0]!r} and {names[1]!r}, one of which is "
                "the other one moved, as those of fs.Box are; the boundary has the parts "
                f"{[part.name for part in setting.parts]}"
            )
        here, there = (named_part(name, "Periodic", setting) for name in names)
        shift = _translation(here, there, setting)
        if shift is None:
            raise ProblemError(
                f"Periodic: the part {there.name!r} is not the part {here.name!r} moved to the opposite side, with its "
                "normals turned; only such a pair can be tied together"
            )
        factor = number_in(self.factor, setting.givens, "Periodic: factor")
        if factor == 0:
            raise ProblemError("Periodic: factor must not be zero; write fs.Dirichlet(0) for a face without values")
        return [replace(whole_part(here), label=self._label(names), partner=there, shift=shift, factor=factor)]

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The value and the normal derivatives below the order of the equation."""
        return vanishing(setting, [range(max(order, 1)) for order in across])

    @staticmethod
    def _label(names: tuple[str, str]) -> str:
        first, second = names
        return first[:-1] if first[:-1] == second[:-1] and {first[-1], second[-1]} == {"-", "+"} else "/".join(names)


def _translation(here: BoundaryPart, there: BoundaryPart, setting: Setting) -> FloatArray | None:
    """The translation from one part to the other; None if there is none."""
    if here.parameters != there.parameters:
        return None
    near = SAME * setting.size
    unit = np.random.default_rng(0).random((FEW_SITES, here.parameters))
    # opposite edges of a plane shape run in opposite directions
    turned = unit.copy()
    turned[:, :1] = 1.0 - turned[:, :1]
    start = here.place(unit)
    for end in (there.place(unit), there.place(turned)):
        shift: FloatArray = np.mean(end.points - start.points, axis=0)
        same_shape = np.abs(end.points - start.points - shift).max() <= near
        opposite = np.abs(start.outward + end.outward).max() <= SAME
        if same_shape and opposite and np.array_equal(_kept(here, start), _kept(there, end)):
            return shift
    return None


def _kept(part: BoundaryPart, sites: Sites) -> BoolArray:
    return np.ones(len(sites), dtype=np.bool_) if part.keep is None else part.keep(sites.points)


@final
@dataclass(frozen=True, repr=False)
class Measured(AnyCondition):
    """Values of the unknown at given points, such as measurements; many values are fitted by least squares.

    Parameters
    ----------
    points : (n, d) array
        Points of the domain, with every coordinate of the unknown, time included.
    values : (n,) array, number, Expr or callable ``(n, d) -> (n,)``; or a mapping from unknowns to such
    weight : float
        As for `Dirichlet`; lower for noisy values.
    """

    points: ArrayLike
    values: ArrayLike | Value | Mapping[Any, Any]
    weight: float = 1.0
    kind: ClassVar[str] = "measured"
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_weight(self.weight, "Measured")
        points = check_points(self.points, "Measured: points")
        object.__setattr__(self, "points", points)
        number = len(points)
        values = freeze(self.values, "Measured: values", lambda one, what: _check_values(one, number, what))
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        n = len(self._points)
        weight = "" if self.weight == 1.0 else f", weight={self.weight}"
        shown = f"({len(self.values)} values)" if isinstance(self.values, tuple) else repr(self.values)
        return f"Measured(({n} point{'s' * (n > 1)}), {shown}{weight})"

    def regions(self, setting: Setting) -> list[Region]:
        """The points."""
        return [points_region(self._points, "", "Measured: points", setting)]

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The unknown itself."""
        return prescribed(self, identity(setting.dimension), self.values, setting)

    def read_value(self, value: Any, what: str, setting: Setting) -> Field:
        """Read an array with one value for each point, or what any condition takes."""
        checked = _check_values(value, len(self._points), what)
        if isinstance(checked, tuple):
            return setting.field(_Recorded(np.array(self._points), np.array(checked)), what)
        return setting.field(checked, what)

    def with_value(self, value: Any, setting: Setting) -> Measured:
        """The same with other values."""
        return replace(self, values=value)

    @property
    def _points(self) -> tuple[tuple[float, ...], ...]:
        assert isinstance(self.points, tuple)
        return self.points


@dataclass(frozen=True, eq=False, repr=False)
class _Recorded:
    """Measured values as a function of some of their points; repeated points have the mean."""

    points: FloatArray
    values: NumberArray

    def __call__(self, points: FloatArray) -> NumberArray:
        if np.array_equal(points, self.points):
            return self.values
        each = [self._by_point.get(point.tobytes(), ()) for point in np.ascontiguousarray(points)]
        return np.array([np.mean(values) if values else np.nan for values in each])

    @cached_property
    def _by_point(self) -> dict[bytes, list[Any]]:
        found: dict[bytes, list[Any]] = {}
        for point, value in zip(np.ascontiguousarray(self.points), self.values, strict=True):
            found.setdefault(point.tobytes(), []).append(value)
        return found

    def __repr__(self) -> str:
        return "measured values"


def _check_values(values: Any, n: int, what: str) -> Any:
    """An array of one value for each of n points as a tuple; anything else as it is."""
    if not isinstance(values, list | tuple) and not (isinstance(values, np.ndarray) and values.ndim):
        check_value(values, what)
        return values
    try:
        array = np.asarray(values, dtype=np.complex128 if np.iscomplexobj(values) else np.float64)
    except (TypeError, ValueError):
        raise ProblemError(f"{what} must be numbers, one for each point; got {values!r}") from None
    if array.shape != (n,):
        raise ProblemError(f"{what} must be one for each of the {n} points, shape ({n},); got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ProblemError(f"{what} must be finite; value number {np.flatnonzero(~np.isfinite(array))[0]} is not")
    return tuple(array.tolist())
