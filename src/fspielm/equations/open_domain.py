"""What problems on open domains have to be, and their conditions as those of what the objects add."""

from __future__ import annotations

import cmath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.incident import Incident
from fspielm.equations.once import once
from fspielm.equations.operator import Coefficient, Operator
from fspielm.equations.relations import Relation
from fspielm.equations.setting import Setting
from fspielm.equations.statement import Statement
from fspielm.errors import ProblemError
from fspielm.expressions import Field
from fspielm.geometry import Sites

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

# What is left of terms that cancel, in units of the terms, where an incident field satisfies the equation.
_SATISFIED = 1e-8
_LOOKS = 24
# Of the extent of the window: so far from a corner all of the boundary counts alike.
_BESIDE_CORNERS = 0.05
# Powers of that distance for values and for slopes: the root counts the square of a residual by its length of the
# boundary, as values amount to something; slopes, which are not bounded at a corner, count by length once more.
_POWERS = (0.5, 1.0)


def for_open_domain(relations: tuple[Relation, ...], statement: Statement, setting: Setting) -> tuple[Relation, ...]:
    """The relations for what objects add to the incident field, with what is not known on open domains refused.

    Raises
    ------
    ProblemError
    """
    equations = [relation for relation in relations if relation.condition is None]
    if len(setting.unknowns) > 1 or len(equations) > 1:
        raise ProblemError("open domains are known for one equation with one unknown; domain=fs.Exterior(...) has more")
    equation = equations[0]
    ratio_of(equation.operator)
    if equation.value.constant != 0.0:
        raise ProblemError(
            "on an open domain the equation must have zero on its right-hand side; got "
            f"{equation.value.source}: state a source by incident=fs.point_source(...), or by its field as incident="
        )
    for relation in relations:
        if relation.condition is not None and (relation.region.kind != "boundary" or relation.region.shift is not None):
            raise ProblemError(f"on an open domain conditions hold on the objects; {relation.name!r} does not")
    incident = None
    if statement.incident is not None:
        incident = statement.incident.bound(setting.givens, setting.unknowns[0].coordinates)
        _check_incident(incident, equation.operator, setting)
    corners = setting.domain.corners([str(symbol) for symbol in setting.unknowns[0].coordinates])
    if incident is None and not corners:
        return relations
    lower, upper = setting.domain.bounding_box
    places = np.array([corner.point for corner in corners])
    length = _BESIDE_CORNERS * float(np.max(upper - lower))

    def read(relation: Relation) -> Relation:
        weight = _Weight(places, length, _POWERS[min(relation.operator.order, 1)]) if len(corners) else None
        return relation if relation.condition is None else _shifted(relation, incident, weight)

    return tuple(map(read, relations))


@once
def has_data(problem: Problem) -> bool:
    """Whether what conditions say varies along the objects, beside what comes in."""
    sources = [relation.value.source for relation in problem.constraints]
    return not all(isinstance(source, sp.Expr) and source.is_number for source in sources)


def incident_of(problem: Problem) -> Incident | None:
    """The incident field of a problem, as a function of its coordinates."""
    stated = problem.statement.incident
    return None if stated is None else stated.bound(problem.givens, problem.coordinates)


def ratio_of(operator: Operator) -> complex:
    """K of ``laplacian u + K u``, up to a factor; any other equation is refused.

    Raises
    ------
    ProblemError
    """
    known = "open domains are known for Laplace's and Helmholtz' equation with constant coefficients"
    if not operator.is_constant:
        raise ProblemError(f"{known}; a coefficient varies: put what varies into a bounded domain")
    terms = {term.orders: complex(term.coefficient) for term in operator.terms if not callable(term.coefficient)}
    d = operator.dimension
    second = [tuple(2 * (axis == other) for other in range(d)) for axis in range(d)]
    main = terms.get(second[0], 0.0)
    others = set(terms) - {*second, (0,) * d}
    if main == 0 or others or any(abs(terms.get(each, 0.0) - main) > 1e-12 * abs(main) for each in second):
        raise ProblemError(f"{known}, laplacian u + k^2 u = 0; this one has other terms")
    return terms.get((0,) * d, 0.0) / main


def wavenumber_of(operator: Operator) -> complex:
    """The k of ``laplacian u + k^2 u``, the root that radiates or falls off; zero for Laplace's equation."""
    root = cmath.sqrt(ratio_of(operator))
    return -root if root.imag < 0 else root


def wavenumber_in(problem: Problem) -> complex:
    """That of a problem's equation, outside of its objects."""
    return wavenumber_of(problem.relations[0].operator)


def _check_incident(incident: Incident, operator: Operator, setting: Setting) -> None:
    domain = setting.domain
    if incident.place is not None and not domain._contains(np.array([incident.place]), False)[0]:
        raise ProblemError(
            f"incident: the source at {incident.place} lies in an object, or on its boundary; place it outside"
        )
    points = domain.sample(_LOOKS, np.random.default_rng(0))  # only looks

    def satisfies(field: Incident) -> bool:
        each = np.array([term.at(Sites(points)) * field.derivative(points, term.orders) for term in operator.terms])
        # what is zero wherever it was looked at is narrow, and no wave
        seen = bool(np.any(field.derivative(points, (0,) * points.shape[1])))
        return seen and bool(np.all(np.abs(each.sum(axis=0)) <= _SATISFIED * np.abs(each).sum(axis=0).max()))

    # what satisfies the equation by itself would outshine what is narrow, and does not
    left = incident.without(satisfies)
    if left is not None and not satisfies(left):
        ratio = ratio_of(operator)
        number = cmath.sqrt(ratio)
        told = f"{number.real:.6g}" if number.imag == 0 else f"{number:.6g}"
        kind = "Laplace's, which has no wavenumber" if ratio == 0 else f"one of wavenumber {told}"
        raise ProblemError(
            f"incident: {incident} does not satisfy the equation, which is {kind}; take the field of that equation"
        )


def _shifted(relation: Relation, incident: Incident | None, weight: Coefficient | None) -> Relation:
    """A relation times a weight, for what is added to the incident field."""
    operator = relation.operator if weight is None else relation.operator.times(weight)
    left = _Left(relation.value, operator, incident, weight)
    value = _Known(relation.value.arguments, relation.value.source, None, left, needs_normals=True)
    return replace(relation, operator=operator, value=value)


@final
@dataclass(frozen=True, eq=False)
class _Known(Field):
    """What is known of a value: narrow and oscillating as what was written is, and complex."""

    @property
    def is_surely_real(self) -> bool:
        """Incident waves are not."""
        return False


@final
@dataclass(frozen=True, eq=False)
class _Left:
    """What is left of a value, of points and normals side by side, for the field that objects add."""

    value: Field
    operator: Operator
    incident: Incident | None
    weight: Coefficient | None

    def __call__(self, both: FloatArray) -> NumberArray:
        points, normals = np.split(both, 2, axis=1)
        sites = Sites(points, normals)
        known = self.value(points, normals)
        if callable(self.weight):
            known = known * self.weight(sites)
        if self.incident is None:
            return known
        # what comes in is outside alone
        terms = [term for term in self.operator.terms if term.unknown == 0]
        return np.asarray(known - sum(term.at(sites) * self.incident.derivative(points, term.orders) for term in terms))


@final
@dataclass(frozen=True, eq=False)
class _Weight:
    """A power of the distance from corners: rows crowd there, and what is next to them alone would decide otherwise."""

    corners: FloatArray
    length: float
    power: float

    def __call__(self, sites: Sites) -> FloatArray:
        nearest = np.min([np.hypot(*(sites.points - corner).T) for corner in self.corners], axis=0)
        return np.asarray(np.minimum(nearest / self.length, 1.0) ** self.power)
