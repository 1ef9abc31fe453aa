"""Membranes with held or free walls, their corners, and bounds for their energies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import final

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.basis.exact.laws import scene_of
from fspielm.basis.singular.columns import corner_exponents, free_axis, helmholtz_ratio, is_plane
from fspielm.basis.singular.singular import SingularBasis, Wave
from fspielm.eigen.modes import VALUE_ROUNDING
from fspielm.eigen.pencil import PLACES, Pencil
from fspielm.geometry.boundary import Sites
from fspielm.geometry.contour import contour_of
from fspielm.geometry.curves import Edge, PlaneCurve
from fspielm.geometry.domain import Corner, Domain, Hole
from fspielm.geometry.plane import Joint, edges_of, joints_of
from fspielm.numerics.tolerances import PROBES, SAME
from fspielm.problem.changes import SAME_PLACE, change_places, domain_size, sides_of
from fspielm.problem.compiled import Compiled
from fspielm.problem.operator import Operator
from fspielm.problem.parameters import with_numbers
from fspielm.problem.problem import Problem, problem_of
from fspielm.problem.substitutions import read_givens

# ---- Corners at which modes are singular, and their functions

# The lowest exponent that functions may begin with, and the highest; between curved sides, where each exponent comes
# with all that are larger by an integer, half of that.
_LEAST, _MOST = 0.51, 24.0


@final
@dataclass(frozen=True)
class Wedge:
    """A corner, or a place of the boundary where the condition changes."""

    point: tuple[float, float]
    axis: float  # the direction opposite to the ray across which its functions jump
    scale: float  # about the size of the domain
    exponents: tuple[float, ...]  # the exponents of its functions, ascending
    # between straight sides, the angle from the axis to the first side, where sines or cosines begin
    turn: float | None
    free: bool  # whether slopes are zero at that side, rather than values
    sides: tuple[int, ...]  # the numbers of the curves that meet there

    def functions(self, wavenumber: float, degree: float) -> SingularBasis:
        """Bessel functions with exponents up to a degree; they satisfy the conditions of straight sides."""
        k = wavenumber * self.scale
        some = [s for s in self.exponents if s <= max(degree, self.exponents[0])]
        return SingularBasis(self.point, self.axis, self.scale, [self._function(s, k) for s in some])

    def _function(self, exponent: float, k: float) -> Wave:
        if self.turn is None:
            return Wave(exponent, k, False, exponent == round(exponent))
        return Wave(exponent, k, turn=-exponent * self.turn - (0.0 if self.free else 0.5 * math.pi))


def corners_of(problem: Problem, *, changes: bool = True) -> tuple[Corner, ...]:
    """The corners of the domain and, with `changes`, places where the kind of condition changes."""
    own = problem.domain.corners([str(symbol) for symbol in problem.coordinates])
    if not changes:
        return own
    near = SAME_PLACE * domain_size(problem)  # the border of a mask may miss the corner by rounding
    found = change_places(problem)
    return (*own, *(place for place in found if all(math.dist(place.point, each.point) > near for each in own)))


def wedges_of(problem: Problem, curves: Sequence[PlaneCurve]) -> tuple[Wedge, ...] | None:
    """The corners at which modes are singular; at other corners of straight sides mirror images fill the plane.

    None if squared slopes of modes are not integrable along a side, or if every ray across which functions may jump
    runs through the domain.
    """
    found = []
    size = domain_size(problem)
    for corner in corners_of(problem):
        every = corner_exponents(problem, corner, _MOST if corner.straight else 0.5 * _MOST)
        exponents = tuple(float(round(s)) if abs(s - round(s)) < SAME else s for s in every)
        if corner.straight and all(s == round(s) for s in exponents):
            continue
        axis = free_axis(problem, corner)
        if axis is None or exponents[0] <= _LEAST:
            return None
        turn = math.remainder(corner.start + 0.5 * corner.opening - axis, 2 * math.pi) - 0.5 * corner.opening
        free = any(each.operator.order > 0 for each in sides_of(problem, corner).first)
        own = turn if corner.straight else None
        near = SAME_PLACE * size
        sides = tuple(n for n, each in enumerate(curves) if any(math.dist(p, corner.point) <= near for p in each.ends))
        found.append(Wedge(corner.point, axis, size, exponents, own, free, sides))
    return tuple(found)


# The spacing of sources around a membrane, and the least distance of those that stay, in units of their distance.
_SPACED, _LEAST_AWAY = 0.3, 0.7

# ---- Membranes: the Laplacian on a plane domain with Dirichlet (held) or Neumann (free) conditions
# A bound for the distance of an energy E from that of a mode: let u satisfy the equation at E, and w satisfy
# ``-laplacian w + s w = 0`` with the values of u on held walls and its slopes on free ones. Then u - w satisfies the
# conditions of modes, and ``(E + s) T u = u - w`` with T the inverse at the shift -s. So the energy of a mode is no
# farther away than ``(E + s) e / (1 - e)``, where e is the norm of w relative to that of u. The part of w with values
# is nowhere larger than these. For the part with slopes b, let f solve ``-laplacian f + s f = w`` with the conditions
# of modes: the integral of ``w^2`` is that of ``b f`` over the free walls. With a vector field a that has ``a n >= 1``
# there, the integral of ``f^2`` over them is at most that of ``div(a f^2)`` over the domain, as f is zero on the rest
# of the boundary. This is at most ``A |f|^2 + 2 B |f| |grad f|``, with A the largest divergence and B the largest size
# of a. Since ``|f| <= |w| / s`` and ``|grad f|^2 + s |f|^2 <= |w| |f|``, the norm of w is at most ``sqrt(A / s^2 + c B
# / s^1.5)`` times that of b, where c is twice the largest of ``t^1.5 (1 - t)^0.5``.

# The wavenumber, times the radius, for which the bound for slopes at free walls is optimised.
_WAVES = 4.0
# A value of the symbol so large that nothing else of an equation matters.
_HUGE = 2.0**70
# Parameters of curves at which conditions are sampled.
_ALONG = np.linspace(0.01, 0.99, 33)
# The c of the bound.
_LARGEST = 3 * math.sqrt(3) / 8
# Degrees of fields to try, places on each wall and directions in which their size is measured, and a factor for larger
# ones between places.
_DEGREES, _WALLS, _BETWEEN = (1, 3, 5), 24, 1.05
# Places inside to fit functions at.
FEW_PLACES = 120
# Shifts to try, in units of an energy.
_SHIFTS = np.geomspace(0.05, 20.0, 40)


@final
@dataclass(frozen=True)
class _TraceField:
    """The largest divergence and the largest size of a vector field whose flux through free walls is one or more."""

    divergence: float
    size: float

    def lifting(self, shift: float) -> float:
        """A bound for the norm of a solution at minus a shift, in units of its slopes at free walls."""
        return math.sqrt(self.divergence / shift**2 + _LARGEST * self.size / shift**1.5)

    def best(self, energy: float, held: float, free: float) -> tuple[float, float]:
        """The shift with the best bound for an energy, and the error e, for an error by values and a norm of slopes."""
        if not free:
            return 0.0, held
        shifts = energy * _SHIFTS
        errors = np.array([held + self.lifting(shift) * free for shift in shifts])
        place = int(np.argmin((energy + shifts) * errors))
        return float(shifts[place]), float(errors[place])


def _trace_field(domain: Domain, walls: Sequence[PlaneCurve], wave: float) -> _TraceField | None:
    """A polynomial field for free walls of the least degree possible, the best for a wavenumber; None without one."""
    if not walls:
        return _TraceField(0.0, 0.0)
    rng = np.random.default_rng(0)  # only for sampling
    few, more = (_along(walls, places) for places in (_WALLS, PROBES))
    inside = np.concatenate([domain.sample(FEW_PLACES, rng, "low-discrepancy"), few.points])
    measured = np.concatenate([domain.sample(PLACES, rng, "low-discrepancy"), more.points])
    lower, upper = domain.bounding_box
    for degree in _DEGREES:
        powers = np.array([(p, n - p) for n in range(degree + 1) for p in range(n + 1)], dtype=np.float64)
        monomials = _Monomials(0.5 * (lower + upper), 0.5 * float(np.max(upper - lower)), powers)
        found = _fitted_field(monomials, few, inside, wave)
        if found is not None and (field := _measured_field(monomials, found, measured, more)) is not None:
            return field
    return None


def _along(walls: Sequence[PlaneCurve], places: int) -> Sites:
    """So many places of each wall, including its ends."""
    each = [(curve, curve.parameter(np.linspace(0.0, 1.0, places))) for curve in walls]
    points, normals = ([getattr(curve, name)(t) for curve, t in each] for name in ("point", "normals"))
    return Sites(np.concatenate(points), np.concatenate(normals))


@final
@dataclass(frozen=True, eq=False)
class _Monomials:
    """The monomials up to a degree, in scaled coordinates around a center: the two components of fields."""

    center: FloatArray
    scale: float
    powers: FloatArray

    def at(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Their values, and derivatives along both axes."""
        x, y = ((points - self.center) / self.scale).T[:, :, None]
        p, q = self.powers.T
        along = p * x ** np.maximum(p - 1, 0) * y**q / self.scale
        across = q * x**p * y ** np.maximum(q - 1, 0) / self.scale
        return x**p * y**q, along, across


def _measured_field(
    monomials: _Monomials, coefficients: FloatArray, points: FloatArray, walls: Sites
) -> _TraceField | None:
    """The field with coefficients ``(2, n)``, as far as it goes through the walls."""
    rows, x, y = monomials.at(points)
    at_walls = monomials.at(walls.points)[0] @ coefficients.T
    least = float(np.sum(at_walls * walls.outward, axis=1).min()) / _BETWEEN
    if least <= 0:
        return None
    divergence = float(np.abs(x @ coefficients[0] + y @ coefficients[1]).max())
    size = float(np.linalg.norm(rows @ coefficients.T, axis=1).max())
    return _TraceField(_BETWEEN * divergence / least, _BETWEEN * size / least)


def _fitted_field(monomials: _Monomials, walls: Sites, inside: FloatArray, wave: float) -> FloatArray | None:
    """The coefficients of least ``divergence + c size wave`` whose flux through the walls is one or more."""
    rows, x, y = monomials.at(inside)
    on_walls, count = monomials.at(walls.points)[0], len(monomials.powers)
    leaves = np.hstack([on_walls * walls.outward[:, :1], on_walls * walls.outward[:, 1:]])
    divergence, none = np.hstack([x, y]), np.zeros((len(inside), 1))
    turns = 2 * np.pi * np.arange(_WALLS) / _WALLS
    limits = [
        np.hstack([-leaves, np.zeros((len(leaves), 2))]),
        *(np.hstack([sign * divergence, none - 1, none]) for sign in (1, -1)),
        *(np.hstack([math.cos(turn) * rows, math.sin(turn) * rows, none, none - 1]) for turn in turns),
    ]
    bounds = np.concatenate([-np.ones(len(leaves)), np.zeros(len(inside) * (2 + _WALLS))])
    cost = np.append(np.zeros(2 * count), [1.0, _LARGEST * wave])
    free = [(None, None)] * len(cost)
    solved = scipy.optimize.linprog(cost, np.concatenate(limits), bounds, bounds=free, method="highs")
    return np.asarray(solved.x[:-2].reshape(2, count)) if solved.status == 0 else None


@final
@dataclass(frozen=True, eq=False)
class Membrane:
    """``laplacian u + E u = 0`` in the plane with zero values or slopes on the boundary, E linear in the eigenvalue."""

    pencil: Pencil
    curves: tuple[PlaneCurve, ...]  # the boundary
    free: tuple[bool, ...]  # by curve, whether slopes are zero, rather than values
    joints: tuple[Joint, ...]
    wedges: tuple[Wedge, ...]  # corners at which modes are singular
    holes: tuple[Hole, ...]
    rate: float  # the energy is ``rate * value + start``
    start: float

    def energy(self, value: float) -> float:
        """The square of the wavenumber."""
        return self.rate * value + self.start

    def value(self, energy: float) -> float:
        """The eigenvalue."""
        return (energy - self.start) / self.rate

    def error(self, bound: float) -> float:
        """A bound for the error of a value by that of its energy, with the rounding of `start`."""
        return (bound + VALUE_ROUNDING * abs(self.start)) / self.rate

    def at(self, value: float) -> Problem:
        """The problem with a value of the eigenvalue; mostly as it was compiled for another value."""
        base, power = self.pencil.at(0.0), self.pencil.powers[0]
        if any(each.is_gauge for each in base.relations):
            return self.pencil.at(value)
        stated = with_numbers(base.statement, {self.pencil.symbol: value})
        relations = tuple(
            replace(each, operator=each.operator + power[each.name].times(value)) if each.name in power else each
            for each in base.relations
        )
        givens = read_givens(stated.given).placed(stated.domain, base.coordinates)
        return problem_of(Compiled(stated, base.unknowns, relations, givens, notes=base.notes))

    @property
    def domain(self) -> Domain:
        """The domain of the problem."""
        return self.pencil.problem.domain

    def sampled(self, count: int) -> FloatArray:
        """So many points inside, the same at each call."""
        return self._sampled(2 ** math.ceil(math.log2(count)))[:count]

    @cached_property
    def _sampled(self) -> Callable[[int], FloatArray]:
        return lru_cache(lambda most: self.domain.sample(most, np.random.default_rng(0), "low-discrepancy"))

    @cached_property
    def places_around(self) -> Callable[[float], tuple[FloatArray, FloatArray]]:
        """Places outside, about as far from the boundary as asked for, and their distances from it."""
        return lru_cache(partial(_places_around, self))

    @cached_property
    def length(self) -> float:
        """The length of the boundary."""
        return sum(curve.length for curve in self.curves)

    @cached_property
    def center(self) -> FloatArray:
        """The center of the bounding box."""
        lower, upper = self.domain.bounding_box
        return np.asarray(0.5 * (lower + upper))

    @cached_property
    def radius(self) -> float:
        """The largest distance of the boundary from the center."""
        return scene_of(self.domain).radius((0, 1))

    @property
    def least(self) -> float:
        """A lower bound for energies of held membranes: that of the disk of the same area (Faber and Krahn)."""
        return float(math.pi * scipy.special.jn_zeros(0, 1)[0] ** 2 / self.domain.measure)

    @cached_property
    def field(self) -> _TraceField | None:
        """The field that bounds errors by the slopes at free walls; None without one."""
        walls = [curve for curve, free in zip(self.curves, self.free, strict=True) if free]
        return _trace_field(self.domain, walls, _WAVES / self.radius)

    @cached_property
    def lifting(self) -> float:
        """A bound for the norm of a harmonic function, in units of the norm of its boundary values.

        For boundaries that are visible from the center, infinite for others. With f zero at the boundary and
        ``-laplacian f = w``, the integral of ``w^2`` is one of w times the slope of f over the boundary. Rellich's
        identity bounds the integral of the squared slope times the distance from the center along the normal; and the
        norm of the gradient of f is at most that of w over the root of the first energy.
        """
        normals = [(curve.point(curve.grid()) - self.center, curve.normals(curve.grid())) for curve in self.curves]
        least = min(float(np.sum(points * out, axis=1).min()) for points, out in normals)
        return math.sqrt(2 * self.radius / (least * math.sqrt(self.least))) if least > 0 else math.inf

    @property
    def is_held(self) -> bool:
        """Whether values are zero on all of the boundary."""
        return not any(self.free)

    @property
    def is_free(self) -> bool:
        """Whether slopes are zero on all of the boundary: then the constant is a mode of energy zero."""
        return all(self.free)

    @cached_property
    def _weyl_terms(self) -> tuple[float, float, float]:
        """The terms of Weyl's law: area and boundary, and a constant for corners and bends."""
        problem = self.pencil.problem
        openings = [corner.opening for corner in corners_of(problem, changes=False)]
        corners = sum(_weyl_corner_term(problem, corner) for corner in corners_of(problem))
        bent = 2 * math.pi * (1 - len(self.holes)) - sum(math.pi - opening for opening in openings)
        length = sum(curve.length * (1 if free else -1) for curve, free in zip(self.curves, self.free, strict=True))
        return self.domain.measure / (4 * math.pi), length / (4 * math.pi), corners + bent / (12 * math.pi)

    def weyl(self, energy: float) -> float:
        """The mean number of modes below an energy, by Weyl's law with the terms of boundary, corners and bends."""
        area, boundary, rest = self._weyl_terms
        return area * energy + boundary * math.sqrt(energy) + rest

    def reaching(self, number: float) -> float:
        """The energy below which there are so many modes in the mean."""
        area, boundary, rest = self._weyl_terms
        under = boundary**2 + 4 * area * max(number - rest, 0.0)
        return ((math.sqrt(under) - boundary) / (2 * area)) ** 2

    def doubts(self, stretches: Sequence[tuple[float, float]]) -> tuple[str, ...]:
        """Remarks on stretches in which modes may be missing."""
        return tuple(
            f"between {self.value(low):.8g} and {self.value(high):.8g}, modes as seen from both ends differ, or there "
            "was no time to look: some may be missing, or one too many; look closer there"
            for low, high in stretches
        )

    def density(self, energy: float) -> float:
        """The approximate number of modes per unit of the wavenumber, rather too large."""
        return self.domain.measure * math.sqrt(energy) / (2 * math.pi)


def _places_around(membrane: Membrane, away: float) -> tuple[FloatArray, FloatArray]:
    def along(spacing: float) -> Sites:
        numbers = [math.ceil(curve.length / spacing) for curve in membrane.curves]
        each = [(c, c.parameter((np.arange(n) + 0.5) / n)) for c, n in zip(membrane.curves, numbers, strict=True)]
        points, normals = ([getattr(curve, name)(t) for curve, t in each] for name in ("point", "normals"))
        return Sites(np.concatenate(points), np.concatenate(normals))

    sites = along(_SPACED * away)
    places = sites.points + away * sites.outward
    distances, _ = scipy.spatial.cKDTree(along(0.1 * away).points).query(places)
    kept = (distances > _LEAST_AWAY * away) & ~membrane.domain.contains(places)
    return places[kept], distances[kept]


def membrane_of(pencil: Pencil) -> Membrane | None:
    """The problem as a membrane of one piece; None if it is none."""
    problem = pencil.at(0.0)
    if pencil.degree != 1 or not is_plane(problem) or problem.interfaces or problem.missing:
        return None
    if set(pencil.powers[0]) != {equation.name for equation in problem.equations}:
        return None
    start, huge = (helmholtz_ratio(pencil.at(value)) for value in (0.0, _HUGE))
    edges = edges_of(problem.domain, [str(symbol) for symbol in problem.coordinates])
    if start is None or huge is None or huge <= start or edges is None:
        return None
    curves, free, holes = tuple(edge.curve for edge in edges), _free(problem, edges), problem.domain.hole_places()
    if free is None or len(contour_of(curves, "domain").loops) > 1 + len(holes):
        return None
    wedges = wedges_of(problem, curves)
    if wedges is None:
        return None
    return Membrane(pencil, curves, free, joints_of(curves), wedges, holes, (huge - start) / _HUGE, start)


def _free(problem: Problem, edges: Sequence[Edge]) -> tuple[bool, ...] | None:
    """By edge, whether slopes are zero, rather than values; None if there are other conditions."""
    conditions = [relation for relation in problem.relations if relation.condition is not None]
    if any(each.region.kind != "boundary" or each.region.shift is not None for each in conditions):
        return None
    found = []
    for edge in edges:
        t = edge.curve.parameter(_ALONG)
        sites = Sites(edge.curve.point(t), edge.curve.normals(t))
        own = [each for each in conditions if edge.name in each.part_names and each.holds(sites.points).any()]
        if len(own) != 1 or not own[0].holds(sites.points).all():
            return None
        if own[0].operator.order and not _is_slope(own[0].operator, sites):
            return None
        found.append(own[0].operator.order > 0)
    return tuple(found)


def _is_slope(operator: Operator, sites: Sites) -> bool:
    """Whether it is the derivative along the normal, up to a factor."""
    assert sites.normals is not None
    if any(term.order != 1 for term in operator.terms):
        return False
    along = np.zeros((len(sites), 2))
    for term in operator.terms:
        along[:, term.orders.index(1)] += np.real(term.at(sites))
    aside = along[:, 0] * sites.normals[:, 1] - along[:, 1] * sites.normals[:, 0]
    return bool(np.abs(aside).max() <= SAME * np.abs(along).max())


def _weyl_corner_term(problem: Problem, corner: Corner) -> float:
    """The term of a corner in Weyl's law, between sides of the same kind or of different kinds."""
    a = corner.opening
    kinds = [{each.operator.order > 0 for each in side} for side in sides_of(problem, corner)]
    if kinds[0] == kinds[1]:
        return (math.pi**2 - a**2) / (24 * math.pi * a)
    return -(math.pi**2 + 2 * a**2) / (48 * math.pi * a)
