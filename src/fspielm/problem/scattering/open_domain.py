"""Problems on open domains, restated for the scattered field; elastic waves and gratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Domain
from fspielm.geometry.exterior import Exterior
from fspielm.numerics.tolerances import ROUNDED
from fspielm.problem.operator import FEW_SITES, Coefficient, Operator, cache_by_object
from fspielm.problem.parameters import stand_in_symbols
from fspielm.problem.scattering.incident import Incident, PlaneWaves, format_wavenumber
from fspielm.problem.scattering.media import Transparent, outer_relations, radiating_root, transmission_relations
from fspielm.problem.setting import Setting
from fspielm.problem.statement import AnyCondition, Relation, Statement
from fspielm.problem.wellposed import check_conditions

if TYPE_CHECKING:
    from fspielm.problem.problem import Problem


@final
@dataclass(frozen=True)
class ElasticWaves:
    """The wavenumbers of an isotropic body in the plane, which do not grow, and the axis of each displacement."""

    longitudinal: complex
    transverse: complex
    axes: tuple[int, ...]


def elastic_waves(operators: Sequence[Operator]) -> ElasticWaves:
    """The waves of ``mu lap u + (lambda + mu) grad div u + rho omega^2 u``; other equations are refused."""
    if len(operators) != 2 or operators[0].dimension != 2:
        raise _refusal("this system has others")
    if not all(operator.is_constant for operator in operators):
        raise _refusal("a coefficient varies")
    found = {own: wave for own in (0, 1) for operator in operators if (wave := _read_wave(operator, own)) is not None}
    if len(found) != 2 or {wave.axes[0] for wave in found.values()} != {0, 1}:
        raise _refusal("this system has other terms")
    one, other = found[0], found[1]
    for name in ("longitudinal", "transverse"):
        if abs(getattr(one, name) - getattr(other, name)) > ROUNDED * abs(getattr(one, name)):
            raise _refusal("its two equations have different coefficients")
    return ElasticWaves(one.longitudinal, one.transverse, (one.axes[0], other.axes[0]))


def _read_wave(operator: Operator, own: int) -> ElasticWaves | None:
    """The waves in the equation of one displacement, with its axis; None if it is another equation."""
    terms = {
        (t.unknown == own, t.orders): complex(t.coefficient) for t in operator.terms if not callable(t.coefficient)
    }
    second = [terms.pop((True, orders), 0j) for orders in ((2, 0), (0, 2))]
    mixed, zeroth = terms.pop((False, (1, 1)), 0j), terms.pop((True, (0, 0)), 0j)
    if terms or not zeroth or not mixed or not all(second):
        return None
    for axis in (0, 1):
        along, across = second[axis], second[1 - axis]
        if abs(along - across - mixed) <= ROUNDED * abs(along):
            return ElasticWaves(radiating_root(zeroth / along), radiating_root(zeroth / across), (axis,))
    return None


def _refusal(why: str) -> ProblemError:
    return ProblemError(
        "open domains are known for one unknown, and for waves of two displacements in an isotropic elastic body, "
        f"mu lap u + (lambda + mu) grad div u + rho omega^2 u = 0; {why}"
    )


# ---- Problems on open domains

# Relative residual of an incident field that satisfies the equation: wavenumbers may be written with eight digits.
_TOLERANCE = 1e-8
# Relative to the extent of the window: farther from corners the boundary has equal weights.
_CORNER_LENGTH = 0.05
# Powers of the distance from corners that weigh values, and slopes, which are unbounded at corners.
_CORNER_POWERS = (0.5, 1.0)


def for_open_domain(relations: tuple[Relation, ...], statement: Statement, setting: Setting) -> tuple[Relation, ...]:
    """The relations of the scattered field; problems that open domains do not support are refused."""
    equations = [relation for relation in relations if relation.condition is None]
    operators = [equation.operator for equation in equations]
    waves = wavenumbers_of(operators)
    for equation in equations:
        if equation.value.constant != 0.0:
            raise ProblemError(
                f"on an open domain the equation must have zero on its right-hand side; got {equation.value.source}: "
                "state a source by incident=fs.point_source(...), or by its field as incident="
            )
    for relation in relations:
        if relation.condition is not None and (relation.region.kind != "boundary" or relation.region.shift is not None):
            raise ProblemError(f"on an open domain conditions hold on the objects; {relation.name!r} does not")
    transparent = [condition for condition in statement.conditions if isinstance(condition, Transparent)]
    if transparent and not ratio_of(operators[0]).imag < 0:
        for condition in transparent:
            condition.check_loss(setting)
    domain = setting.domain
    if needs_media(statement.conditions, domain):
        check_conditions(outer_relations(relations), setting)
        relations = transmission_relations(relations, statement.conditions, setting)
    incident: tuple[Incident, ...] = ()
    if statement.incident is not None:
        bound = statement.incident.bound(setting.givens, setting.coordinates)
        incident = bound.of_unknowns(setting.symbols)
        _check_incident(incident, operators, setting, _explain_unmet(statement, waves))
    if isinstance(domain, Exterior) and domain.period is not None:
        make_lattice(incident, waves, domain)  # checks the grating
    corners = domain.corners([str(symbol) for symbol in setting.coordinates])
    if not incident and not corners:
        return relations
    lower, upper = domain.bounding_box
    places = np.array([corner.point for corner in corners])
    length = _CORNER_LENGTH * float(np.max(upper - lower))

    def read(relation: Relation) -> Relation:
        power = _CORNER_POWERS[min(relation.operator.order, 1)]
        return _for_scattered_field(relation, incident, _CornerWeight(places, length, power) if corners else None)

    return tuple(relation if relation.condition is None else read(relation) for relation in relations)


def needs_media(conditions: Sequence[AnyCondition], domain: Domain) -> bool:
    """Whether an object has a field inside, or needs one as it contains another object."""
    nested = isinstance(domain, Exterior) and any(outer >= 0 for outer in domain.around)
    return nested or any(condition.kind == "transparent" for condition in conditions)


@cache_by_object
def has_data(problem: Problem) -> bool:
    """Whether prescribed values vary along the objects, apart from the incident field."""
    sources = [relation.value.source for relation in problem.constraints]
    return not all(isinstance(source, sp.Expr) and source.is_number for source in sources)


def incident_of(problem: Problem) -> tuple[Incident, ...]:
    """The incident field of each unknown outside; empty if there is none."""
    stated = problem.statement.incident
    if stated is None:
        return ()
    outside = [unknown.symbol for unknown in problem.unknowns if unknown.domain.is_unbounded]
    return stated.bound(problem.givens, problem.coordinates).of_unknowns(outside)


def ratio_of(operator: Operator) -> complex:
    """K of ``laplacian u + K u``, up to a factor; other equations are refused."""
    known = "open domains are known for Laplace's and Helmholtz' equation with constant coefficients"
    if not operator.is_constant:
        raise ProblemError(f"{known}; a coefficient varies: put what varies into a bounded domain")
    terms = {term.orders: complex(term.coefficient) for term in operator.terms if not callable(term.coefficient)}
    d = operator.dimension
    second = [tuple(2 * (axis == other) for other in range(d)) for axis in range(d)]
    main = terms.get(second[0], 0.0)
    others = set(terms) - {*second, (0,) * d}
    if main == 0 or others or any(abs(terms.get(each, 0.0) - main) > ROUNDED * abs(main) for each in second):
        raise ProblemError(f"{known}, laplacian u + k^2 u = 0; this one has other terms")
    return terms.get((0,) * d, 0.0) / main


def wavenumber_of(operator: Operator) -> complex:
    """K of ``laplacian u + k^2 u``, the root that radiates or decays; zero for Laplace's equation."""
    return radiating_root(ratio_of(operator))


def wavenumbers_of(operators: Sequence[Operator]) -> tuple[complex, ...]:
    """The wavenumber of one equation, or the lower and the higher one of an elastic body; others are refused."""
    if len(operators) == 1 and operators[0].unknowns <= {0}:
        return (wavenumber_of(operators[0]),)
    waves = elastic_waves(operators)
    return waves.longitudinal, waves.transverse


def outer_wavenumbers(problem: Problem) -> tuple[complex, ...]:
    """The wavenumbers outside of objects."""
    return wavenumbers_of(_operators_by_side(problem)[0])


def inner_wavenumbers(problem: Problem) -> tuple[complex | None, ...]:
    """The wavenumbers of the media inside of objects; None for a varying one."""
    return tuple(wavenumber_of(inside) if inside.is_constant else None for inside in _operators_by_side(problem)[1])


def highest_wavenumber(problem: Problem) -> float:
    """The largest absolute wavenumber outside and inside of objects."""
    return max(abs(k) for k in (*outer_wavenumbers(problem), *inner_wavenumbers(problem)) if k is not None)


def _operators_by_side(problem: Problem) -> tuple[list[Operator], list[Operator]]:
    """The equations outside of objects, and those inside."""
    operators = [equation.operator for equation in problem.equations]
    outside = sum(unknown.domain.is_unbounded for unknown in problem.unknowns)
    return operators[:outside], operators[outside:]


def _explain_unmet(statement: Statement, waves: Sequence[complex]) -> str:
    """The message for a field that does not satisfy the equation, which names the equation."""
    left_open = [
        str(symbol) for symbol in stand_in_symbols(statement) if any(e.has(symbol) for e in statement.equations)
    ]
    if left_open:
        names = ", ".join(left_open)
        return (
            f"does not satisfy the equation, which leaves {names} open: write it with {names} as well, as in "
            f"fs.plane_wave({left_open[0]}, direction) where {left_open[0]} is the wavenumber"
        )
    numbers = " and ".join(map(format_wavenumber, waves))
    kind = "Laplace's, which has no wavenumber" if numbers == "0" else f"one of wavenumber {numbers}"
    return f"does not satisfy the equation, which is {kind}; take the field of that equation"


def _check_incident(incident: Sequence[Incident], operators: Sequence[Operator], setting: Setting, unmet: str) -> None:
    domain = setting.domain
    for field in incident:
        if field.place is not None and not domain._contains(np.array([field.place]), False)[0]:
            raise ProblemError(
                f"incident: the source at {field.place} lies in an object, or on its boundary; place it outside"
            )
    points = domain.sample(FEW_SITES, np.random.default_rng(0))  # samples only
    nothing = (0,) * points.shape[1]

    def satisfy(fields: Sequence[Incident]) -> bool:
        # a field that is zero at all points is narrow, and no wave
        if not any(np.any(field.derivative(points, nothing)) for field in fields):
            return False
        return all(_relative_residual(operator, fields, points) <= _TOLERANCE for operator in operators)

    # without terms that satisfy the equation, which would hide narrow ones that do not
    left = incident[0].without(lambda field: satisfy([field])) if len(incident) == 1 else None
    rest = [left] if left is not None else incident if len(incident) > 1 else []
    if rest and not satisfy(rest):
        raise ProblemError(f"incident: {', '.join(map(str, incident))} {unmet}")


def _relative_residual(operator: Operator, fields: Sequence[Incident], points: FloatArray) -> float:
    """The residual of an equation relative to its terms."""
    sites = Sites(points)
    each = np.array([term.at(sites) * fields[term.unknown].derivative(points, term.orders) for term in operator.terms])
    largest = float(np.abs(each).sum(axis=0).max())
    return float(np.abs(each.sum(axis=0)).max()) / largest if largest else 0.0


def _for_scattered_field(relation: Relation, incident: tuple[Incident, ...], weight: Coefficient | None) -> Relation:
    """A relation times a weight, for the scattered field."""
    value, operator = relation.value, relation.operator
    plain = _ScatteredValue(
        value.arguments, value.source, None, _ScatteredData(value, operator, incident, None), needs_normals=True
    )
    if weight is None:
        return replace(relation, value=plain)
    weighted = operator.times(weight)
    known = replace(plain, _function=_ScatteredData(value, weighted, incident, weight), plain=plain)
    return replace(relation, operator=weighted, value=known)


@final
@dataclass(frozen=True, eq=False)
class _ScatteredValue(Field):
    """A prescribed value of the scattered field: as narrow and oscillating as the one written, and complex."""

    plain: Field | None = None

    @property
    def is_surely_real(self) -> bool:
        """False: incident waves are complex."""
        return False

    @property
    def unweighted(self) -> Field:
        """The value without weights at corners, which have kinks."""
        return self.plain or self


@final
@dataclass(frozen=True, eq=False)
class _ScatteredData:
    """A prescribed value minus that of the incident field, as a function of points and normals side by side."""

    value: Field
    operator: Operator
    incident: tuple[Incident, ...]
    weight: Coefficient | None

    def __call__(self, both: FloatArray) -> NumberArray:
        points, normals = np.split(both, 2, axis=1)
        sites = Sites(points, normals)
        known = self.value(points, normals)
        if callable(self.weight):
            known = known * self.weight(sites)
        if not self.incident:
            return known
        # the incident field is outside of objects
        terms = [
            (term, self.incident[term.unknown]) for term in self.operator.terms if term.unknown < len(self.incident)
        ]
        return np.asarray(known - sum(term.at(sites) * field.derivative(points, term.orders) for term, field in terms))


@final
@dataclass(frozen=True, eq=False)
class _CornerWeight:
    """A power of the distance from corners, where rows crowd and would dominate otherwise."""

    corners: FloatArray
    length: float
    power: float

    def __call__(self, sites: Sites) -> FloatArray:
        nearest = np.min([np.hypot(*(sites.points - corner).T) for corner in self.corners], axis=0)
        return np.asarray(np.minimum(nearest / self.length, 1.0) ** self.power)


# ---- Gratings


# Orders with a smaller wavenumber across the grating, relative to the whole, are too close to grazing.
_GRAZING = 3e-3


@final
@dataclass(frozen=True)
class Lattice:
    """Quasi-periodic fields: one period further they are the same times a phase factor.

    Attributes
    ----------
    wavenumber : float
        k of the waves.
    period : float
    along : float
        The wavenumber of the incident wave along the first axis, which times the period is the phase between copies.
    middle : float
        The first coordinate of the middle of a period.
    """

    wavenumber: float
    period: float
    along: float
    middle: float

    def phases(self, copies: FloatArray) -> ComplexArray:
        """The phase factors of fields this many periods further."""
        return np.asarray(np.exp(1j * self.along * self.period * copies))

    def copies(self, points: FloatArray) -> FloatArray:
        """The number of periods between points ``(n, 2)`` and the period around the middle."""
        return np.asarray(np.round((points[:, 0] - self.middle) / self.period))

    def orders(self, beyond: float = 0.0) -> tuple[NDArray[np.int_], FloatArray, ComplexArray]:
        """The propagating orders, and the evanescent ones that decay at rates up to `beyond`.

        Returns
        -------
        numbers : (J,) array of int
        along, across : (J,) arrays
            Their wavenumbers along and across the grating.
        """
        spacing = 2 * math.pi / self.period
        reach = math.hypot(self.wavenumber, beyond)
        numbers = np.arange(math.ceil((-reach - self.along) / spacing), math.floor((reach - self.along) / spacing) + 1)
        along: FloatArray = np.asarray(self.along + spacing * numbers, dtype=np.float64)
        return numbers, along, np.asarray(np.sqrt(self.wavenumber**2 - along**2 + 0j))


def lattice_of(problem: Problem) -> Lattice | None:
    """The lattice of a problem whose objects form a grating; None for others."""
    domain = problem.domain
    if not isinstance(domain, Exterior) or domain.period is None:
        return None
    return make_lattice(incident_of(problem), outer_wavenumbers(problem), domain)


def make_lattice(incident: Sequence[Incident], waves: Sequence[complex], domain: Exterior) -> Lattice:
    """The lattice of a grating in a plane wave; refused for other fields and at Wood anomalies."""
    if len(waves) > 1:
        raise ProblemError("a grating, fs.Exterior(..., period=...), is known for one unknown")
    wave, wavenumber = incident[0] if incident else None, waves[0]
    if not isinstance(wave, PlaneWaves) or len(wave.directions) > 1:
        raise ProblemError("a grating, fs.Exterior(..., period=...), needs incident=fs.plane_wave(k, direction)")
    if wavenumber == 0 or wavenumber.imag:
        raise ProblemError("a grating, fs.Exterior(..., period=...), is known for waves of a real wavenumber k")
    assert domain.period is not None
    k = wavenumber.real
    lattice = Lattice(k, domain.period, k * wave.directions[0][0], domain.middle)
    numbers, _, across = lattice.orders(beyond=k)
    worst = int(np.argmin(np.abs(across)))
    if abs(across[worst]) < _GRAZING * k:
        which = "what comes in" if numbers[worst] == 0 else f"the order {numbers[worst]}"
        raise ProblemError(
            f"incident: {which} goes along the grating, a Wood anomaly: there no sum over its copies has a value; "
            "change the wavenumber, the direction or the period a little"
        )
    return lattice
