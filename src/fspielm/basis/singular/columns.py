"""Special functions of a problem: singular ones at corners, multipoles in holes, sources outside of joints."""

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
from fspielm.basis.exact.symbol import DIGITS, roots_of, symbol_of
from fspielm.basis.singular.outgoing import Outgoing, OutgoingDamped, SourceBasis
from fspielm.basis.singular.singular import LOGARITHM, Angle, CornerFunction, LogPower, Power, SingularBasis, Wave
from fspielm.basis.wrapping import ComplexPairs, DerivedBasis
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.geometry.boundary import Sites, as_number, as_plane_point, as_positive
from fspielm.geometry.crossings import meets_any
from fspielm.geometry.curves import LOOKS, segment
from fspielm.geometry.domain import Corner, Domain, Hole
from fspielm.geometry.plane import Joint, edges_of
from fspielm.numerics.tolerances import CLOSE, ROUNDED, SAME
from fspielm.problem.changes import SAME_PLACE, change_places, domain_size, find_conflicts, sides_of, values_jump
from fspielm.problem.derived import natural_scales
from fspielm.problem.operator import Operator, adjugate, cache_by_object, constant_operator, derivative, identity
from fspielm.problem.problem import Problem
from fspielm.problem.statement import has_complex_operator

Choice: TypeAlias = "bool | Singular | Sequence[Singular] | None"


@final
@dataclass(frozen=True, init=False)
class Singular:
    """Singular functions at one corner: ``fs.solve(problem, singular=fs.Singular((0, 0)))``.

    Near a corner of opening alpha a solution behaves like ``r**s sin(s theta)`` with ``s = k pi / alpha`` (or
    ``s = (k - 1/2) pi / alpha`` if a value is prescribed on one side and a slope on the other), with a logarithm if s
    is an integer. These functions, or Bessel functions of order s for Helmholtz' equation, are added to the cosines.

    Parameters
    ----------
    at : (number, number)
        A corner of the domain; or, with `opening` and `start`, any point of its boundary, such as one where a
        Dirichlet condition changes to a Neumann condition.
    opening : number, optional
        Interior angle in radians; by default that of the domain's corner.
    start : number, optional
        Direction, in radians from the x axis, of the side from which the interior is swept counterclockwise.
    exponents : sequence of numbers, optional
        The exponents s, if you know them.
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
    """Raise `ProblemError` for an invalid choice of singular functions."""
    single = singular is None or isinstance(singular, bool | Singular)
    if single or (isinstance(singular, Sequence) and singular and all(isinstance(s, Singular) for s in singular)):
        return
    raise ProblemError(
        "singular must be True (all corners), False (none), or fs.Singular((x, y)) objects for single corners; "
        f"got {singular!r}"
    )


# ---- Singular functions at corners and at changes of conditions

# Highest exponents; the rest is smooth enough for cosines. An equation that mixes exponents has more functions for
# each, and needs fewer exponents.
_DEGREE = 12.0
_MIXED_DEGREE = 5.0
# Functions are made for at most this many corners, the strongest first: each has tens of columns.
_MOST_CORNERS = 12
# Largest exponent of growing functions over the domain: steeper ones vanish at the corner, where they are needed.
_MOST_GROWTH = 4.0
# Rays that are tried, the nearest to the bisector of the exterior first: tilts relative to half its opening.
_TILTS = sorted(np.linspace(-1.0, 1.0, LOOKS + 1)[1:-1].tolist(), key=abs)
# Distances along a ray at which to check whether it enters the domain again, in units of the domain's size.
_ALONG_RAY = np.concatenate([np.logspace(-6, -2, 50), np.linspace(0.01, 1, 400)])


@final
@dataclass(frozen=True)
class Singularity:
    """A place of the boundary around which a solution behaves like powers of the distance.

    Attributes
    ----------
    corner : Corner
        The place, and the sector of the domain there.
    exponents : tuple of float
        Those of the powers, the lowest first; see `corner_exponents`.
    is_change : bool
        Whether the kind of condition changes or data jump there, rather than the direction of the boundary.
    """

    corner: Corner
    exponents: tuple[float, ...]
    is_change: bool


@cache_by_object
def singularities(problem: Problem) -> tuple[Singularity, ...]:
    """The places where the solution of a plane problem may be singular, the strongest singularity first.

    These are the corners of its domain, and points of the smooth boundary where the kind of condition changes or data
    jump: corners of opening pi.
    """
    if not is_plane(problem):
        return ()
    places = [*((c, False) for c in _domain_corners(problem)), *((c, True) for c in change_places(problem))]
    found = [
        Singularity(corner, tuple(corner_exponents(problem, corner)), is_change)
        for corner, is_change in places
        if is_isotropic(problem, corner.point)
    ]
    strongest = sorted(found, key=lambda each: each.exponents[0])
    return tuple(islice((each for each in strongest if _cut_is_outside(problem, each.corner)), _MOST_CORNERS))


def jump_places(problem: Problem) -> list[tuple[float, float]]:
    """The `singularities` at which prescribed values jump, which no smooth function can approximate."""
    return [each.corner.point for each in singularities(problem) if each.exponents[0] == 0.0]


def missed_jumps(problem: Problem, basis: Basis) -> list[tuple[float, float]]:
    """The `jump_places` at which a basis has no functions, for example because it was made for another problem.

    The position must match to rounding: a function that jumps nearby fits all points except those in between, of which
    there may be none.
    """
    near = ROUNDED * domain_size(problem)
    return [place for place in jump_places(problem) if all(math.dist(place, other) > near for other in basis.corners)]


def open_conflicts(problem: Problem) -> list[str]:
    """Messages about corners where prescribed values disagree and no singular function can represent that."""
    conflicts = find_conflicts(problem)
    if not conflicts:
        return []
    jumps = jump_places(problem)
    near = SAME_PLACE * domain_size(problem)
    return list(dict.fromkeys(c.message for c in conflicts if all(math.dist(c.point, p) > near for p in jumps)))


def _singular_columns(problem: Problem, singular: Singular | Sequence[Singular]) -> tuple[SingularBasis, ...]:
    """The singular functions at corners that are named."""
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        raise ProblemError(
            f"singular functions belong to plane domains without time; domain={problem.domain!r} is none"
        )
    if len(problem.unknowns) > 1 or has_complex_operator(problem.equations[0]):
        raise ProblemError(
            "singular: functions of corners are known for one equation with real coefficients; leave singular=... out"
        )
    wanted = [singular] if isinstance(singular, Singular) else list(singular)
    corners = [_corner_meant(problem, one) for one in wanted]
    return tuple(
        _corner_columns(problem, corner, one.exponents or corner_exponents(problem, corner))
        for corner, one in zip(corners, wanted, strict=True)
    )


def _leading_columns(problem: Problem, share: float) -> tuple[SingularBasis, ...]:
    """The singular functions at all corners with exponents up to a share of the highest."""
    return tuple(
        _corner_columns(
            problem, each.corner, [s for s in each.exponents if s <= share * each.exponents[-1]] or each.exponents[:1]
        )
        for each in singularities(problem)
    )


@cache_by_object
def _columns_at_all_corners(problem: Problem) -> tuple[SingularBasis, ...]:
    return _leading_columns(problem, 1.0)


def _corner_columns(problem: Problem, corner: Corner, exponents: Sequence[float]) -> SingularBasis:
    scale = domain_size(problem)
    axis = corner.start + 0.5 * corner.opening
    return SingularBasis(corner.point, axis, scale, _functions(helmholtz_ratio(problem), scale, exponents))


@cache_by_object
def known_corners(problem: Problem) -> tuple[Corner, ...]:
    """All corners and changes of conditions whose singular functions are known; coefficients may be complex."""
    domain = problem.domain
    if domain.dimension != 2 or domain.time is not None or len(problem.unknowns) > 1 or problem.operator.order != 2:
        return ()
    places = (*_domain_corners(problem), *change_places(problem))
    return tuple(each for each in places if is_isotropic(problem, each.point) and _has_plain_sides(problem, each))


def _has_plain_sides(problem: Problem, corner: Corner) -> bool:
    """Whether conditions on both sides are on values, or on slopes along the normal."""
    along = corner.start + np.array([0.0, corner.opening])
    normals = np.array([[math.sin(along[0]), -math.cos(along[0])], [-math.sin(along[1]), math.cos(along[1])]])
    for side, normal in zip(sides_of(problem, corner), normals, strict=True):
        here = Sites(np.array([corner.point]), normal[None])
        if not side:
            return False
        for condition in side:
            slope = np.zeros(2, dtype=np.complex128)
            for term in condition.operator.terms:
                if term.order == 1:
                    slope += np.reshape(term.at(here), -1)[0] * np.array(term.orders)
            oblique = abs(slope[0] * normal[1] - slope[1] * normal[0])
            if condition.operator.order > 1 or oblique > CLOSE * np.linalg.norm(slope):
                return False
    return True


def local_columns(problem: Problem, corner: Corner, axis: float, scale: float, highest: float) -> SingularBasis:
    """The singular functions of a corner with powers up to the `highest`, for cells of some `scale` around it.

    They jump across the ray opposite to the direction `axis`.
    """
    exponents = corner_exponents(problem, corner, highest)
    # other linearisations, on the same functions, have other coefficients
    ratio = None if problem.is_linearisation else helmholtz_ratio(problem)
    return SingularBasis(corner.point, axis, scale, _functions(ratio, scale, exponents, highest))


def _domain_corners(problem: Problem) -> tuple[Corner, ...]:
    return problem.domain.corners([str(symbol) for symbol in problem.coordinates])


def _corner_meant(problem: Problem, one: Singular) -> Corner:
    if one.opening is not None and one.start is not None:
        found = Corner(one.at, one.opening, one.start, ("", ""))
    else:
        corners = _domain_corners(problem)
        near = [c for c in corners if math.dist(c.point, one.at) <= SAME_PLACE * domain_size(problem)]
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
    return next((axis for axis in axes_at(corner) if _is_outside(problem, corner, axis + math.pi)), None)


def axes_at(corner: Corner) -> list[float]:
    """Directions whose opposite rays leave a corner to the outside, those close to the bisector first."""
    middle, half_outside = corner.start + 0.5 * corner.opening, math.pi - 0.5 * corner.opening
    return [middle + tilt * half_outside for tilt in _TILTS]


def _cut_is_outside(problem: Problem, corner: Corner) -> bool:
    """Whether the ray across which functions jump, opposite to the interior's bisector, avoids the domain."""
    return _is_outside(problem, corner, corner.start + 0.5 * corner.opening + math.pi)


def _is_outside(problem: Problem, corner: Corner, away: float) -> bool:
    """Whether the ray from a corner in the direction `away` avoids the domain."""
    size = domain_size(problem)
    ray = np.array(corner.point) + (size * _ALONG_RAY)[:, None] * np.array([math.cos(away), math.sin(away)])
    if np.any(problem.domain.contains(ray)):
        return False
    # the points may step over a thin wall, so intersect its edges too
    edges = edges_of(problem.domain) or ()
    (x0, y0), (x1, y1) = ray[0], ray[-1]
    return not meets_any(segment((x0, y0), (x1, y1)), [edge.curve for edge in edges])


def corner_exponents(problem: Problem, corner: Corner, degree: float = _DEGREE) -> list[float]:
    """The exponents s of ``r**s`` up to a degree that a solution may contain at a corner, the lowest first.

    They depend on whether the conditions on both sides are of the same kind. If a side is curved, or a condition mixes
    values and slopes, each exponent brings those an integer above it. Zero stands for the angle, where values jump.
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
    raised = {round(s + a, DIGITS): s + a for s in exponents for a in range(int(degree)) if s + a <= degree}
    return sorted(raised.values()) or exponents


def leading_exponent(problem: Problem, corner: Corner) -> float:
    """The lowest exponent s of ``r**s`` that a solution may contain at a corner."""
    return corner_exponents(problem, corner)[0]


def _functions(
    ratio: float | None, scale: float, exponents: Sequence[float], mixed: float = _MIXED_DEGREE
) -> list[CornerFunction]:
    """Functions with these exponents that represent solutions of an equation with this `helmholtz_ratio` near a corner.

    These are powers for Laplace's equation and Bessel functions for Helmholtz' equation; other equations add higher
    powers of zeta and its conjugate. An integer exponent brings a logarithm, without which the function would be
    smooth. Zero brings the angle alone. Powers of both have a sum of at most `mixed`.
    """
    if ratio is not None and math.sqrt(max(-ratio, 0.0)) * scale > _MOST_GROWTH:
        ratio = None
    integers = [float(round(s)) for s in exponents if abs(s - round(s)) < SAME]
    others = [s for s in exponents if abs(s - round(s)) >= SAME]
    if ratio is None:
        return [*_mixed_powers(others, mixed, False), *_mixed_powers(integers, mixed, True)]
    k, modified = math.sqrt(abs(ratio)) * scale, ratio < 0
    if k == 0.0:
        return [*(Power(s) for s in others), *(Power(s, 0, True) if s else Angle() for s in integers)]
    return [
        *(Wave(s, k, modified) for s in others),
        *(Wave(s, k, modified, True) if s else Angle(k, modified) for s in integers),
    ]


def _mixed_powers(exponents: Iterable[float], highest: float, logarithm: bool) -> list[CornerFunction]:
    """``zeta**(s + a) * conjugate(zeta)**b`` for all integers a, b >= 0 up to the degree, each once."""
    powers = {
        (round(s + a, DIGITS), b): (s + a, b)
        for s in exponents
        for a in range(int(highest) + 1)
        for b in range(int(highest) + 1)
        if s + a + b <= max(highest, s)
    }
    return [Power(s, b, logarithm) if s or b else Angle() for s, b in sorted(powers.values())]


def is_plane(problem: Problem) -> bool:
    """Whether the problem has one unknown in the plane, no time, second order and real coefficients."""
    if problem.domain.dimension != 2 or problem.domain.time is not None or len(problem.unknowns) > 1:
        return False
    return problem.operator.order == 2 and not has_complex_operator(problem.equations[0])


def helmholtz_ratio(problem: Problem) -> float | None:
    """K if the equation is a multiple of ``laplacian u + K u`` with constant coefficients, otherwise None."""
    coefficients = {term.orders: term.coefficient for term in problem.operator.terms}
    if not problem.operator.is_constant or set(coefficients) - {(2, 0), (0, 2), (0, 0)}:
        return None
    main, other, value = (coefficients.get(orders, 0.0) for orders in ((2, 0), (0, 2), (0, 0)))
    assert not callable(main)
    assert not callable(other)
    assert not callable(value)
    if main == 0.0 or abs(other - main) > SAME * abs(main):
        return None
    ratio = value / main
    return None if isinstance(ratio, complex) else ratio


def is_isotropic(problem: Problem, point: tuple[float, float]) -> bool:
    """Whether the second derivatives form a multiple of the Laplacian at a point."""
    here = Sites(np.array([point]))
    try:
        second = {term.orders: complex(term.at(here)[0]) for term in problem.operator.terms if term.order == 2}
    except ProblemError:  # a coefficient is not finite there
        return False
    main = second.get((2, 0), 0.0)
    small = SAME * abs(main)
    return main != 0.0 and abs(second.get((0, 2), 0.0) - main) <= small and abs(second.get((1, 1), 0.0)) <= small


# ---- Singular fields of systems in holes: point forces, point torques, sources, and those of higher order
# They are derivatives of fundamental solutions of the system, which the adjugate of the matrix of operators makes from
# those of the determinant. The columns of the adjugate make largely the same fields; only independent ones are kept.

# Orders to spare: of the images that the rest of the boundary makes, beyond waves, and beyond fields for their
# derivatives.
_SPARE_ORDERS = 8
# Functions that decay faster, in units of the hole's radius, do not reach into the domain beyond what cosines hold.
_MOST_DECAY = 20.0


def laplacian_factors(problem: Problem) -> list[tuple[complex, int]]:
    """The factors ``laplacian + K`` of a system's determinant, as pairs of K and its multiplicity.

    Empty if the determinant is not a product of such factors.
    """
    try:
        symbol = symbol_of(problem.determinant)
    except UnsuitableError:
        return []
    # directions at 0, 1, 2 and 3 radians
    directions = np.array([(math.cos(angle), math.sin(angle)) for angle in range(4)])
    polynomials = symbol.along(np.zeros((len(directions), 2), dtype=np.complex128), directions)
    size = np.abs(polynomials).max(axis=1)
    even, odd = polynomials[:, ::2], polynomials[:, 1::2]
    if np.any(np.abs(odd) > SAME * size.max()) or np.any(np.abs(even - even[0]) > SAME * size.max()):
        return []
    return [(root.real if abs(root.imag) <= SAME * abs(root) else root, times) for root, times in roots_of(even[0])]


def _hole_fields(problem: Problem, hole: Hole, orders: int) -> tuple[Basis, ...]:
    """Independent fields of a system around the center of a hole, up to an order."""
    factors = laplacian_factors(problem)
    operators = [constant_operator(equation.operator).operator for equation in problem.equations] if factors else []
    scales = natural_scales(problem, np.full(problem.dimension, 1 / hole.radius))
    adjugates = zip(*adjugate(operators, len(problem.unknowns)), strict=True) if factors else ()
    columns = [_scaled_column(column, scales, hole.radius) for column in adjugates]
    rim = _rim(hole, orders)
    chosen: list[list[CornerFunction]] = [[] for _ in columns]
    span = _Span(len(rim) * len(scales))
    for n in range(orders + 1):
        functions = _functions_of_order(n, factors, hole.radius)
        for number, column in enumerate(columns if functions else ()):
            fields = DerivedBasis(_hole_basis(hole, functions), column)
            values = [fields.matrix(identity(2).on(j), rim) / scale for j, scale in enumerate(scales)]
            ends = np.cumsum([_hole_basis(hole, [function]).size for function in functions])
            by_function = np.split(np.concatenate(values), ends[:-1], axis=1)
            chosen[number] += [f for f, both in zip(functions, by_function, strict=True) if span.add(both)]
    return tuple(
        DerivedBasis(_hole_basis(hole, kept), column) for kept, column in zip(chosen, columns, strict=True) if kept
    )


def _hole_basis(hole: Hole, functions: Sequence[CornerFunction]) -> Basis:
    basis = SingularBasis(hole.center, 0.0, hole.radius, functions)
    return ComplexPairs(basis) if isinstance(functions[0], OutgoingDamped) else basis


def _rim(hole: Hole, orders: int) -> Sites:
    """Points on the rim of a hole and close to it that distinguish fields up to an order."""
    number = 2 * (orders + _SPARE_ORDERS)
    radii = hole.radius * np.array([1.0, 1.0 + 1.0 / (orders + 1)])
    angles = 2 * np.pi * (np.arange(number) + np.array([[0.0], [0.5]])) / number
    circles = (radii[:, None] * np.stack([np.cos(angles), np.sin(angles)])).reshape(2, -1).T
    return Sites(np.array(hole.center) + circles)


def _functions_of_order(n: int, factors: Sequence[tuple[complex, int]], radius: float) -> list[CornerFunction]:
    """Functions that are singular at the center and that the determinant annihilates; order zero has logarithms."""
    found: list[CornerFunction] = []
    are_damped = any(isinstance(ratio, complex) for ratio, _ in factors)
    for ratio, multiplicity in factors:
        if are_damped:  # the orders n and -n
            k = radius * cmath.sqrt(ratio)
            k = -k if k.imag < 0 else k
            if ratio and multiplicity == 1 and k.imag <= _MOST_DECAY:
                found += [OutgoingDamped(order, k) for order in dict.fromkeys((n, -n))]
        elif ratio == 0.0 and n == 0:
            found += [LogPower(a, b) for a in range(multiplicity) for b in range(a + 1)]
        elif ratio == 0.0:
            found += [Power(-n, q) for q in range(multiplicity)]
        elif multiplicity == 1 and (ratio.real > 0 or math.sqrt(abs(ratio)) * radius <= _MOST_DECAY):
            found.append(Outgoing(n, math.sqrt(abs(ratio)) * radius, ratio.real < 0))
    return found


def _scaled_column(column: Sequence[Operator], scales: FloatArray, radius: float) -> list[Operator]:
    """The column scaled so that functions of size one around the hole make fields of natural size."""
    sizes = [
        sum(abs(t.coefficient) * radius**-t.order for t in operator.terms if not callable(t.coefficient)) / scale
        for operator, scale in zip(column, scales, strict=True)
    ]
    return [operator.times(1 / (max(sizes) or 1.0)) for operator in column]


class _Span:
    """The space spanned by the fields that were kept, as orthonormal directions."""

    def __init__(self, rows: int) -> None:
        self._directions: NumberArray = np.empty((rows, 0))

    def add(self, fields: NumberArray) -> bool:
        """Add what is new of `fields`; return whether anything was."""
        size = np.linalg.norm(fields, axis=0)
        if not np.all(size > 0):
            return False
        rest: NumberArray = fields / size
        for _ in range(2):  # the second pass removes the rounding of the first
            rest = rest - self._directions @ (self._directions.conj().T @ rest)
        directions, triangle = np.linalg.qr(rest)
        new = np.abs(np.diag(triangle)) > CLOSE  # of fields of size one
        self._directions = np.concatenate([self._directions, directions[:, new]], axis=1)
        return bool(new.any())


# ---- Multipoles in holes
# A solution around a hole, such as log r for Laplace's equation, need not continue into it. Cosines, which are smooth
# everywhere, approximate such solutions poorly; multipoles in the hole represent them.

# Multipoles hold the images that the rest of the boundary makes in a hole, to rounding, up to this order.
_MOST_ORDERS = 60
# Only this many of the smallest holes get multipoles.
_MOST_HOLES = 24


@cache_by_object
def hole_columns(problem: Problem) -> tuple[Basis, ...]:
    """Multipoles in every hole of a plane domain.

    For equations of second order whose leading part is the Laplacian, and for systems and equations with complex
    coefficients whose determinant is a polynomial in the Laplacian.
    """
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        return ()
    holes = sorted(problem.domain.hole_places(), key=lambda hole: hole.radius)[:_MOST_HOLES]
    if len(problem.unknowns) > 1 or has_complex_operator(problem.equations[0]):
        return tuple(fields for hole in holes for fields in _system_fields(problem, hole))
    if not is_plane(problem):
        return ()
    return tuple(
        SingularBasis(hole.center, 0.0, hole.radius, functions)
        for hole in holes
        # at a point of the rim, as coefficients need not be defined in the hole
        if is_isotropic(problem, (hole.center[0] + hole.radius, hole.center[1]))
        and (functions := multipoles(hole, helmholtz_ratio(problem)))
    )


def _image_orders(hole: Hole) -> int:
    """Number of orders for the images of the rest of the boundary, whose series converges geometrically."""
    closeness = math.log1p(hole.clearance / hole.radius)
    return min(max(math.ceil(-math.log(ROUNDED) / closeness), _SPARE_ORDERS), _MOST_ORDERS)


def _wave_orders(k: float) -> int:
    """Number of orders for waves of wavenumber k times the radius: those that oscillate on the rim, and some more."""
    return math.ceil(k + 6 * math.cbrt(k)) + _SPARE_ORDERS


def _system_fields(problem: Problem, hole: Hole) -> tuple[Basis, ...]:
    """Fields of a system, or of an equation with complex coefficients; none if the determinant is not isotropic."""
    ratios = [ratio for ratio, _ in laplacian_factors(problem) if ratio.real > 0]
    waves = [_wave_orders(math.sqrt(abs(ratio)) * hole.radius) for ratio in ratios]
    return _hole_fields(problem, hole, max(_image_orders(hole), *waves, 0))


def multipoles(hole: Hole, ratio: float | None) -> list[CornerFunction]:
    """The multipoles in a hole for an equation with this `helmholtz_ratio`, or Laplace's if there is none."""
    orders = _image_orders(hole)
    if not ratio:  # also with other lower terms: the most singular part of the solution is the Laplacian's
        return [LOGARITHM, *(Power(-n) for n in range(1, orders + 1))]
    k = math.sqrt(abs(ratio)) * hole.radius
    if ratio < 0 and k > _MOST_DECAY:
        return []
    if ratio > 0:
        orders = max(orders, _wave_orders(k))
    return [Outgoing(n, k, ratio < 0) for n in range(orders + 1)]


# ---- All special functions of a problem


def special_columns(
    problem: Problem, singular: bool | Singular | Sequence[Singular], share: float = 1.0
) -> tuple[Basis, ...]:
    """All special functions (True), none (False), or the singular functions of the named corners.

    With True, `share` limits the exponents at each corner to a share of the highest.
    """
    if problem.domain.is_unbounded or singular is False:
        return ()  # such functions neither radiate nor stay bounded
    if singular is not True:
        return _singular_columns(problem, singular)
    corners = _columns_at_all_corners(problem) if share >= 1.0 else _leading_columns(problem, share)
    return (*corners, *hole_columns(problem))


def special_names(problem: Problem) -> str:
    """Names of the `special_columns`, for reports."""
    singular = singularities(problem)
    at = "corners and changes of conditions" if any(each.is_change for each in singular) else "the corners"
    found = {f"singular functions at {at}": singular, "multipoles in the holes": hole_columns(problem)}
    return ", ".join(name for name, there in found.items() if there)


def satisfies(problem: Problem, columns: Basis) -> bool:
    """Whether functions satisfy the homogeneous equation, checked at some points."""
    sites = Sites(problem.domain.sample(20, np.random.default_rng(0)))
    for equation in problem.equations:
        image = np.abs(columns.matrix(equation.operator, sites))
        terms = [
            term.at(sites)[:, None] * columns.matrix(derivative(term.orders).on(term.unknown), sites)
            for term in equation.operator.terms
        ]
        if not np.all(image <= CLOSE * np.sum(np.abs(terms), axis=0)):
            return False
    return True


# ---- Sources that crowd toward the joints of a boundary, from outside of the domain

# How fast they crowd, and the angle of their rays from the normal: on the normal itself all would be symmetric.
_CROWDING, _RAY_ANGLE = 2.0, 0.5
# Distance of the farthest, relative to the shorter curve at the joint.
_FARTHEST = 0.15


def joint_sources(joints: Sequence[Joint], count: int, ratio: float, domain: Domain) -> SourceBasis | None:
    """`count` sources on either side of the normal at each joint; None if there are none.

    Where curves of different curvature meet, a solution is not analytic: it continues across a straight line by
    reflection, but differently across an arc. Sources that crowd exponentially represent this singularity, about
    ``r^2 log r``. `ratio` is that of the equation; see `SourceBasis`.
    """
    if not joints or not count:
        return None
    points, distances = zip(*(_sources_at_joint(joint, count) for joint in joints), strict=True)
    placed, clearances = np.concatenate(points), np.concatenate(distances) * np.cos(_RAY_ANGLE)
    outside = ~domain.contains(placed)
    return SourceBasis(placed[outside], ratio, clearances[outside]) if outside.any() else None


def _sources_at_joint(joint: Joint, count: int) -> tuple[FloatArray, FloatArray]:
    index = np.arange(1, count + 1)
    distances = _FARTHEST * joint.length * np.exp(-_CROWDING * (np.sqrt(count) - np.sqrt(index)))
    rays = [np.array([np.cos(joint.away + side), np.sin(joint.away + side)]) for side in (-_RAY_ANGLE, _RAY_ANGLE)]
    points = np.concatenate([np.array(joint.point) + distances[:, None] * ray for ray in rays])
    return points, np.tile(distances, 2)
