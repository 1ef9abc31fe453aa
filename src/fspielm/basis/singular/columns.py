"""Functions beside a family: at corners, in holes, and outside of joints."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, SupportsFloat, TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import Basis
from fspielm.basis.exact.symbol import roots_of, symbol_of
from fspielm.basis.singular.outgoing import Outgoing, OutgoingDamped, SourceBasis
from fspielm.basis.singular.singular import Angle, CornerFunction, LogPower, Power, SingularBasis, Wave
from fspielm.basis.wrapping import ComplexPairs, DerivedBasis
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.geometry.boundary import Sites, as_number, as_plane_point, as_positive
from fspielm.geometry.crossings import meets_any
from fspielm.geometry.curves import segment
from fspielm.geometry.domain import Corner, Domain, Hole
from fspielm.geometry.plane import Joint, edges_of
from fspielm.problem.changes import SAME_PLACE, change_places, domain_size, find_conflicts, sides_of, values_jump
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import Operator, adjugate, constant_operator, derivative, identity, once
from fspielm.problem.problem import Problem
from fspielm.problem.statement import has_complex_operator

# ---- The singular functions that belong to the corners of a problem's domain


# ---- Which corners get singular functions, as users choose them


Choice: TypeAlias = "bool | Singular | Sequence[Singular] | None"


@final
@dataclass(frozen=True, init=False)
class Singular:
    """Singular functions at one corner: ``fs.solve(problem, singular=fs.Singular((0, 0)))``.

    Near a corner of opening alpha a solution behaves like ``r**s sin(s theta)`` with ``s = k pi / alpha`` (and
    ``s = (k - 1/2) pi / alpha`` where a value is prescribed on one side and a slope on the other), with a logarithm
    where s is whole. These functions, or Bessel functions of order s for Helmholtz' equation, become columns beside
    the cosines.

    Parameters
    ----------
    at : (number, number)
        A corner of the domain; or, with `opening` and `start`, any point of its boundary, such as one where a
        Dirichlet condition gives way to a Neumann condition.
    opening : number, optional
        Interior angle in radians; that of the domain's corner by default.
    start : number, optional
        Direction, in radians from the x axis, of the side from which the interior is swept counterclockwise.
    exponents : sequence of numbers, optional
        The s themselves, where they are known better.
    """

    at: tuple[float, float]
    opening: float | None
    start: float | None
    exponents: tuple[float, ...] | None

    def __init__(
        self,
        at: Iterable[SupportsFloat],
        opening: SupportsFloat | None = None,
        start: SupportsFloat | None = None,
        exponents: Iterable[SupportsFloat] | None = None,
    ) -> None:
        if (opening is None) != (start is None):
            raise ProblemError("Singular: give opening and start together, or neither for a corner of the domain")
        angle = None if opening is None else as_positive(opening, "Singular: opening")
        if angle is not None and angle > 2 * math.pi:
            raise ProblemError(f"Singular: opening must be an angle in radians, at most 2 pi; got {angle}")
        powers = None if exponents is None else tuple(as_positive(s, "Singular: exponents") for s in exponents)
        if powers == ():
            raise ProblemError("Singular: exponents must name at least one; leave it out for those of the corner")
        object.__setattr__(self, "at", as_plane_point(at, "Singular: at"))
        object.__setattr__(self, "opening", angle)
        object.__setattr__(self, "start", None if start is None else as_number(start, "Singular: start"))
        object.__setattr__(self, "exponents", powers)


def check_singular(singular: Any) -> None:
    """Refuse what cannot say where singular functions go."""
    single = singular is None or isinstance(singular, bool | Singular)
    if single or (isinstance(singular, Sequence) and singular and all(isinstance(s, Singular) for s in singular)):
        return
    raise ProblemError(
        "singular must be True (all corners), False (none), or fs.Singular((x, y)) objects for single corners; "
        f"got {singular!r}"
    )


# ---- The singular functions that belong to the corners of a problem's domain, and to where its conditions change


# Exponents up to these: what is left is smooth enough for cosines. Where an equation mixes them, there are more
# functions to each, and fewer exponents do.
_DEGREE = 12.0
_MIXED_DEGREE = 5.0
# The places of the strongest kind get functions, so many at most: each has tens of columns.
_MOST_CORNERS = 12
# By how much of the domain's size the place of a function may be off.
_ROUNDING = 1e-12
# Of functions that grow, over the size of the domain, in units of the exponential's rate: others are nothing at the
# corner, where they are needed.
_MOST_GROWTH = 4.0
# What is equal but for rounding: exponents, relative to one, and coefficients, relative to each other.
_SAME, _SAME_DIGITS = 1e-9, 9
# Rays beside the bisector of the exterior, of half of its opening.
_ASIDE = (0.0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75)
# Where to look whether a ray enters the domain again, in units of the domain's size: close to the corner and along it.
_ALONG_RAY = np.concatenate([np.logspace(-6, -2, 50), np.linspace(0.01, 1, 400)])


@once
def singular_corners(problem: Problem) -> tuple[Corner, ...]:
    """Where the solution of a plane problem may be singular, the strongest kind first.

    At the corners of its domain, and on smooth stretches of the boundary where one kind of condition gives way to
    another or data jump: a corner of opening pi.
    """
    if not is_plane(problem):
        return ()
    corners = [c for c in (*_corners(problem), *change_places(problem)) if is_isotropic(problem, c.point)]
    strongest = sorted(corners, key=lambda corner: _exponents(problem, corner)[0])
    return tuple(islice((c for c in strongest if _cut_is_outside(problem, c)), _MOST_CORNERS))


def singular_changes(problem: Problem) -> tuple[Corner, ...]:
    """Those of the `singular_corners` that are no corners of the domain."""
    corners = _corners(problem)
    return tuple(place for place in singular_corners(problem) if place not in corners)


def jump_places(problem: Problem) -> list[tuple[float, float]]:
    """Those of the `singular_corners` at which prescribed values jump: no smooth function comes close there."""
    return [corner.point for corner in singular_corners(problem) if _exponents(problem, corner)[0] == 0.0]


def missed_jumps(problem: Problem, basis: Basis) -> list[tuple[float, float]]:
    """The `jump_places` at which a basis has no functions, to rounding: such as were made for another problem's.

    Beside the true place, a function that jumps fits all points but those in between, which may be none.
    """
    near = _ROUNDING * domain_size(problem)
    return [place for place in jump_places(problem) if all(math.dist(place, other) > near for other in basis.corners)]


def open_conflicts(problem: Problem) -> list[str]:
    """The corners where values disagree that no singular function holds."""
    conflicts = find_conflicts(problem)
    if not conflicts:
        return []
    held = jump_places(problem)
    near = SAME_PLACE * domain_size(problem)
    return list(dict.fromkeys(c.message for c in conflicts if all(math.dist(c.point, p) > near for p in held)))


def singular_columns(problem: Problem, singular: bool | Singular | Sequence[Singular]) -> tuple[SingularBasis, ...]:
    """The singular functions asked for: at all corners, at the ones named, or none."""
    if isinstance(singular, bool):
        return _at_all_corners(problem) if singular else ()
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        raise ProblemError(
            f"singular functions belong to plane domains without time; domain={problem.domain!r} is none"
        )
    if len(problem.unknowns) > 1 or has_complex_operator(problem.equations[0]):
        raise ProblemError(
            "singular: functions of corners are known for one equation with real coefficients; leave singular=... out"
        )
    wanted = [singular] if isinstance(singular, Singular) else list(singular)
    return tuple(_columns(problem, _find(problem, one), one.exponents) for one in wanted)


def some_singular_columns(problem: Problem, share: float) -> tuple[SingularBasis, ...]:
    """At all corners, the singular functions with exponents up to a share of the highest."""
    if share >= 1.0:
        return _at_all_corners(problem)
    found = []
    for corner in singular_corners(problem):
        every = _exponents(problem, corner)
        found.append(_columns(problem, corner, [s for s in every if s <= share * every[-1]] or every[:1]))
    return tuple(found)


@once
def _at_all_corners(problem: Problem) -> tuple[SingularBasis, ...]:
    return tuple(_columns(problem, corner, None) for corner in singular_corners(problem))


def _columns(problem: Problem, corner: Corner, exponents: Sequence[float] | None) -> SingularBasis:
    scale = domain_size(problem)
    functions = _functions(problem, scale, exponents or _exponents(problem, corner))
    return SingularBasis(corner.point, corner.start + 0.5 * corner.opening, scale, functions)


def _corners(problem: Problem) -> tuple[Corner, ...]:
    return problem.domain.corners([str(symbol) for symbol in problem.coordinates])


def _find(problem: Problem, one: Singular) -> Corner:
    """The corner that is meant."""
    size = domain_size(problem)
    if one.opening is not None and one.start is not None:
        found = Corner(one.at, one.opening, one.start, ("", ""))
    else:
        corners = _corners(problem)
        near = [c for c in corners if math.dist(c.point, one.at) <= SAME_PLACE * size]
        if not near:
            known = ", ".join(f"({c.point[0]:.6g}, {c.point[1]:.6g})" for c in corners) or "none"
            raise ProblemError(
                f"Singular: at={one.at} is no corner of the domain (its corners: {known}); for another point of the "
                "boundary give opening and start"
            )
        found = near[0]
    if not is_isotropic(problem, found.point):
        raise ProblemError(
            "Singular: the highest derivatives of the equation must be a multiple of the Laplacian at the corner "
            f"{found.point}"
        )
    if not _cut_is_outside(problem, found):
        raise ProblemError(
            f"Singular: the ray from {found.point} away from the interior enters the domain again, and the singular "
            "functions would jump across it"
        )
    return found


def free_axis(problem: Problem, corner: Corner) -> float | None:
    """The direction closest to the bisector of the interior whose opposite ray avoids the domain; None without any."""
    middle, beside = corner.start + 0.5 * corner.opening, math.pi - 0.5 * corner.opening
    axes = (middle + share * beside for share in _ASIDE)
    return next((axis for axis in axes if _is_outside(problem, corner, axis + math.pi)), None)


def _cut_is_outside(problem: Problem, corner: Corner) -> bool:
    """Whether the ray across which the functions jump, opposite to the interior's bisector, avoids the domain."""
    return _is_outside(problem, corner, corner.start + 0.5 * corner.opening + math.pi)


def _is_outside(problem: Problem, corner: Corner, away: float) -> bool:
    """Whether a ray from a corner avoids the domain."""
    size = domain_size(problem)
    ray = np.array(corner.point) + (size * _ALONG_RAY)[:, None] * np.array([math.cos(away), math.sin(away)])
    if np.any(problem.domain.contains(ray)):
        return False
    # points may step over a thin wall; its edges do not
    edges = edges_of(problem.domain) or ()
    (x0, y0), (x1, y1) = ray[0], ray[-1]
    return not meets_any(segment((x0, y0), (x1, y1)), [edge.curve for edge in edges])


def _exponents(problem: Problem, corner: Corner, degree: float = _DEGREE) -> list[float]:
    """The s of ``r**s`` that conditions of like kind, or of different kinds, on the two sides allow, up to a degree.

    Between curved sides, and where a condition mixes values and slopes, every one brings those a whole number above.
    Zero stands for the angle, where values jump.
    """
    sides = [[constraint.operator for constraint in side] for side in sides_of(problem, corner)]
    kinds = [{operator.order > 0 for operator in side} for side in sides]
    shift = 0.5 if kinds[0] and kinds[1] and kinds[0].isdisjoint(kinds[1]) else 0.0
    step = math.pi / corner.opening
    count = max(int(degree / step + shift), 1)
    exponents = [(k - shift) * step for k in range(1, count + 1)]
    mixed = any(len({term.order for term in operator.terms}) > 1 for side in sides for operator in side)
    if values_jump(problem, corner):
        exponents = [0.0, *exponents]
    if corner.straight and not mixed:
        return exponents
    raised = {round(s + a, _SAME_DIGITS) for s in exponents for a in range(int(degree)) if s + a <= degree}
    return sorted(raised) or exponents


def leading_exponent(problem: Problem, corner: Corner) -> float:
    """The s of ``r**s``, the strongest of what the solution may have at a corner."""
    return _exponents(problem, corner)[0]


def corner_exponents(problem: Problem, corner: Corner, degree: float) -> list[float]:
    """The s of ``r**s`` up to a degree that the solution may have at a corner, the strongest first."""
    return _exponents(problem, corner, degree)


def _functions(problem: Problem, scale: float, exponents: Sequence[float]) -> list[CornerFunction]:
    """Functions with these exponents that the equation's solutions are made of near the corner.

    Laplace's equation has the powers themselves, Helmholtz' the Bessel functions of these orders; any other equation
    mixes in higher powers of zeta and its conjugate. A whole exponent brings a logarithm: without it, the function
    would be smooth. Zero brings the angle alone.
    """
    ratio = helmholtz_ratio(problem)
    if ratio is not None and math.sqrt(max(-ratio, 0.0)) * scale > _MOST_GROWTH:
        ratio = None
    whole = [float(round(s)) for s in exponents if abs(s - round(s)) < _SAME]
    broken = [s for s in exponents if abs(s - round(s)) >= _SAME]
    if ratio is None:
        return [*_mixed(broken, False), *_mixed(whole, True)]
    k, modified = math.sqrt(abs(ratio)) * scale, ratio < 0
    if k == 0.0:
        return [*(Power(s) for s in broken), *(Power(s, 0, True) if s else Angle() for s in whole)]
    return [
        *(Wave(s, k, modified) for s in broken),
        *(Wave(s, k, modified, True) if s else Angle(k, modified) for s in whole),
    ]


def _mixed(exponents: Iterable[float], logarithm: bool) -> list[CornerFunction]:
    """``zeta**(s + a) * conjugate(zeta)**b`` for all whole a, b >= 0 up to the degree, each once."""
    powers = {
        (round(s + a, _SAME_DIGITS), b)
        for s in exponents
        for a in range(int(_MIXED_DEGREE) + 1)
        for b in range(int(_MIXED_DEGREE) + 1)
        if s + a + b <= max(_MIXED_DEGREE, s)
    }
    return [Power(s, b, logarithm) if s or b else Angle() for s, b in sorted(powers)]


def is_plane(problem: Problem) -> bool:
    """Whether it is one of a single unknown in the plane, without time, of second order and with real coefficients."""
    if problem.domain.dimension != 2 or problem.domain.time is not None or len(problem.unknowns) > 1:
        return False
    return problem.operator.order == 2 and not has_complex_operator(problem.equations[0])


def helmholtz_ratio(problem: Problem) -> float | None:
    """K of ``laplacian u + K u``, up to a factor, with constant coefficients; None for any other equation."""
    coefficients = {term.orders: term.coefficient for term in problem.operator.terms}
    if not problem.operator.is_constant or set(coefficients) - {(2, 0), (0, 2), (0, 0)}:
        return None
    main, other, value = (coefficients.get(orders, 0.0) for orders in ((2, 0), (0, 2), (0, 0)))
    assert not callable(main)
    assert not callable(other)
    assert not callable(value)
    if main == 0.0 or abs(other - main) > _SAME * abs(main):
        return None
    ratio = value / main
    return None if isinstance(ratio, complex) else ratio


def is_isotropic(problem: Problem, point: tuple[float, float]) -> bool:
    """Whether the second derivatives make a multiple of the Laplacian at the corner."""
    here = Sites(np.array([point]))
    try:
        second = {term.orders: float(term.at(here)[0]) for term in problem.operator.terms if term.order == 2}
    except ProblemError:  # a coefficient that is not finite there
        return False
    main = second.get((2, 0), 0.0)
    small = _SAME * abs(main)
    return main != 0.0 and abs(second.get((0, 2), 0.0) - main) <= small and abs(second.get((1, 1), 0.0)) <= small


# ---- The functions that belong to the holes of a problem's domain


# ---- Fields of several unknowns that belong to a hole: point forces and turns, sources, and all of higher order
# They are derivatives of the fundamental solutions of a system, which come from those of its determinant by the
# adjugate of the matrix of operators. Of what the columns of the adjugate make, most is the same: what is independent
# is kept.


# Angles, in radians, between directions along which a symbol is compared; and by how much it may differ.
_TURNS = (0.0, 0.7, 1.9, 2.6)
_SAME_HOLES = 1e-10
# What is left of a field, of size one, beside those it depends on.
_DEPENDENT = 1e-7
# Points on a circle for each order, at least, and orders beyond the highest that derivatives bring.
_PER_ORDER, _MORE_ORDERS = 2, 6
# A column that makes nothing new of so many orders makes nothing new of higher ones.
_PATIENCE = 3
# See `holes`: of functions that fall off within a fraction of the hole's radius.
_MOST_DECAY = 20.0


def laplacian_factors(problem: Problem) -> list[tuple[complex, int]]:
    """K, and its multiplicity, of the factors ``laplacian + K`` that a system's determinant is made of, if it is."""
    try:
        symbol = symbol_of(problem.determinant)
    except UnsuitableError:
        return []
    directions = np.array([(math.cos(turn), math.sin(turn)) for turn in _TURNS])
    polynomials = symbol.along(np.zeros((len(directions), 2), dtype=np.complex128), directions)
    size = np.abs(polynomials).max(axis=1)
    even, odd = polynomials[:, ::2], polynomials[:, 1::2]
    if np.any(np.abs(odd) > _SAME_HOLES * size.max()) or np.any(np.abs(even - even[0]) > _SAME_HOLES * size.max()):
        return []
    return [
        (root.real if abs(root.imag) <= _SAME_HOLES * abs(root) else root, times) for root, times in roots_of(even[0])
    ]


def hole_fields(problem: Problem, hole: Hole, orders: int) -> tuple[Basis, ...]:
    """Independent fields of a system up to a number of orders, about the center of a hole."""
    factors = laplacian_factors(problem)
    columns = [_scaled(column, problem, hole.radius) for column in _columns_holes(problem)] if factors else []
    rim, scales = _rim(hole, orders), natural_scales(problem, np.full(problem.dimension, 1 / hole.radius))
    chosen: list[list[CornerFunction]] = [[] for _ in columns]
    idle = [0] * len(columns)
    seen = _Seen(len(rim) * len(scales))
    for n in range(orders + 1):
        functions = _of_order(n, factors, hole.radius)
        for place, column in enumerate(columns):
            if not functions or idle[place] >= _PATIENCE:
                continue
            fields = DerivedBasis(_around(hole, functions), column)
            values = [fields.matrix(identity(2).on(j), rim) / scale for j, scale in enumerate(scales)]
            ends = np.cumsum([_around(hole, [function]).size for function in functions])
            each = np.split(np.concatenate(values), ends[:-1], axis=1)
            new = [function for function, both in zip(functions, each, strict=True) if seen.add(both)]
            chosen[place] += new
            idle[place] = 0 if new else idle[place] + 1
    return tuple(
        DerivedBasis(_around(hole, some), column) for some, column in zip(chosen, columns, strict=True) if some
    )


def _around(hole: Hole, functions: Sequence[CornerFunction]) -> Basis:
    basis = SingularBasis(hole.center, 0.0, hole.radius, functions)
    return ComplexPairs(basis) if isinstance(functions[0], OutgoingDamped) else basis


def _rim(hole: Hole, orders: int) -> Sites:
    """Points on the rim of a hole and close to it, which tell fields of so many orders apart."""
    number = _PER_ORDER * (orders + _MORE_ORDERS)
    radii = hole.radius * np.array([1.0, 1.0 + 1.0 / (orders + 1)])
    angles = 2 * np.pi * (np.arange(number) + np.array([[0.0], [0.5]])) / number
    circles = (radii[:, None] * np.stack([np.cos(angles), np.sin(angles)])).reshape(2, -1).T
    return Sites(np.array(hole.center) + circles)


def _of_order(n: int, factors: Sequence[tuple[complex, int]], radius: float) -> list[CornerFunction]:
    """Functions singular in the center that the determinant annihilates; those of order zero have logarithms."""
    if any(isinstance(ratio, complex) for ratio, _ in factors):
        return _damped(n, factors, radius)
    found: list[CornerFunction] = []
    for ratio, multiplicity in factors:
        k = math.sqrt(abs(ratio)) * radius
        if ratio == 0.0 and n == 0:
            found += [LogPower(a, b) for a in range(multiplicity) for b in range(a + 1)]
        elif ratio == 0.0:
            found += [Power(-n, q) for q in range(multiplicity)]
        elif multiplicity == 1 and (ratio.real > 0 or k <= _MOST_DECAY):
            found.append(Outgoing(n, k, ratio.real < 0))
    return found


def _damped(n: int, factors: Sequence[tuple[complex, int]], radius: float) -> list[CornerFunction]:
    """The same where wavenumbers are complex: functions that turn one way, and the other."""
    found: list[CornerFunction] = []
    for ratio, multiplicity in factors:
        k = radius * cmath.sqrt(ratio)
        k = -k if k.imag < 0 else k
        if ratio and multiplicity == 1 and k.imag <= _MOST_DECAY:
            found += [OutgoingDamped(order, k) for order in dict.fromkeys((n, -n))]
    return found


def _columns_holes(problem: Problem) -> list[list[Operator]]:
    """Those of the adjugate, one after the other."""
    operators = [constant_operator(equation.operator).operator for equation in problem.equations]
    rows = adjugate(operators, len(problem.unknowns))
    return [list(column) for column in zip(*rows, strict=True)]


def _scaled(column: Sequence[Operator], problem: Problem, radius: float) -> list[Operator]:
    """A column that makes fields of a natural size from functions of size one around the hole."""
    scales = natural_scales(problem, np.full(problem.dimension, 1 / radius))
    sizes = [
        sum(abs(t.coefficient) * radius**-t.order for t in operator.terms if not callable(t.coefficient)) / scale
        for operator, scale in zip(column, scales, strict=True)
    ]
    return [operator.times(1 / (max(sizes) or 1.0)) for operator in column]


class _Seen:
    """Orthonormal directions of the fields that were kept."""

    def __init__(self, rows: int) -> None:
        self._directions: NumberArray = np.empty((rows, 0))

    def add(self, fields: NumberArray) -> bool:
        """Keep fields that are not made of those that are there; False if they are."""
        size = np.linalg.norm(fields, axis=0)
        if not np.all(size > 0):
            return False
        left: NumberArray = fields / size
        for _ in range(2):  # the second time, of the rounding of the first
            left = left - self._directions @ (self._directions.conj().T @ left)
        directions, triangle = np.linalg.qr(left)
        new = np.abs(np.diag(triangle)) > _DEPENDENT
        self._directions = np.concatenate([self._directions, directions[:, new]], axis=1)
        return bool(new.any())


# ---- The functions that belong to the holes of a problem's domain
# Around a hole a solution need not continue into it: log r is one of Laplace's. Cosines, which are smooth everywhere,
# find it hard to come close to such a solution; multipoles in the hole do not.


# Of what the rest of the boundary mirrors into a hole: as many orders of multipoles as these take, within bounds
# however far or close it is.
_DIGITS = 12.0
_FEWEST_ORDERS, _MOST_ORDERS = 8, 60
# Waves that are short beside a hole take more, up to so many.
_MOST_WAVE_ORDERS = 200
# The smallest holes have multipoles, so many of them at most.
_MOST_HOLES = 24
# K decays within a fraction of the hole's radius: nothing then reaches into the domain that cosines could not hold.


@once
def hole_columns(problem: Problem) -> tuple[Basis, ...]:
    """Multipoles in every hole of a plane domain, for equations of second order with the Laplacian in front.

    And for systems, and equations with complex coefficients, whose determinant is made of Laplacians and numbers.
    """
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        return ()
    holes = sorted(problem.domain.hole_places(), key=lambda hole: hole.radius)[:_MOST_HOLES]
    if len(problem.unknowns) > 1 or has_complex_operator(problem.equations[0]):
        return tuple(fields for hole in holes for fields in _fields(problem, hole))
    if not is_plane(problem):
        return ()
    return tuple(
        SingularBasis(hole.center, 0.0, hole.radius, functions)
        for hole in holes
        if is_isotropic(problem, _beside(hole)) and (functions := multipoles(hole, helmholtz_ratio(problem)))
    )


def _beside(hole: Hole) -> tuple[float, float]:
    """A point on the rim, or close to it: coefficients need not be defined in the hole."""
    return hole.center[0] + hole.radius, hole.center[1]


def _orders(hole: Hole) -> int:
    """How many orders hold what the rest of the boundary mirrors into the hole: it converges geometrically."""
    closeness = math.log1p(hole.clearance / hole.radius)
    return min(max(math.ceil(_DIGITS * math.log(10) / closeness), _FEWEST_ORDERS), _MOST_ORDERS)


def _wave_orders(k: float) -> int:
    """All that waves of this length tell apart on the rim, and some that fall off from it."""
    return min(math.ceil(k + 6 * math.cbrt(k)) + _FEWEST_ORDERS, _MOST_WAVE_ORDERS)


def _fields(problem: Problem, hole: Hole) -> tuple[Basis, ...]:
    """Of a system, or with complex coefficients; none where those vary, or its determinant is not isotropic."""
    ratios = [ratio for ratio, _ in laplacian_factors(problem) if ratio.real > 0]
    waves = [_wave_orders(math.sqrt(abs(ratio)) * hole.radius) for ratio in ratios]
    return hole_fields(problem, hole, max(_orders(hole), *waves, 0))


def multipoles(hole: Hole, ratio: float | None) -> list[CornerFunction]:
    """Those in a hole that satisfy an equation with this `helmholtz_ratio`; of Laplace's where there is none."""
    orders = _orders(hole)
    if not ratio:  # also where lower terms are there: the strongest part of the solution is the Laplacian's
        return [Power(0, 0, True), *(Power(-n) for n in range(1, orders + 1))]
    k = math.sqrt(abs(ratio)) * hole.radius
    if ratio < 0 and k > _MOST_DECAY:
        return []
    if ratio > 0:
        orders = max(orders, _wave_orders(k))

    return [Outgoing(n, k, ratio < 0) for n in range(orders + 1)]


# ---- Functions beside a family: at corners, in holes, and outside of joints


# ---- Functions beside the features: singular ones at corners, multipoles in holes


_SATISFIED = 1e-8


def special_columns(
    problem: Problem, singular: bool | Singular | Sequence[Singular], share: float = 1.0
) -> tuple[Basis, ...]:
    """All there are (True), none (False), or the singular functions of the corners named.

    Of all there are, if so wanted, only a `share` of those at each corner: the ones with the lowest exponents.
    """
    if problem.domain.is_unbounded:
        return ()  # such functions neither radiate nor stay bounded
    corners = some_singular_columns(problem, share) if singular is True else singular_columns(problem, singular)
    return (*corners, *hole_columns(problem)) if singular is True else corners


def special_names(problem: Problem) -> str:
    """What `special_columns` are, for reports."""
    at = "corners and changes of conditions" if singular_changes(problem) else "the corners"
    found = {
        f"singular functions at {at}": singular_corners(problem),
        "multipoles in the holes": hole_columns(problem),
    }
    return ", ".join(name for name, there in found.items() if there)


def satisfies(problem: Problem, columns: Basis) -> bool:
    """Whether functions satisfy the equation without its right-hand side, at some points."""
    sites = Sites(problem.domain.sample(20, np.random.default_rng(0)))  # only looks
    for equation in problem.equations:
        image = np.abs(columns.matrix(equation.operator, sites))
        terms = [
            term.at(sites)[:, None] * columns.matrix(derivative(term.orders).on(term.unknown), sites)
            for term in equation.operator.terms
        ]
        if not np.all(image <= _SATISFIED * np.sum(np.abs(terms), axis=0)):
            return False
    return True


# ---- Sources outside of a domain that crowd toward the joints of its boundary


# How fast they crowd, and how far from the normal their rays are, in radians: on the normal itself all were symmetric.
_CROWDING, _ASIDE_COLUMNS = 2.0, 0.5
# The farthest one, of the shorter curve there.
_FARTHEST = 0.15


def joint_sources(joints: Sequence[Joint], count: int, ratio: float, domain: Domain) -> SourceBasis | None:
    """`count` sources on either side of the normal at each joint; None if there are none.

    Between curves of other curvature a solution is no analytic function: across a straight line it would continue as
    its mirror image, across an arc otherwise. What is singular there, about ``r^2 log r``, is that of sources which
    crowd exponentially. `ratio` is that of the equation, see `SourceBasis`.
    """
    if not joints or not count:
        return None
    points, distances = zip(*(_toward(joint, count) for joint in joints), strict=True)
    placed, clearances = np.concatenate(points), np.concatenate(distances) * np.cos(_ASIDE_COLUMNS)
    outside = ~domain.contains(placed)
    return SourceBasis(placed[outside], ratio, clearances[outside]) if outside.any() else None


def _toward(joint: Joint, count: int) -> tuple[FloatArray, FloatArray]:
    index = np.arange(1, count + 1)
    distances = _FARTHEST * joint.length * np.exp(-_CROWDING * (np.sqrt(count) - np.sqrt(index)))
    rays = [
        np.array([np.cos(joint.away + side), np.sin(joint.away + side)]) for side in (-_ASIDE_COLUMNS, _ASIDE_COLUMNS)
    ]
    points = np.concatenate([np.array(joint.point) + distances[:, None] * ray for ray in rays])
    return points, np.tile(distances, 2)
