"""What problems on open domains have to be, and their conditions as those of what the objects add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.conditions import AnyCondition
from fspielm.equations.conditions.transparent import Transparent
from fspielm.equations.elastic_waves import elastic_waves
from fspielm.equations.incident import Incident
from fspielm.equations.leaving import leaving_root
from fspielm.equations.once import once
from fspielm.equations.operator import Coefficient, Operator
from fspielm.equations.parameters import stood_for
from fspielm.equations.relations import Relation
from fspielm.equations.setting import Setting
from fspielm.equations.statement import Statement
from fspielm.equations.wellposed import check_conditions
from fspielm.errors import ProblemError
from fspielm.expressions import Field
from fspielm.geometry import Domain, Sites
from fspielm.geometry.exterior import Exterior

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
    waves = wavenumbers_of([equation.operator for equation in equations])
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
    if transparent and not ratio_of(equations[0].operator).imag < 0:
        for condition in transparent:
            condition.check_loss(setting)
    if needs_media(statement.conditions, setting.domain):
        from fspielm.equations.media import between_media, one_sided  # few objects let waves through

        check_conditions(one_sided(relations), setting)
        relations = between_media(relations, statement.conditions, setting)
    incident: tuple[Incident, ...] = ()
    if statement.incident is not None:
        bound = statement.incident.bound(setting.givens, setting.unknowns[0].coordinates)
        incident = bound.of_unknowns([unknown.symbol for unknown in setting.unknowns])
        unmet = _unmet(statement, waves)
        _check_incident(incident, [equation.operator for equation in equations], setting, unmet)
    domain = setting.domain
    if isinstance(domain, Exterior) and domain.period is not None:
        from fspielm.equations.lattice import make_lattice  # few open domains are gratings

        make_lattice(incident, waves, domain)  # which says what is wrong
    corners = setting.domain.corners([str(symbol) for symbol in setting.unknowns[0].coordinates])
    if not incident and not corners:
        return relations
    lower, upper = setting.domain.bounding_box
    places = np.array([corner.point for corner in corners])
    length = _BESIDE_CORNERS * float(np.max(upper - lower))

    def read(relation: Relation) -> Relation:
        weight = _Weight(places, length, _POWERS[min(relation.operator.order, 1)]) if len(corners) else None
        return relation if relation.condition is None else _shifted(relation, incident, weight)

    return tuple(map(read, relations))


def needs_media(conditions: Sequence[AnyCondition], domain: Domain) -> bool:
    """Whether an object has a field inside, or has to, since another one lies in it."""
    nested = isinstance(domain, Exterior) and any(outer >= 0 for outer in domain.around)
    return nested or any(condition.kind == "transparent" for condition in conditions)


@once
def has_data(problem: Problem) -> bool:
    """Whether what conditions say varies along the objects, beside what comes in."""
    sources = [relation.value.source for relation in problem.constraints]
    return not all(isinstance(source, sp.Expr) and source.is_number for source in sources)


def incident_of(problem: Problem) -> tuple[Incident, ...]:
    """What comes in of each unknown outside, as functions of the coordinates; empty if nothing does."""
    stated = problem.statement.incident
    if stated is None:
        return ()
    outside = [unknown.symbol for unknown in problem.unknowns if unknown.domain.is_unbounded]
    return stated.bound(problem.givens, problem.coordinates).of_unknowns(outside)


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
    return leaving_root(ratio_of(operator))


def wavenumbers_of(operators: Sequence[Operator]) -> tuple[complex, ...]:
    """Those of the waves outside of objects: of one unknown its own, of an elastic body the lower and the higher one.

    Raises
    ------
    ProblemError
        For equations of any other kind.
    """
    if len(operators) == 1 and operators[0].unknowns <= {0}:
        return (wavenumber_of(operators[0]),)
    waves = elastic_waves(operators)
    return waves.longitudinal, waves.transverse


def outer_wavenumbers(problem: Problem) -> tuple[complex, ...]:
    """Those of a problem outside of its objects."""
    return wavenumbers_of(_sides(problem)[0])


def inner_wavenumbers(problem: Problem) -> tuple[complex | None, ...]:
    """Those of the media inside of objects; None where one varies."""
    return tuple(wavenumber_of(inside) if inside.is_constant else None for inside in _sides(problem)[1])


def highest_wavenumber(problem: Problem) -> float:
    """The size of the highest, on either side."""
    return max(abs(k) for k in (*outer_wavenumbers(problem), *inner_wavenumbers(problem)) if k is not None)


def _sides(problem: Problem) -> tuple[list[Operator], list[Operator]]:
    """The equations outside of objects, and those inside."""
    operators = [equation.operator for equation in problem.equations]
    outside = sum(unknown.domain.is_unbounded for unknown in problem.unknowns)
    return operators[:outside], operators[outside:]


def _unmet(statement: Statement, waves: Sequence[complex]) -> str:
    """What to say of a field that does not satisfy the equation: which one that is."""
    left_open = [str(symbol) for symbol in stood_for(statement) if any(e.has(symbol) for e in statement.equations)]
    if left_open:
        names = ", ".join(left_open)
        return (
            f"does not satisfy the equation, which leaves {names} open: write it with {names} as well, as in "
            f"fs.plane_wave({left_open[0]}, direction) where {left_open[0]} is the wavenumber"
        )
    numbers = " and ".join(map(_told, waves))
    kind = "Laplace's, which has no wavenumber" if numbers == "0" else f"one of wavenumber {numbers}"
    return f"does not satisfy the equation, which is {kind}; take the field of that equation"


def _check_incident(incident: Sequence[Incident], operators: Sequence[Operator], setting: Setting, unmet: str) -> None:
    domain = setting.domain
    for field in incident:
        if field.place is not None and not domain._contains(np.array([field.place]), False)[0]:
            raise ProblemError(
                f"incident: the source at {field.place} lies in an object, or on its boundary; place it outside"
            )
    points = domain.sample(_LOOKS, np.random.default_rng(0))  # only looks
    nothing = (0,) * points.shape[1]

    def satisfy(fields: Sequence[Incident]) -> bool:
        # what is zero wherever it was looked at is narrow, and no wave
        if not any(np.any(field.derivative(points, nothing)) for field in fields):
            return False
        return all(_left_of(operator, fields, points) <= _SATISFIED for operator in operators)

    # what satisfies the equation by itself would outshine what is narrow, and does not
    left = incident[0].without(lambda field: satisfy([field])) if len(incident) == 1 else None
    rest = [left] if left is not None else incident if len(incident) > 1 else []
    if rest and not satisfy(rest):
        raise ProblemError(f"incident: {', '.join(map(str, incident))} {unmet}")


def _left_of(operator: Operator, fields: Sequence[Incident], points: FloatArray) -> float:
    """What is left of an equation, in units of its terms."""
    sites = Sites(points)
    each = np.array([term.at(sites) * fields[term.unknown].derivative(points, term.orders) for term in operator.terms])
    largest = float(np.abs(each).sum(axis=0).max())
    return float(np.abs(each.sum(axis=0)).max()) / largest if largest else 0.0


def _told(number: complex) -> str:
    return f"{number.real:.6g}" if number.imag == 0 else f"{number:.6g}"


def _shifted(relation: Relation, incident: tuple[Incident, ...], weight: Coefficient | None) -> Relation:
    """A relation times a weight, for what is added to the incident field."""
    value, operator = relation.value, relation.operator
    plain = _Known(value.arguments, value.source, None, _Left(value, operator, incident, None), needs_normals=True)
    if weight is None:
        return replace(relation, value=plain)
    weighted = operator.times(weight)
    known = replace(plain, _function=_Left(value, weighted, incident, weight), plain=plain)
    return replace(relation, operator=weighted, value=known)


@final
@dataclass(frozen=True, eq=False)
class _Known(Field):
    """What is known of a value: narrow and oscillating as what was written is, and complex."""

    plain: Field | None = None

    @property
    def is_surely_real(self) -> bool:
        """Incident waves are not."""
        return False

    @property
    def unweighted(self) -> Field:
        """Without the weights at corners, which have kinks."""
        return self.plain or self


@final
@dataclass(frozen=True, eq=False)
class _Left:
    """What is left of a value, of points and normals side by side, for the field that objects add."""

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
        # what comes in is outside alone
        terms = [
            (term, self.incident[term.unknown]) for term in self.operator.terms if term.unknown < len(self.incident)
        ]
        return np.asarray(known - sum(term.at(sites) * field.derivative(points, term.orders) for term, field in terms))


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
